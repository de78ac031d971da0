"""Kernels made of functions and of scikit-learn's kernels, and precomputed matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process import kernels as gp
from sklearn.metrics.pairwise import rbf_kernel

from fixtures import kernel_laws as laws
from rosenblatt.kernels import (
    RBF,
    Constant,
    Function,
    Linear,
    Matrix,
    Precomputed,
    Sklearn,
    as_kernel,
    check,
)
from rosenblatt.rows import rows_of

WORDS = ["perceptron", "person", "kernel", ""]


def shared(a, b):
    return len(set(a) & set(b))


@given(st.lists(st.text("abc", max_size=4), min_size=1, max_size=5), st.integers(0, 3))
def test_function_accepts_any_objects(words, constant):
    for kernel in (Function(shared) + constant, Constant(constant) + Function(shared)):
        expected = [[shared(a, b) + constant for b in words] for a in words]
        assert kernel(words).tolist() == expected
        assert kernel(words, words[:1]).tolist() == [row[:1] for row in expected]
        assert kernel.diagonal(rows_of(words)).tolist() == [expected[i][i] for i in range(len(words))]
        assert kernel.on_objects


def test_function_is_called_once_per_pair():
    calls = []
    kernel = Function(lambda a, b: calls.append((a, b)) or 1.0)
    kernel([1, 2, 3])
    assert sorted(calls) == [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)]


def test_check_calls_a_function_in_both_orders():
    result = check(Function(lambda a, b: float(a < b)), [1, 2])
    assert not result.symmetric
    assert "NOT symmetric (off by 1)" in str(result)


def test_function_accepts_rows_of_arrays():
    X = np.array([[1.0, 2.0], [3.0, 4.0]])
    laws.is_close(Function(laws.dot)(X), X @ X.T)
    laws.is_close((Function(laws.dot) + Linear())(X), 2 * X @ X.T)
    assert not (Function(laws.dot) + Linear()).on_objects
    sparse = Function(lambda a, b: float(a.sum() * b.sum()))
    assert sparse(sp.csr_array(X)).tolist() == [[9, 21], [21, 49]]


def test_normalized_works_on_objects():
    values = Function(shared).normalized()(WORDS[:3])
    laws.is_close(values[0], [1, 5 / np.sqrt(42), 3 / np.sqrt(35)])


@given(laws.two_sets())
def test_matrix_wraps_a_function_of_matrices(sets):
    laws.is_close(Matrix(rbf_kernel)(*sets), RBF(gamma=1 / sets[0].shape[1])(*sets))
    laws.csr_changes_nothing(as_kernel(rbf_kernel), *sets)


def test_matrix_diagonal_spans_several_chunks():
    X = np.random.default_rng(0).normal(size=(150, 3))
    laws.is_close(Matrix(laws.gram).diagonal(rows_of(X)), (X * X).sum(axis=1))
    assert Matrix(laws.gram).diagonal(rows_of(X[:0])).shape == (0,)


def test_matrix_does_not_overwrite_the_result():
    cached = np.ones((2, 2))
    kernel = 5 * Matrix(lambda X, Z: cached) + 3
    assert kernel([[1.0], [2.0]]).tolist() == [[8, 8], [8, 8]]
    assert cached.tolist() == [[1, 1], [1, 1]]


@given(laws.two_sets())
def test_sklearn_wraps_scikit_learn_kernels(sets):
    kernel = as_kernel(gp.RBF(2.0))
    laws.is_close(kernel(*sets), RBF(sigma=2.0)(*sets))
    laws.between_is_call(kernel, *sets)
    laws.float32_stays(kernel, *sets)
    laws.diagonal_is_that_of_the_matrix(as_kernel(gp.DotProduct(1.0)), sets[0])
    laws.is_a_kernel(as_kernel(gp.Matern() + gp.DotProduct()), sets[0])


def test_sklearn_kernels_print_and_compare():
    kernel = Sklearn(gp.RationalQuadratic(alpha=2.0))
    assert eval(repr(kernel), {"Sklearn": Sklearn, "RationalQuadratic": gp.RationalQuadratic}) == kernel
    assert kernel != Sklearn(gp.RationalQuadratic(alpha=3.0))


def test_as_kernel_wraps_what_it_is_given():
    kernel = Linear() + 1
    assert as_kernel(kernel) is kernel
    assert as_kernel("precomputed") == Precomputed()
    assert as_kernel("rbf") == RBF()
    assert as_kernel("linear") == Linear()
    assert as_kernel(gp.RBF()) == Sklearn(gp.RBF())
    assert as_kernel(laws.gram) == Matrix(laws.gram)


@pytest.mark.parametrize("obj", [None, 3, RBF, gp.RBF])
def test_as_kernel_rejects_other_objects(obj):
    with pytest.raises(TypeError, match=r"or one of 'linear', .* 'precomputed'. Got "):
        as_kernel(obj)


def test_as_kernel_rejects_other_names():
    with pytest.raises(ValueError, match=r"one of 'linear', .* 'precomputed'. Got 'RBF'."):
        as_kernel("RBF")


GRAM = np.array([[2.0, 1.0, 0.0], [1.0, 5.0, 3.0], [0.0, 3.0, 4.0]])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_precomputed_indexes_the_matrix(form):
    training = rows_of(form(GRAM))
    support = Precomputed().stored(training.take(np.array([2, 0])))
    assert support.data.shape == (2, 0)
    new = rows_of(form(np.array([[7.0, 8.0, 9.0]])))
    values = Precomputed().between(new, support)
    assert values.tolist() == [[9, 7]]
    assert values.flags.c_contiguous
    assert Precomputed().between(training, training).tolist() == GRAM.tolist()
    assert Precomputed().between(training, training).flags.c_contiguous
    assert Precomputed().diagonal(training).tolist() == [2, 5, 4]
    assert Precomputed().diagonal(training.take(np.array([2, 0]))).tolist() == [4, 2]


@pytest.mark.parametrize("kernel", [Precomputed() + 1, 2 * Precomputed(), Precomputed() ** 2])
def test_precomputed_expressions_index_the_matrix(kernel):
    rows = rows_of(GRAM.astype(np.float32))
    expected = eval(repr(kernel), {"Precomputed": lambda: GRAM, "Constant": lambda value: value})
    kept = kernel.stored(rows)
    assert kept.data.shape == (3, 0)
    assert kernel.between(rows, kept).tolist() == expected.tolist()
    assert kernel.between(rows, kept).dtype == np.float32
    assert kernel.domain == "precomputed"


def test_stored_keeps_rows_that_kernels_need():
    rows = rows_of(GRAM)
    for kernel in (Linear(), Linear() + 1, Precomputed() + Linear(), RBF(sigma=1.0).normalized()):
        assert kernel.stored(rows) is rows
