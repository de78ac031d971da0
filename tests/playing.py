"""What the tests of the learner share: data on which arithmetic is exact, and one way to run anything."""

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from rosenblatt.engine.learner import play
from rosenblatt.engine.run import Examples, begin
from rosenblatt.games import Argmax, Binary, OneVsRest
from rosenblatt.kernels import Linear, Polynomial
from rosenblatt.rules import Margin, Perceptron

CUBIC = Polynomial(3)
GAMES = {"binary": (Binary(), 2), "argmax": (Argmax(3), 3), "one-vs-rest": (OneVsRest(3), 3)}
RULES = {"perceptron": Perceptron(), "eta": Perceptron(eta=0.5), "margin": Margin(beta=3.0)}


@st.composite
def labelled_points(draw, classes=2, most=24):
    """Points with small whole numbers as coordinates, each with a class."""
    rows, width = draw(st.integers(1, most)), draw(st.integers(1, 4))
    X = draw(
        st.lists(st.lists(st.integers(-3, 3), min_size=width, max_size=width), min_size=rows, max_size=rows)
    )
    y = draw(st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows))
    return np.array(X, dtype=float), np.array(y)


@st.composite
def games_and_points(draw):
    game, classes = GAMES[draw(st.sampled_from(sorted(GAMES)))]
    X, y = draw(labelled_points(classes))
    return game, X, y


@st.composite
def games_and_wide_points(draw):
    """Rows long enough for vector instructions, and for what is left over after them."""
    game, classes = GAMES[draw(st.sampled_from(sorted(GAMES)))]
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    rows, width = draw(st.integers(1, 24)), draw(st.integers(0, 40))
    return game, random.integers(-3, 4, (rows, width)).astype(float), random.integers(0, classes, rows)


def orders_of(rows, epochs, seed=None):
    """The given order in every epoch, or one drawn from a seed."""
    random = np.random.default_rng(seed)
    return [np.arange(rows) if seed is None else random.permutation(rows) for _ in range(epochs)]


def a_run(
    game,
    X,
    y,
    *,
    kernel=None,
    epochs=2,
    player=play,
    seed=None,
    rule=None,
    weights=None,
    intercept=False,
    start=None,
    keep=True,
    **options,
):
    """A run of any game over these points by any of the players."""
    run = begin(
        game, features=X.shape[1], kernel=kernel, rule=rule, intercept=intercept, start=start, keep=keep
    )
    examples = Examples(run.number(X), y, weights=weights)
    player(run, examples, orders_of(X.shape[0], epochs, seed), **options)
    return run


def sparse(X):
    """The same points as a canonical CSR array."""
    result = sp.csr_array(X)
    result.indptr = result.indptr.astype(np.int64)
    return result


__all__ = [
    "CUBIC",
    "GAMES",
    "RULES",
    "Linear",
    "a_run",
    "games_and_points",
    "games_and_wide_points",
    "labelled_points",
    "orders_of",
    "sparse",
]
