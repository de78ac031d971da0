"""Feature maps of dense and sparse rows, and maps that are rejected."""

import itertools
import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from fixtures import kernel_laws as laws
from rosenblatt.kernels import RBF, Constant, Function, Linear, Matrix, Polynomial, Precomputed, maps


def monomials_one_at_a_time(x, degree):
    """Return the monomials of a vector by the multinomial theorem, ordered by feature indices."""
    result = {}
    for chosen in itertools.combinations_with_replacement(range(len(x)), degree):
        times = [chosen.count(i) for i in set(chosen)]
        coefficient = math.factorial(degree) // math.prod(math.factorial(t) for t in times)
        result[chosen] = math.sqrt(coefficient) * math.prod(x[i] for i in chosen)
    return [result[chosen] for chosen in sorted(result, key=lambda chosen: chosen[::-1])]


@given(laws.rows(), st.integers(1, 4))
def test_monomials_match_the_multinomial_theorem(X, degree):
    expected = [monomials_one_at_a_time(x, degree) for x in X]
    laws.is_close(maps.monomials(X, degree), expected)
    laws.is_close(maps.monomials(sp.csr_array(X), degree).toarray(), expected)


@given(laws.expressions(laws.FINITE), laws.rows(max_features=2))
def test_feature_map_of_sparse_rows_equals_that_of_dense_rows(kernel, X):
    if kernel.dimension(X.shape[1]) > 20_000:
        return
    features = kernel.feature_map(sp.csr_array(X))
    assert sp.issparse(features)
    assert features.format == "csr"
    laws.is_close(features.toarray(), kernel.feature_map(X))


def test_monomials_accept_unsorted_sparse_rows():
    entries = np.array([5.0, 2.0, 3.0]), np.array([2, 0, 1]), np.array([0, 3])
    features = maps.monomials(sp.csr_array(entries, shape=(1, 3)), 2)
    laws.is_close(features.toarray(), [monomials_one_at_a_time([2.0, 3.0, 5.0], 2)])


def test_feature_map_has_the_root_two_of_the_source():
    x1, x2 = 3.0, 5.0
    features = sorted(Polynomial(2).feature_map([[x1, x2]]).ravel())
    root = math.sqrt(2)
    laws.is_close(features, sorted([x1 * x1, root * x1 * x2, x2 * x2, root * x1, root * x2, 1]))


def test_feature_map_of_products_is_exact_on_integers():
    features = ((Linear() + 1) * (Linear() + 1)).feature_map([[2, 3]])
    assert features.tolist() == [[4, 6, 2, 6, 9, 3, 2, 3, 1]]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_feature_map_stays_float32(form):
    X = form(np.array([[1, 2], [0, 1]], np.float32))
    kernel = (2 * Linear() + Polynomial(3) * Constant(2)).normalized() ** 2
    assert kernel.feature_map(X).dtype == np.float32


def test_feature_map_is_a_copy():
    X = np.ones((2, 2))
    Linear().feature_map(X)[:] = 7
    assert X.tolist() == [[1, 1], [1, 1]]


def test_feature_map_accepts_no_rows_and_no_features():
    assert Polynomial(3).feature_map(np.empty((0, 2))).shape == (0, 10)
    assert Polynomial(3).feature_map(sp.csr_array((2, 0))).toarray().tolist() == [[1], [1]]
    assert Polynomial(2, 0).feature_map(np.empty((2, 0))).shape == (2, 0)


@pytest.mark.parametrize("kernel", [RBF(sigma=1.0), RBF(sigma=1.0) + Linear(), Linear() * RBF(sigma=1.0)])
def test_feature_map_rejects_an_infinite_dimension(kernel):
    with pytest.raises(ValueError, match=r"feature space of RBF\(sigma=1.0\) is infinite-dimensional"):
        kernel.feature_map([[1.0]])


@pytest.mark.parametrize("kernel", [Function(laws.dot), Matrix(laws.gram), Precomputed()])
def test_feature_map_rejects_an_unknown_feature_space(kernel):
    with pytest.raises(ValueError, match=r"has no feature map: nothing but its values is known"):
        kernel.feature_map(["any", "objects"])


def test_feature_map_rejects_oversized_maps():
    with pytest.raises(ValueError, match=r"has 80,931,145 features, 161,862,290 entries for 2 rows of 784 "):
        Polynomial(3).feature_map(np.ones((2, 784)))


def test_feature_map_of_sparse_rows_is_limited_by_entries():
    X = sp.csr_array(([1.0, 2.0, 3.0], ([0, 0, 1], [5, 499, 7])), shape=(3, 500))
    features = Polynomial(3).feature_map(X)
    assert features.shape == (3, math.comb(503, 3))
    laws.is_close((features @ features.T).toarray(), Polynomial(3)(X))
    assert features.shape[0] * features.shape[1] > maps.LARGEST
    with pytest.raises(ValueError, match=r"has 2,604,229,167,125,001 features, 4 entries for 1 rows"):
        Polynomial(3).feature_map(sp.csr_array(([1.0], ([0], [0])), shape=(1, 250_000)))
