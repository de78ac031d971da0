"""Errors of exports, and the command `convert`."""

import builtins
import json
import re
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from fixtures.export_data import (
    TAGS,
    THREE,
    TWO,
    WORDS,
    X,
    fitted,
    read,
    tagger,
)
from fixtures.kernel_laws import dot
from rosenblatt import PerceptronClassifier, PerceptronTagger, kernels, save
from rosenblatt.cli import commands
from rosenblatt.kernels import RBF, Constant, Linear
from rosenblatt.persistence import exported, onnx, to_json, to_onnx


def precomputed():
    return PerceptronClassifier("precomputed").fit(X @ X.T, TWO)


def on_objects(kernel):
    return PerceptronClassifier(kernel).fit(list(X), TWO)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fitted(predictor="vote"), "predictor='vote': set the predictor to 'average'"),
        (lambda: fitted(RBF(gamma=1.0), predictor="sample"), "predictor='sample': set the predictor"),
        (lambda: fitted(keep_examples=False).set_params(predictor="best"), "keep_examples=True"),
        (precomputed, "learn with the kernel that the matrix came from"),
        (lambda: fitted(kernels.Matrix(lambda A, B: A @ B.T)), "only Python evaluates"),
        (lambda: fitted((Linear() + kernels.Function(dot)).normalized()), r"Got Function\(dot\)"),
        (lambda: on_objects(kernels.Function(dot)), r"Got Function\(dot\)"),
        (lambda: on_objects(Constant(2)), "which looks at none"),
        (lambda: make_pipeline(PerceptronClassifier()), "Got Pipeline: export the learner inside it"),
        (PerceptronClassifier, "not fitted yet"),
    ],
)
@pytest.mark.parametrize("export", [to_onnx, to_json])
def test_exports_reject_unsupported_learners(export, make, words):
    pytest.importorskip("onnx")
    with pytest.raises((ValueError, NotFittedError), match=words):
        export(make())


def test_to_onnx_rejects_taggers():
    pytest.importorskip("onnx")
    with pytest.raises(ValueError, match="Got PerceptronTagger: write it as JSON"):
        to_onnx(tagger("words")[0])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"hashing": 64}, "hashing=64, which forgets names"),
        ({"kernel": RBF(gamma=1.0)}, "Got one with a kernel"),
        ({"predictor": "vote"}, "set the predictor to 'average'"),
    ],
)
def test_to_json_rejects_taggers_without_named_weights(options, words):
    with pytest.raises(ValueError, match=words):
        to_json(PerceptronTagger(max_iter=1, **options).fit(WORDS, TAGS))


def test_to_onnx_rejects_oversized_arrays(monkeypatch):
    pytest.importorskip("onnx")
    many, few = fitted(RBF(gamma=1.0), rows=sp.csr_array(X)), fitted()
    monkeypatch.setattr(onnx, "MOST_BYTES", 40)
    support = exported.guess_of(many).vectors.shape[0]
    with pytest.raises(ValueError, match=f"support vectors as a dense array.* Got one of {support} × 3"):
        to_onnx(many)
    to_onnx(few)  # three weights
    short = fitted(RBF(gamma=1.0), THREE, X[:, :1])
    monkeypatch.setattr(onnx, "MOST_BYTES", exported.guess_of(short).vectors.nbytes)
    with pytest.raises(ValueError, match="coefficients as a dense array"):
        to_onnx(short)
    monkeypatch.setattr(onnx, "MOST_BYTES", 16)
    with pytest.raises(ValueError, match=r"weights as a dense array.* Got one of 3 × 1"):
        to_onnx(few)


@pytest.mark.parametrize("classes", [[0.5, 1.5], [1, 2**63]])
def test_to_onnx_rejects_unsupported_labels(classes):
    pytest.importorskip("onnx")
    learner = fitted()
    learner.classes_ = np.array(classes)
    with pytest.raises(ValueError, match="Labels in ONNX are strings or 64-bit integers"):
        to_onnx(learner)


def test_to_onnx_names_the_pip_line_if_onnx_is_missing(monkeypatch):
    true = builtins.__import__

    def without(name, *rest):
        if name == "onnx":
            raise ImportError(name)
        return true(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=re.escape("ONNX needs onnx: pip install 'rosenblatt[onnx]'")):
        to_onnx(fitted())


# The command


@pytest.fixture
def convert(monkeypatch, capsys, tmp_path):
    """Run the command in a temporary folder and return its exit status, output and errors."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["rosenblatt", "convert", *arguments])
        capsys.readouterr()
        try:
            commands.main()
            return 0, *capsys.readouterr()
        except SystemExit as end:
            return end.code or 0, *capsys.readouterr()

    return call


def test_convert_chooses_the_format_by_suffix(convert, tmp_path):
    pytest.importorskip("onnx")
    learner = fitted(RBF(gamma=0.5), predictor="vote")
    save(learner, tmp_path / "m", names=["a", "b", "c"])
    learner.set_params(predictor="average")
    code, out, err = convert("m", "out.ONNX", "--predictor", "average")
    assert code == 0, err
    assert "written as  onnx" in out
    assert (tmp_path / "out.ONNX").read_bytes() == to_onnx(learner)
    result = json.loads(convert("m", "out.json", "--predictor", "average", "--json")[1])
    assert (tmp_path / "out.json").read_text() == to_json(learner, ["a", "b", "c"])
    assert result == {
        "written_as": "json",
        "bytes": (tmp_path / "out.json").stat().st_size,
        "estimator": "PerceptronClassifier",
        "kernel": "RBF(gamma=0.5)",
        "predictor": "average",
    }
    assert convert("m", "model.txt", "--to", "json", "--predictor", "average")[0] == 0
    assert (tmp_path / "model.txt").read_bytes() == (tmp_path / "out.json").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["m", "out.txt"], 2, "OUT must end in .onnx or .json"),
        (["m", "out.onnx"], 1, "set the predictor to 'average'"),
        (["m", "out.json", "--to", "xml"], 2, "xml"),
        (["t", "out.onnx"], 1, "Got PerceptronTagger: write it as JSON"),
        (["nowhere", "out.json"], 1, "nowhere: No such file"),
        (["m"], 2, "OUT"),
    ],
)
def test_convert_reports_errors_and_writes_nothing(convert, tmp_path, arguments, code, words):
    pytest.importorskip("onnx")
    save(fitted(predictor="vote"), tmp_path / "m")
    save(tagger("words")[0], tmp_path / "t")
    found, _, err = convert(*arguments)
    assert found == code
    assert words in err
    assert "Traceback" not in err
    assert not list(tmp_path.glob("out*"))


def test_convert_writes_taggers_as_json(convert, tmp_path):
    learner, _ = tagger("words")
    save(learner, tmp_path / "t")
    assert convert("t", "t.json")[0] == 0
    assert json.loads((tmp_path / "t.json").read_text()) == read(learner)
