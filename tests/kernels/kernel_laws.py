"""The laws of a kernel, each a function that fails on what is none, and kernels and rows to try them on."""

import operator

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rosenblatt import kernels
from rosenblatt.kernels import RBF, Constant, Function, Linear, Matrix, Polynomial, check
from rosenblatt.rows import Rows

NAMES = {name: getattr(kernels, name) for name in kernels.__all__}


def dot(a, b):
    return float(np.dot(a, b))


def gram(X, Z):
    return X @ Z.T


def rows(max_rows=5, max_features=3, smallest=-3):
    """Small whole numbers, on which all but exponentials and roots is exact."""
    shapes = st.tuples(st.integers(1, max_rows), st.integers(1, max_features))
    return shapes.flatmap(lambda shape: hnp.arrays(np.float64, shape, elements=st.integers(smallest, 3)))


def two_sets(**limits):
    """X and Z in one space."""
    return rows(**limits).flatmap(
        lambda X: st.tuples(
            st.just(X),
            hnp.arrays(
                np.float64, st.tuples(st.integers(1, 4), st.just(X.shape[1])), elements=st.integers(-3, 3)
            ),
        )
    )


def expressions(leaves):
    """Everything the algebra makes of these kernels, two or three operations deep."""
    return st.recursive(
        leaves,
        lambda parts: st.one_of(
            st.builds(operator.add, parts, parts),
            st.builds(operator.mul, parts, parts),
            st.builds(operator.add, parts, st.integers(0, 3)),
            st.builds(operator.mul, st.integers(0, 3), parts),
            st.builds(operator.pow, parts, st.integers(1, 3)),
            # plus one: no row of zeros then has length 0
            st.builds(lambda kernel: (kernel + 1).normalized(), parts),
        ),
        max_leaves=3,
    )


FINITE = st.one_of(
    st.just(Linear()),
    st.builds(Constant, st.sampled_from([0, 1, 4])),
    st.builds(Polynomial, st.integers(1, 3), st.sampled_from([0.0, 1.0, 2.0])),
)
INNER = st.one_of(FINITE, st.builds(RBF, sigma=st.sampled_from([0.5, 1.0, 3.0])), st.just(RBF(gamma=0.1)))
OTHERS = st.sampled_from([Function(dot), Matrix(gram)])
WHOLE = st.one_of(
    st.just(Linear()),
    st.builds(Polynomial, st.integers(1, 3), st.sampled_from([0, 1, 2])),
    st.sampled_from([Constant(2), Function(dot), Matrix(gram), Linear() + 3, 2 * Linear() * Linear()]),
)
"""Kernels whose values on whole numbers are whole numbers."""


def is_close(actual, expected, size=1.0):
    """Equal up to the rounding of terms of this size, which may cancel."""
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-9 * max(1.0, size))


def size_of(kernel, X, Z):
    """What no value, and no term of a sum of products of features, can exceed."""
    return np.sqrt(kernel.diagonal(Rows(X)).max() * kernel.diagonal(Rows(Z)).max())


def is_a_kernel(kernel, X):
    result = check(kernel, X)
    assert result.ok, str(result)


def diagonal_is_that_of_the_matrix(kernel, X):
    A = Rows(X)
    squares = A.squares.copy()
    diagonal = kernel.diagonal(A)
    np.testing.assert_array_equal(A.squares, squares)
    is_close(diagonal, np.diagonal(kernel(X)))


def map_makes_the_kernel(kernel, X, Z):
    features, others = kernel.feature_map(X), kernel.feature_map(Z)
    assert features.shape == (len(X), kernel.dimension(X.shape[1]))
    is_close(features @ others.T, kernel(X, Z), size_of(kernel, X, Z))


def between_is_call(kernel, X, Z):
    A, B = Rows(X.copy()), Rows(Z.copy())
    squares = A.squares.copy(), B.squares.copy()
    values = kernel.between(A, B)
    assert values.shape == (len(X), len(Z))
    assert values.flags.c_contiguous
    assert not any(np.shares_memory(values, some) for some in (A.data, B.data))
    for before, after in ((X, A.data), (Z, B.data), (squares[0], A.squares), (squares[1], B.squares)):
        np.testing.assert_array_equal(before, after)
    np.testing.assert_array_equal(values, kernel(X, Z))


def csr_changes_nothing(kernel, X, Z):
    for A, B in ((sp.csr_array(X), Z), (X, sp.csr_array(Z)), (sp.csr_array(X), sp.csr_matrix(Z))):
        values = kernel(A, B)
        assert isinstance(values, np.ndarray)
        assert values.flags.c_contiguous
        is_close(values, kernel(X, Z), size_of(kernel, X, Z))


def float32_stays(kernel, X, Z):
    values = kernel(X.astype(np.float32), Z.astype(np.float32))
    assert values.dtype == np.float32
    size = max(1.0, size_of(kernel, X, Z))
    np.testing.assert_allclose(values, kernel(X, Z), rtol=1e-4, atol=1e-5 * size)
    assert kernel.diagonal(Rows(X.astype(np.float32))).dtype == np.float32


def prints_as_what_builds_it(kernel, names=NAMES):
    again = eval(repr(kernel), {**names, "dot": dot, "gram": gram})
    assert again == kernel
    assert hash(again) == hash(kernel)
    assert repr(again) == repr(kernel)


def is_one_at_a_time(kernel, formula, X, Z):
    is_close(kernel(X, Z), [[formula(x, z) for z in Z] for x in X])
