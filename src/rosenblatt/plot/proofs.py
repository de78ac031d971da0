"""The two quantities of the proof, each with the bound of its lemma."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._types import Array
from rosenblatt.plot.axes import axis
from rosenblatt.plot.colours import BLUE, VERMILION
from rosenblatt.theory.certificates import Certificate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def proof(certificate: Certificate, ax: Axes | None = None) -> Axes:
    r"""Plot v_k · u, which grows at least like k, and ‖v_k‖, which grows at most like √k.

    As v_k · u ≤ ‖v_k‖, the first cannot overtake the second, and so k is bounded. If u does not separate the
    data, the lower bound of v_k · u may be far below 0, and is not drawn.

    Parameters
    ----------
    certificate
        What `estimator.certificate(X, y)` returns; for one-vs-rest, one of them.
    ax
        Where to draw; None for a new figure, `ax.figure`.

    Examples
    --------
    >>> from rosenblatt import PerceptronClassifier, plot
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> clf = PerceptronClassifier(rule="perceptron", shuffle=False).fit(X, y)
    >>> ax = plot.proof(clf.certificate(X, y))
    >>> [line.get_label() for line in ax.lines]
    ['$\\Vert v_k\\Vert$', 'at most $\\sqrt{kR}$', '$v_k \\cdot u$', 'at least $k\\gamma$']
    """
    _check(certificate)
    ax = axis(ax)
    k = np.arange(1, certificate.corrections + 1)
    ceiling, floor = np.sqrt(certificate.length_ceiling), certificate.progress_floor
    ax.plot(k, np.sqrt(certificate.length_squared), color=BLUE, label=r"$\Vert v_k\Vert$")
    ax.plot(k, ceiling, color=BLUE, linestyle="--", label=_ceiling_name(certificate, k))
    ax.plot(k, certificate.progress, color=VERMILION, linewidth=2.5, label=r"$v_k \cdot u$")
    if certificate.separable:
        ax.plot(k, floor, color=VERMILION, linestyle="--", label=_floor_name(certificate, k))
    ax.set(xlabel="corrections k", title=r"The proof: $v_k \cdot u \leq \Vert v_k\Vert$")
    ax.legend(frameon=False)
    return ax


def _check(certificate: Any) -> None:
    if not isinstance(certificate, Certificate):
        many = f" of {len(certificate)}, one per class: pass one" if isinstance(certificate, list) else ""
        raise ValueError(f"A proof is that of one certificate. Got {type(certificate).__name__}{many}.")
    if not certificate.corrections:
        raise ValueError("There is nothing to prove: this run made no correction.")


# The steps of rules other than the perceptron's, or with weights, are not all 1: then a sum replaces k, and
# the name of the lemma its formula.


def _floor_name(certificate: Certificate, k: Array) -> str:
    plain = np.allclose(certificate.progress_floor, k * certificate.margin)
    return r"at least $k\gamma$" if plain else r"at least $\gamma$ for each step of 1"


def _ceiling_name(certificate: Certificate, k: Array) -> str:
    plain = np.allclose(certificate.length_ceiling, k * certificate.radius_squared)
    return r"at most $\sqrt{kR}$" if plain else "what lemma 2 allows"
