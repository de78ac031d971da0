r"""Export of a learner as JSON, from which its answers can be computed in any language.

All numbers read back to the last bit, and none is NaN or infinite. Every object has `rosenblatt`, the version
that wrote it; `estimator`, the class of the learner; and `predictor`, which of its guesses this is.

**Classifiers and rankers.** They have `features`, the number of features of a row, and `names`, their names
or null. If `reads` is "arrays", x[f] is element f of a row; if it is "names", x[f] is the value of the
feature `names[f]` of an example, found as for taggers below, and 0 if it has none. With a kernel, features
that are not listed count in ⟨x, x⟩. A classifier has `classes`, and `ties` if there are two. There is one
output for two classes and for a ranker, and else one per class. If rows have sets of labels, `multilabel` is
true, `classes` are the labels, and there is one output for each of them. The score of a row x in output o is

- without a kernel, `intercepts[o]` + Σ_f `coefficients[o][f]` · x[f];
- with one, Σ_s `coefficients[o][s]` · (k(x, `vectors[s]`) + `constant`).

Of two classes the second is predicted if the score is above 0, or with `ties` "positive" at least 0; of
more, the first of those with the highest score. Of labels all are predicted whose score is above 0, or with
`ties` "positive" at least 0. A ranker puts higher scores first.

A classifier has `calibration`, which is null if it was not calibrated, and else has `slope`, `offset` and
`noise`. Of two classes the second has the probability 1 / (1 + exp(−slope · score − offset)). Of K classes,
class k has (1 − noise) · exp(slope · `scores[k]`) / Σ_j exp(slope · `scores[j]`) + noise / K.

A vector is a list of its values; or, if rows were sparse, an object: `at` lists the indices of the features
that are not 0, counted from 0, and `values` their values.

`expression` is the kernel as this library writes it, and `kernel` the same as a tree of objects:

=========== ================== ===========================================
`kernel`    has                k(x, z)
=========== ================== ===========================================
Linear                         ⟨x, z⟩
Constant    value              value
Polynomial  degree coef0 gamma (gamma · ⟨x, z⟩ + coef0)^degree
RBF         gamma              exp(−gamma · (⟨x, x⟩ + ⟨z, z⟩ − 2⟨x, z⟩))
Sigmoid     gamma coef0        tanh(gamma · ⟨x, z⟩ + coef0)
Sum         left right         left(x, z) + right(x, z)
Product     left right         left(x, z) · right(x, z)
Scaled      factor of          factor · of(x, z)
Power       of degree          of(x, z)^degree
Normalized  of                 of(x, z) / √of(x, x) / √of(z, z)
=========== ================== ===========================================

**Taggers.** They have `labels`; `weights`, from the name of a feature to pairs [label, weight], labels being
counted from 0 and weights of 0 left out; `intercepts`, one per label; `transitions`, in row i, column j, the
score of label j after label i; `first` and `last`, the scores of labels at the beginning and at the end. A
null forbids the path. The score of a path is the sum of

- for every token, the intercept of its label, and the weights for it of all features of the token, times
  their values; features without weights are ignored;
- `first` of the first label, `last` of the last, and the transitions between.

The path with the highest score is predicted; of equals, the one whose last label comes first, then the one
whose label before the last does, and so on.

The features of a token depend on `reads`.

- "names": tokens are objects, or lists of names. A string under a name is the feature `name=string`, with the
  value 1; a number is the value of the feature with that name; true, or a name in a list, is 1.
- "arrays": tokens are lists of numbers. Element i, counted from 0, is the value of the feature `x[i]`.
- "templates": tokens are strings, or lists of strings, their columns. Every one of `templates` gives one
  feature, with the value 1, named by its `parts` joined with " & ". The name of a part is its `called`, "=",
  and what it sees: the string in `column` of the token `offset` tokens on, after its `steps`. These are pairs
  [function, size]: "prefix" and "suffix" are the first and last `size` characters; "lower", lower case;
  "has_digit", "has_hyphen", "is_title" and "is_upper" give "yes" or "no"; "shape" writes X, x, w and 9 for
  upper-case, lower-case and other letters and for digits, leaves the rest, and cuts runs of one character to
  two. k tokens before the first token, a part sees "(start-k)", whatever the steps, and k after the last
  "(end+k)".

A template whose `pairs` is true is one of pairs of labels. For every token but the first it gives a feature
whose name ends in " after LABEL", LABEL being that of the token before; its weights count for the label of
the token. If there are such templates, the intercept counts twice for every token but the first.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import scipy.sparse as sp

from rosenblatt._types import Data
from rosenblatt.estimators.classifier import PerceptronClassifier
from rosenblatt.estimators.ranker import PerceptronRanker
from rosenblatt.estimators.tagger import PerceptronTagger
from rosenblatt.games import Binary, MultiLabel
from rosenblatt.kernels import RBF, Kernel
from rosenblatt.persistence.exported import (
    LinearGuess,
    calibration_of,
    check_names,
    check_single,
    guess_of,
    plain_classes,
)
from rosenblatt.persistence.json_tagger import tagger_values
from rosenblatt.version import __version__


def to_json(estimator: Any, names: Sequence[str] = ()) -> str:
    """Return a fitted estimator as a JSON string, in the format that this module's docstring describes.

    It holds one guess, so the predictor must be "last", "best", "average" or "recent".

    Parameters
    ----------
    names
        The names of features; by default those of the data frame that the learner was fitted on.

    Examples
    --------
    >>> from rosenblatt import PerceptronClassifier
    >>> both = PerceptronClassifier(rule="perceptron", predictor="last", shuffle=False)
    >>> both = both.fit([[0, 0], [0, 1], [1, 0], [1, 1]], [False, False, False, True])
    >>> found = json.loads(to_json(both, ["left", "right"]))
    >>> found["names"], found["coefficients"], found["intercepts"]
    (['left', 'right'], [[3.0, 2.0]], [-4.0])
    """
    if not isinstance(estimator, PerceptronClassifier | PerceptronRanker | PerceptronTagger):
        raise ValueError(
            "JSON holds a PerceptronClassifier, a PerceptronRanker or a PerceptronTagger. Got "
            f"{type(estimator).__name__}: export the learner inside it, if there is one."
        )
    check_single(estimator)
    values = {
        "rosenblatt": __version__,
        "estimator": type(estimator).__name__,
        "predictor": estimator.predictor,
    }
    if isinstance(estimator, PerceptronTagger):
        values |= tagger_values(estimator.task_, estimator.predictor)
    else:
        check_names(estimator)
        values |= _classes(estimator) | _features(estimator, names) | _guess(estimator)
    return json.dumps(values, ensure_ascii=False, allow_nan=False)


def _classes(estimator: Any) -> dict[str, Any]:
    if not isinstance(estimator, PerceptronClassifier):
        return {}
    game = estimator.run_.game
    ties = {"ties": game.ties} if isinstance(game, Binary | MultiLabel) else {}
    several = {"multilabel": True} if isinstance(game, MultiLabel) else {}
    found = calibration_of(estimator)
    calibration = None if found is None else vars(found)
    return {"classes": plain_classes(estimator.classes_), "calibration": calibration} | ties | several


def _features(estimator: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return the number of features, their names, and whether examples are rows of numbers or have names."""
    features, vocabulary = int(getattr(estimator, "n_features_in_", 0)), estimator.task_.vocabulary
    known = getattr(estimator, "feature_names_in_", ()) if vocabulary is None else estimator.vocabulary_
    found = list(map(str, names)) or list(map(str, known))
    if found and len(found) != features:
        raise ValueError(f"There must be a name for each of the {features} features. Got {len(found)}.")
    reads = "arrays" if vocabulary is None else "names"
    return {"features": features, "names": found or None, "reads": reads}


