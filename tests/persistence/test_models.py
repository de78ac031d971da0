"""Model files: round trips, errors of broken files, and atomic writes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from safetensors import numpy as tensors
from sklearn.pipeline import make_pipeline

from fixtures import model_data
from rosenblatt import PerceptronClassifier, PerceptronTagger, kernels, load, save
from rosenblatt._atomic import replace_file
from rosenblatt.persistence import ModelError, archive, load_model, models

X, TWO, THREE = model_data.X, model_data.TWO, model_data.THREE
RBF = kernels.RBF(gamma=1.0)


def same(found, expected):
    return np.array_equal(found, expected) if isinstance(expected, np.ndarray) else found == expected


@pytest.mark.parametrize("kind", ["classifiers", "rankers", "taggers", "named"])
def test_load_restores_the_learner(kind, tmp_path):
    path = tmp_path / "model.rosenblatt"
    for learner, asked in getattr(model_data, kind)():
        save(learner, path)
        again = load(path)
        assert type(again) is type(learner)
        assert repr(again) == repr(learner)
        assert again.ledger_ == learner.ledger_
        if asked is not None:
            assert same(again.predict(asked[0]), learner.predict(asked[0]))
        first = path.read_bytes()
        save(again, path)
        assert path.read_bytes() == first


@pytest.mark.parametrize("kind", ["classifiers", "rankers", "taggers", "named"])
def test_partial_fit_after_load_writes_the_same_bytes(kind, tmp_path):
    path = tmp_path / "model.rosenblatt"
    learners = [
        (learner, asked)
        for learner, asked in getattr(model_data, kind)()
        if asked is not None and not getattr(learner, "class_weight", None)  # weights of classes are for fit
    ]
    assert len(learners) > 2
    for learner, asked in learners:
        save(learner, path)
        again = load(path)
        again.partial_fit(*asked)
        learner.partial_fit(*asked)
        save(again, path)
        first = path.read_bytes()
        save(learner, path)
        assert path.read_bytes() == first


def test_load_restores_predictors_certificate_and_explanations(tmp_path):
    learner = PerceptronClassifier(kernels.Polynomial(2), random_state=0).fit(X, THREE)
    save(learner, tmp_path / "model")
    again = load(tmp_path / "model")
    for predictor in ("last", "best", "average", "vote", "sample"):
        assert same(
            again.set_params(predictor=predictor).predict(X),
            learner.set_params(predictor=predictor).predict(X),
        )
    assert str(again.certificate(X, THREE)) == str(learner.certificate(X, THREE))
    again.predictor = learner.predictor = "average"
    assert str(again.explain(X[0])) == str(learner.explain(X[0]))


def test_load_restores_feature_names(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["größe", "b", "c"])
    save(PerceptronClassifier().fit(frame, TWO), tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.feature_names_in_.tolist() == ["größe", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        again.predict(frame[["b", "c", "größe"]])


@pytest.mark.parametrize(
    "labels",
    [[1, 2, 3], [0.0, 1.0], [True, False], ["a", "b"], np.array(["x", "yy"], object), np.int8([1, 2])],
)
def test_load_restores_the_type_of_labels(labels, tmp_path):
    labels = np.asarray(labels)
    y = labels[np.arange(60) % len(labels)]
    save(PerceptronClassifier(max_iter=1).fit(X, y), tmp_path / "model")
    again = load(tmp_path / "model").classes_
    assert again.dtype == labels.dtype
    assert again.tolist() == np.unique(labels).tolist()


def test_load_model_restores_notes(tmp_path):
    notes = {"columns": ["a", "b"], "label": "ç"}
    save(PerceptronClassifier().fit(X, TWO), tmp_path / "model", notes)
    assert load_model(tmp_path / "model").notes == notes


def first_words(path):
    with pytest.raises(ModelError) as refused:
        load(path)
    return str(refused.value)


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.rosenblatt"
    save(PerceptronClassifier(kernels.RBF(gamma=1.0), random_state=0).fit(X, THREE), path)
    return path


def test_load_rejects_truncated_and_flipped_bytes(model):
    whole = model.read_bytes()
    for size in (0, 1, 7, 8, 9, 100, len(whole) // 2, len(whole) - 1):
        model.write_bytes(whole[:size])
        assert "cannot be read as a model" in first_words(model)
    for at in range(0, len(whole), 97):
        model.write_bytes(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :])
        assert "cannot be read as a model" in first_words(model)


def test_load_rejects_other_files(tmp_path, model):
    (tmp_path / "text").write_text("label,a,b\n")
    assert "does not begin as one" in first_words(tmp_path / "text")
    (tmp_path / "arrays").write_bytes(tensors.save({"a": np.zeros(3)}))
    assert "not those of a learner" in first_words(tmp_path / "arrays")
    assert "is a folder" in first_words(tmp_path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere")


def test_load_rejects_later_formats(model):
    header, arrays = archive.read(model)
    model.write_bytes(archive.packed(header | {"format": 2, "library": "9.9"}, arrays))
    assert "written in format 2 by rosenblatt 9.9" in first_words(model)
    assert "Install a later one" in first_words(model)


def forge(model, change):
    header, arrays = archive.read(model)
    change(header, arrays)
    model.write_bytes(archive.packed(header, arrays))
    return first_words(model)


def test_load_rejects_forged_files(model):
    _, arrays = archive.read(model)
    whole = model.read_bytes()

    def entry(name, value):
        def change(header, arrays):
            arrays[name] = arrays[name].copy()
            arrays[name].reshape(-1)[-1] = value

        return change

    cases = {
        "ids should be from 0 to 58": lambda h, a: h["fitted"]["run"].update(rows_seen=59),
        "rows that are stored": lambda h, a: (
            h["fitted"]["run"].update(rows_seen=100),
            entry("fitted.run.guess.rows.ids", 99)(h, a),
        ),
        "NaN or infinity": entry("fitted.run.guess.coefficients", np.nan),
        "should be an array of": lambda h, a: a.update({"fitted.run.guess.coefficients": np.zeros((2, 2))}),
        "is missing": lambda h, a: a.pop("fitted.run.guess.rows.values"),
        "expression of this library": lambda h, a: h["fitted"]["run"]["guess"].update(
            kernel="__import__('os').system('true')"
        ),
        "rounds played": lambda h, a: h["fitted"]["run"]["book"].update(rounds=3),
        "the parameters of": lambda h, a: h["parameters"].update(more=1),
        "different labels": lambda h, a: h["fitted"]["classes"].update(values=["a", "a", "b"]),
        "should fit the classes": lambda h, a: h["fitted"]["classes"].update(values=["a", "b"]),
        "rows should be stored once": entry(
            "fitted.run.guess.rows.ids", arrays["fitted.run.guess.rows.ids"][0]
        ),
    }
    for words, change in cases.items():
        model.write_bytes(whole)
        assert words in forge(model, change), words


@pytest.mark.slow
def test_load_survives_mutated_files(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "fixtures.mutations", tmp_path, "1000"],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    tally = json.loads(done.stdout)
    assert sum(tally.values()) == 1000
    assert tally["refused"] > 800


def test_save_rejects_unsupported_learners(tmp_path):
    target = tmp_path / "model"
    with pytest.raises(ValueError, match="Python functions"):
        save(PerceptronClassifier(kernels.Matrix(lambda a, b: a @ b.T)).fit(X, TWO), target)
    with pytest.raises(ValueError, match="holds no functions"):
        save(PerceptronTagger(features=lambda s, i: [s[i]]).fit([["a", "b"]], [["x", "y"]]), target)
    with pytest.raises(ValueError, match="random_state must be"):
        save(PerceptronClassifier(random_state=np.random.default_rng(0)).fit(X, TWO), target)
    with pytest.raises(ValueError, match="Got Pipeline"):
        save(make_pipeline(PerceptronClassifier()).fit(X, TWO), target)
    with pytest.raises(Exception, match="not fitted"):
        save(PerceptronClassifier(), target)
    assert list(tmp_path.iterdir()) == []


def test_replace_file_keeps_the_old_file_on_failure(tmp_path, monkeypatch):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    for step in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
            with pytest.raises(OSError, match="No space"):
                replace_file(path, b"new")
        assert path.read_bytes() == b"old"
        assert [each.name for each in tmp_path.iterdir()] == ["model"]


def test_replace_file_keeps_the_old_file_on_a_full_disk(tmp_path):
    """A limit on the size of files fails in the middle of writing, as a full disk does."""
    path = tmp_path / "model"
    path.write_bytes(b"old")
    code = (
        "import resource, signal, sys; from rosenblatt._atomic import replace_file\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))\n"
        "replace_file(sys.argv[1], b'x' * 100)"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=False)
    assert "File too large" in done.stderr
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["model"]


def test_replace_file_keeps_mode_and_links(tmp_path):
    path, link = tmp_path / "model", tmp_path / "link"
    replace_file(path, b"first")
    path.chmod(0o600)
    link.symlink_to(path)
    replace_file(link, b"second")
    assert link.is_symlink()
    assert path.read_bytes() == b"second"
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(IsADirectoryError, match="Got the folder"):
        replace_file(tmp_path, b"x")


def test_packed_model_is_deterministic():
    learners = [PerceptronClassifier(random_state=0).fit(X, THREE) for _ in range(2)]
    one, two = (archive.packed(*models.contents(models.Model(learner))) for learner in learners)
    assert one == two


@pytest.mark.parametrize(
    ("name", "index", "value", "words"),
    [
        ("rows.features", -1, 99, "features should be those there are"),
        ("rows.features", -1, -1, "features should be those there are"),
        ("rows.features", 1, 0, "features of a row should rise"),
        ("rows.starts", 1, 10**6, "rows should follow each other"),
        ("rows.starts", -1, 10**6, "rows should fill their arrays"),
        ("book.entries", -2, 7, "outputs that there are"),
        ("book.entries", -4, 10**6, "entries should belong to corrections"),
        ("book.entries", -3, 0.5, "integers"),
        ("book.corrections", 2, 3, "heads should be those of the game"),
        ("book.corrections", 0, 10**9, "order of rounds"),
        ("book.corrections", 5, 0.5, "wrong should be"),
    ],
)
def test_load_checks_what_compiled_loops_rely_on(tmp_path, name, index, value, words):
    path = tmp_path / "model"
    save(PerceptronClassifier(RBF, random_state=0).fit(sp.csr_array(X), THREE), path)

    def change(header, arrays):
        where = "fitted.run." + ("guess." + name if name.startswith("rows") else name)
        arrays[where] = arrays[where].copy()
        arrays[where].reshape(-1)[index] = value

    assert words in forge(path, change)


def test_load_restores_names_and_what_makes_features(tmp_path):
    for learner, (X, *_) in model_data.named():
        save(learner, tmp_path / "model")
        again = load(tmp_path / "model")
        assert (again.features, again.hashing) == (learner.features, learner.hashing)
        assert getattr(again, "vocabulary_", None) == getattr(learner, "vocabulary_", None)
        assert same(
            again.decision_function(["new", *X[1:]] if learner.features else X),
            learner.decision_function(["new", *X[1:]] if learner.features else X),
        )
        assert str(again.explain(X[0])) == str(learner.explain(X[0]))


@pytest.mark.parametrize("function", [str.split, len, lambda text: [text]])
def test_save_rejects_functions_that_make_features(function, tmp_path):
    learner = PerceptronClassifier(features=str.split).fit(["a b", "c"], [0, 1]).set_params(features=function)
    with pytest.raises(
        ValueError, match=r"holds no functions\. Got features=.*: learn from what it makes, such as"
    ):
        save(learner, tmp_path / "model")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda header, _: header["fitted"].pop("vocabulary"), "there should be a vocabulary"),
        (lambda header, _: header["parameters"].update(hashing=4), "hashed names should not be listed"),
        (lambda header, _: header["parameters"].update(features="letters"), "parameters should be possible"),
        (
            lambda header, _: header["parameters"].update(features={"features": ["eval", {}]}),
            "a value should be of a known kind",
        ),
        (
            lambda header, _: header["parameters"].update(features={"features": ["Words", {"ngrams": -1}]}),
            "a value should be of a known kind",
        ),
        (lambda header, _: header["fitted"].update(features=2), "as many names as features"),
        (
            lambda header, _: header["parameters"].update(kernel="precomputed"),
            "parameters should be possible",
        ),
        (
            lambda _, arrays: arrays["fitted.vocabulary.flag_numbers"].__setitem__(0, 1),
            "every feature should have an id",
        ),
    ],
)
def test_load_rejects_forged_names(change, words, tmp_path):
    save(PerceptronClassifier(features="words").fit(["a b", "c"], [0, 1]), tmp_path / "model")
    forge(tmp_path / "model", change)
    assert words in first_words(tmp_path / "model")
