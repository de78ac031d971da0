"""Online learners in model files: one that was loaded continues as one that never was saved."""

from copy import deepcopy

import numpy as np
import pytest

from fixtures import model_data
from rosenblatt import kernels, load, online, save
from rosenblatt.persistence import ModelError, archive, models
from rosenblatt.theory.online_calibration import FIELDS


@pytest.mark.parametrize("index", range(model_data.ONLINE_LEARNERS))
def test_loaded_learner_continues_exactly(index, tmp_path):
    learner, rounds = model_data.online_learner(index)
    path, never_saved = tmp_path / "model", deepcopy(learner)
    save(learner, path)
    again = load(path)
    assert type(again) is type(learner)
    assert again.predictor == learner.predictor
    for x, y in rounds[2 * len(rounds) // 3 :] + rounds[:5]:
        for each in (never_saved, learner, again):
            each.add_example(x, y)
    assert again.ledger == learner.ledger == never_saved.ledger
    for x, _ in rounds[:5]:
        said = [np.asarray(model_data.answer(each, x)).tolist() for each in (again, never_saved)]
        assert said[0] == said[1]
    if isinstance(learner, online.Classifier):
        assert again.classes == learner.classes
        assert [again.predict(x) for x, _ in rounds] == [learner.predict(x) for x, _ in rounds]
    save(learner, path)
    bytes_of_one = path.read_bytes()
    save(again, path)
    assert path.read_bytes() == bytes_of_one


@pytest.mark.parametrize(
    "learner", [online.Classifier(), online.Classifier(classes=["a", "b"]), online.Ranker(), online.Tagger()]
)
def test_learners_that_have_learned_nothing_are_saved(learner, tmp_path):
    save(learner, tmp_path / "model")
    again = load(tmp_path / "model")
    if isinstance(learner, online.Tagger):
        learner.add_example([], [])
        save(learner, tmp_path / "model")
        again = load(tmp_path / "model")
        again.add_example(["a"], ["X"])
        assert again.ledger.rounds == 2
    elif isinstance(learner, online.Classifier):
        assert again.classes == learner.classes
        again.add_example({"a": 1}, "b")
        assert again.predict({"a": 1}) == "b"
    else:
        again.add_example([[1.0], [0.0]], 0)
        assert again.find_best([[0.0], [1.0]]) == 1


def test_predictor_that_was_changed_is_kept(tmp_path):
    learner = online.Classifier()
    for x, y in (({"a": 1.0}, 1), ({"b": 1.0}, 0), ({"a": 1.0, "b": 1.0}, 1)):
        learner.add_example(x, y)
    learner.predictor = "average"
    save(learner, tmp_path / "model")
    assert load(tmp_path / "model").predictor == "average"
    assert load(tmp_path / "model").decision_function({"a": 1}) == learner.decision_function({"a": 1})


def test_save_rejects_what_a_file_cannot_hold(tmp_path):
    for learner, sentence in (
        (online.Classifier(features=str.split), "holds no functions.*Got features="),
        (online.Tagger(features=lambda s, i: [s[i]]), "holds no functions"),
        (online.Classifier(kernels.Function(lambda a, b: 1.0)), "Python functions"),
    ):
        with pytest.raises(ValueError, match=sentence):
            save(learner, tmp_path / "model")
    named = online.Classifier()
    named.add_example({("a", 3): 1.0}, 1)
    with pytest.raises(
        ValueError, match=r"names are strings or integers\. Got \('a', 3\): .* as str\(name\)"
    ):
        save(named, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def changed(learner, path, where, value):
    header, arrays = models.contents(models.Model(learner))
    *inside, name = where
    section = header
    for key in inside:
        section = section[key]
    section[name] = value
    path.write_bytes(archive.packed(header, arrays))
    return path


def learned():
    learner = online.Classifier()
    for x, y in (({"a": 1.0}, "x"), ({"b": 1.0}, "y"), ({"c": 1.0}, "z")):
        learner.add_example(x, y)
    return learner


@pytest.mark.parametrize(
    ("where", "value", "sentence"),
    [
        (("estimator",), "online.Anything", "should be one of"),
        (("parameters", "rule"), "margin", "run should be one with these parameters"),
        (("parameters", "fit_intercept"), False, "run should be one with these parameters"),
        (("parameters", "predictor"), "recent", "run should be one with these parameters"),
        (("parameters", "ties"), "never", "parameters should be possible"),
        (("parameters", "surprise"), 1, "parameters should be possible"),
        (("parameters", "features"), {"features": ["eval", {}]}, "a value should be of a known kind"),
        (("state", "classes"), None, "entries should name outputs|is missing|should be"),
        (("state", "classes", "values"), ["y", "x", "z"], "classes should be in order"),
        (("state", "run", "examples_seen"), 7, "every example should be a round"),
        (("state", "run", "book", "limit"), None, "run should be one with these parameters"),
        (("answers_by",), "vote", "answers_by should be a predictor"),
    ],
)
def test_load_rejects_changed_files(where, value, sentence, tmp_path):
    with pytest.raises(ModelError, match=sentence):
        load(changed(learned(), tmp_path / "model", where, value))


@pytest.mark.parametrize(
    "command", [["predict", "MODEL", "rows"], ["inspect", "MODEL"], ["convert", "MODEL", "m.json"]]
)
def test_commands_reject_online_learners(command, tmp_path, run):
    save(learned(), tmp_path / "model")
    (tmp_path / "rows").write_text("1 1:1\n")
    result = run(
        *[str(tmp_path / {"MODEL": "model"}.get(part, part)) if i else part for i, part in enumerate(command)]
    )
    assert result.code == 1
    assert "holds online.Classifier: use it in Python" in result.err


def test_every_online_learner_is_saved():
    assert len(list(model_data.online_learners())) == model_data.ONLINE_LEARNERS


@pytest.mark.parametrize(("number", "value"), [("square", -1.0), ("seen", -1.0), ("noise", 1.5)])
def test_load_rejects_changed_calibrations(number, value, tmp_path):
    learner = online.Classifier(probabilities=True)
    for x, y in (({"a": 1.0}, "x"), ({"b": 1.0}, "y")):
        learner.add_example(x, y)
    header, arrays = models.contents(models.Model(learner))
    arrays["state.calibration"] = np.array(arrays["state.calibration"])
    arrays["state.calibration"][FIELDS.index(number)] = value
    (tmp_path / "model").write_bytes(archive.packed(header, arrays))
    with pytest.raises(ModelError, match="calibration should be"):
        load(tmp_path / "model")


def test_integer_names_stay_integers(tmp_path):
    learner = online.Classifier()
    rounds = [({1: 2.0, "1": 1.0, 7: "seven"}, "a"), ({np.int64(2): 1.0, "7": "seven"}, "b"), ({1: 1.0}, "b")]
    for x, y in rounds:
        learner.add_example(x, y)
    save(learner, tmp_path / "model")
    again = load(tmp_path / "model")
    for x in (*(x for x, _ in rounds), {1: 1.0}, {"1": 1.0}, {2: 1.0}, {"2": 1.0}, {7: "seven"}):
        assert again.decision_function(x) == learner.decision_function(x)
    assert again.decision_function({1: 1.0}) != again.decision_function({"1": 1.0})
    header, arrays = models.contents(models.Model(learner))
    (integers,) = (name for name in arrays if name.endswith("flag_is_integer"))
    forged = arrays | {integers: np.ones_like(arrays[integers])}
    archive.write(tmp_path / "forged", header, forged)
    with pytest.raises(ModelError, match="flags should be different from each other"):
        load(tmp_path / "forged")
