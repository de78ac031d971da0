"""A user's own game in the classifier, and in model files under a registered name."""

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.base import clone

from fixtures.ordinal import Ordinal
from rosenblatt import PerceptronClassifier, engine, games, load, persistence, save
from rosenblatt.engine import predictors
from rosenblatt.games import registry
from rosenblatt.kernels import Polynomial

LEVELS = np.array(["a", "b", "c", "d"])


@pytest.fixture
def ordinal(monkeypatch):
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    games.register("ordinal", Ordinal)


def bands():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    return X, LEVELS[np.digitize(X[:, 0] + 0.2 * X[:, 1], [-0.7, 0.0, 0.9])]


def fitted(**parameters):
    X, y = bands()
    return PerceptronClassifier(multiclass=Ordinal(4), random_state=0, **parameters).fit(X, y)


@pytest.mark.parametrize("kernel", [None, Polynomial(2)])
@pytest.mark.parametrize("predictor", predictors.NAMES)
def test_classifier_plays_a_users_game(predictor, kernel):
    X, y = bands()
    learner = fitted(predictor=predictor, kernel=kernel, max_iter=5, fit_intercept=True)
    assert learner.run_.game == Ordinal(4)
    assert learner.score(X, y) > 0.8
    assert learner.decision_function(X).shape == ((200, 4) if predictor == "vote" else (200,))
    assert learner.certificate(X, y).holds is not False


def test_classifier_with_a_game_continues_and_clones():
    X, y = bands()
    learner = PerceptronClassifier(multiclass=Ordinal(4), shuffle=False, max_iter=1)
    whole = clone(learner).fit(X, y).ledger_
    for part in (slice(0, 90), slice(90, 200)):
        learner.partial_fit(X[part], y[part], classes=LEVELS)
    assert learner.ledger_ == whole
    learner.set_params(multiclass=Ordinal(5))
    with pytest.raises(ValueError, match="partial_fit cannot change multiclass"):
        learner.partial_fit(X, y)


def test_classifier_explains_the_score_of_a_game():
    X, _ = bands()
    learner = fitted()
    why = learner.explain(X[0])
    assert why.score == pytest.approx(learner.decision_function(X[:1])[0])
    assert why.answer == learner.predict(X[:1])[0]
    with pytest.raises(ValueError, match=r"a score of the class 'b' to explain it\. Got Ordinal"):
        learner.explain(X[0], label="b")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"multiclass": Ordinal(3)}, r"Ordinal\(classes=3\) is for 3 classes\. Got labels of 4"),
        ({"multiclass": object()}, "which has no outputs"),
        ({"multiclass": games.Ranking()}, "which has no classes"),
        ({"multiclass": 3}, "multiclass must be"),
        ({"multiclass": Ordinal(4), "ties": "positive"}, "decides about ties itself"),
    ],
)
def test_classifier_rejects_what_is_no_game_for_its_labels(parameters, message):
    with pytest.raises(ValueError, match=message):
        PerceptronClassifier(**parameters).fit(*bands())


@pytest.mark.parametrize("kernel", [None, Polynomial(2)])
def test_a_registered_game_is_saved_and_loaded(ordinal, tmp_path, kernel):
    X, y = bands()
    learner = fitted(kernel=kernel)
    save(learner, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.multiclass == Ordinal(4)
    assert again.ledger_ == learner.ledger_
    for predictor in ("last", "best", "average", "vote"):
        expected = learner.set_params(predictor=predictor).predict(X)
        assert (again.set_params(predictor=predictor).predict(X) == expected).all()
    assert again.partial_fit(X, y).ledger_ == learner.partial_fit(X, y).ledger_


def test_save_and_load_name_a_game_that_is_not_registered(ordinal, tmp_path, monkeypatch):
    learner = fitted()
    save(learner, tmp_path / "model")
    monkeypatch.delitem(registry._registered, "ordinal")
    with pytest.raises(persistence.ModelError, match="its game 'ordinal' should be registered: import"):
        load(tmp_path / "model")
    with pytest.raises(ValueError, match=r"a game registered by games\.register.* Got Ordinal"):
        save(learner, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_load_rejects_a_game_whose_fields_changed(ordinal, tmp_path, monkeypatch):
    save(fitted(), tmp_path / "model")

    @dataclass(frozen=True)
    class Other:
        ranks: int

    monkeypatch.setitem(registry._registered, "ordinal", Other)
    with pytest.raises(persistence.ModelError, match="fields of the game 'ordinal' should be possible"):
        load(tmp_path / "model")


def test_register_rejects_names_taken_and_other_classes(ordinal):
    class Plain:
        pass

    games.register("ordinal", Ordinal)  # again: a cell of a notebook runs twice
    with pytest.raises(ValueError, match=r"'argmax' is taken by .*Argmax"):
        games.register("argmax", Ordinal)
    with pytest.raises(ValueError, match="is a dataclass"):
        games.register("plain", Plain)
    with pytest.raises(ValueError, match="under a name"):
        games.register("", Ordinal)


def test_register_takes_a_class_that_is_defined_again(ordinal):
    def defined():
        @dataclass(frozen=True)
        class Levels:
            levels: int = 2

        return Levels

    first, second = defined(), defined()
    games.register("levels", first)
    games.register("levels", second)
    assert registry.registered("levels") is second


def test_exports_refuse_a_users_game():
    with pytest.raises(ValueError, match=r"Got Ordinal\(classes=4\), whose answers only Python knows"):
        persistence.to_json(fitted())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda run, X: engine.Examples(X, [0] * 5), r"as run\.number\(X\) makes\. Got ndarray"),
        (lambda run, X: engine.Examples(run.number(X), [0] * 4), r"one truth per row, shape \(5,\)"),
        (
            lambda run, X: engine.Examples(run.number(X), [0] * 5, np.array([0, 3])),
            "starts must rise from 0 to",
        ),
        (
            lambda run, X: engine.Examples(run.number(X), [0] * 5, index=np.array([0, 5])),
            "index must hold integers from 0 to 4. Got 0 to 5",
        ),
    ],
)
def test_examples_reject_shapes_that_do_not_fit(make, message):
    run = engine.begin(Ordinal(4), features=2)
    with pytest.raises(ValueError, match=message):
        make(run, np.ones((5, 2)))


@pytest.mark.parametrize("execute", [engine.play, engine.learn])
def test_engine_rejects_orders_of_rounds_there_are_not(execute):
    run = engine.begin(Ordinal(4), features=2)
    examples = engine.Examples(run.number(np.ones((5, 2))), [0] * 5)
    with pytest.raises(ValueError, match=r"An order of rounds must hold integers from 0 to 4\. Got 0 to 5"):
        execute(run, examples, [[0, 5]])