def _guess(estimator: Any) -> dict[str, Any]:
    """Return weights, or support vectors with a kernel."""
    guess = guess_of(estimator)
    if isinstance(guess, LinearGuess):
        return {"coefficients": guess.weights.T.tolist(), "intercepts": guess.intercepts.tolist()}
    return {
        "expression": repr(guess.kernel),
        "kernel": _tree(guess.kernel),
        "constant": guess.constant,
        "coefficients": guess.coefficients.T.tolist(),
        "vectors": _rows(guess.vectors),
    }


def _tree(kernel: Kernel) -> dict[str, Any]:
    """Return a kernel as nested objects."""
    result: dict[str, Any] = {"kernel": type(kernel).__name__}
    if isinstance(kernel, RBF):
        return result | {"gamma": kernel.rate}
    for name, value in vars(kernel).items():
        result["of" if name == "kernel" else name] = _tree(value) if isinstance(value, Kernel) else value
    return result


def _rows(data: Data) -> list[Any]:
    """Return dense rows as lists, sparse ones as indices and values."""
    if not sp.issparse(data):
        return list(data.tolist())
    cuts = zip(data.indptr[:-1].tolist(), data.indptr[1:].tolist(), strict=True)
    return [{"at": data.indices[a:b].tolist(), "values": data.data[a:b].tolist()} for a, b in cuts]
