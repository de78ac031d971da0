"""The laws hold for every kernel, and each of them rejects a kernel that breaks it."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures import kernel_laws as laws
from rosenblatt.kernels import RBF, Constant, Function, Kernel, Linear, Matrix, Polynomial, Sum

ANY = laws.expressions(st.one_of(laws.INNER, laws.OTHERS))
INNER = laws.expressions(laws.INNER)


@given(ANY, laws.rows())
def test_expressions_are_kernels(kernel, X):
    laws.is_a_kernel(kernel, X)


@given(ANY, laws.rows())
def test_diagonal_is_that_of_the_matrix(kernel, X):
    laws.diagonal_is_that_of_the_matrix(kernel, X)


@given(ANY, laws.two_sets())
def test_between_is_the_call_and_overwrites_nothing(kernel, sets):
    laws.between_is_call(kernel, *sets)


@given(INNER, laws.two_sets())
def test_kernels_of_csr_rows_equal_those_of_dense_rows(kernel, sets):
    laws.csr_changes_nothing(kernel, *sets)


@given(st.one_of(laws.INNER, laws.OTHERS), laws.two_sets())
def test_kernels_of_float32_stay_float32(kernel, sets):
    laws.float32_stays(kernel, *sets)
    laws.float32_stays((kernel + 1).normalized(), *sets)
    laws.float32_stays(2 * kernel + kernel * Linear(), *sets)


@given(laws.expressions(laws.FINITE), laws.two_sets(max_features=2))
def test_feature_map_makes_the_kernel(kernel, sets):
    if kernel.dimension(sets[0].shape[1]) < 20_000:
        laws.map_makes_the_kernel(kernel, *sets)


@given(ANY)
def test_repr_is_the_expression_that_builds_the_kernel(kernel):
    laws.prints_as_what_builds_it(kernel)


@given(laws.INTEGRAL, laws.INTEGRAL, laws.two_sets(), st.integers(1, 5), st.integers(0, 4))
def test_algebra_is_that_of_the_matrices(a, b, sets, degree, factor):
    X, Z = sets
    for kernel, expected in (
        (a + b, a(X, Z) + b(X, Z)),
        (a + factor, a(X, Z) + factor),
        (factor + a, a(X, Z) + factor),
        (a * b, a(X, Z) * b(X, Z)),
        (a * factor, a(X, Z) * factor),
        (factor * a, a(X, Z) * factor),
        (a**degree, a(X, Z) ** degree),
    ):
        if np.abs(expected).max(initial=0) < 2**53:
            np.testing.assert_array_equal(kernel(X, Z), expected)
        else:  # beyond, integers are rounded
            laws.is_close(kernel(X, Z), expected)


@given(INNER, laws.two_sets())
def test_normalized_is_the_cosine(kernel, sets):
    X, Z = sets
    kernel = kernel + 1
    lengths = np.sqrt(np.outer(np.diagonal(kernel(X)), np.diagonal(kernel(Z))))
    laws.is_close(kernel.normalized()(X, Z), kernel(X, Z) / lengths)


@given(INNER)
def test_of_products_evaluates_any_expression(kernel):
    assert kernel.inner
    xz = np.array([[1.0, 2.0]])
    assert kernel.of_products(xz, np.array([[1.0]]), np.array([[1.0, 4.0]])).shape == (1, 2)


def test_of_products_works_in_place():
    kernel = (2 * Linear() + 1) ** 4
    xz = np.array([[1.0, 2.0]])
    assert kernel.of_products(xz, np.empty((0, 0)), np.empty((0, 0))) is xz


def test_needs_squares_is_true_only_where_needed():
    assert not ((Linear() + 1) ** 2 * Polynomial(3)).needs_squares
    assert (Linear() + RBF(sigma=1.0)).needs_squares
    assert Linear().normalized().needs_squares


# What each law must reject


@dataclass(frozen=True)
class Broken(Kernel):
    """The linear kernel with one fault."""

    fault: str = "none"

    def of_products(self, xz, xx, zz):
        if self.fault == "asymmetric":
            xz[:, :-1] += 1
        if self.fault == "negative":
            xz *= -1
        if self.fault == "double":
            return xz.astype(np.float64) + 1e-12
        if self.fault == "transposed":
            return np.asfortranarray(xz)
        return xz

    def of_squares(self, squares):
        if self.fault == "overwrites":
            squares += 1
        return squares + (self.fault == "diagonal")

    def between(self, A, B):
        if self.fault == "overwrites":
            A.data[:] = 0
        if self.fault == "between" and A is B:
            return super().between(A, B) + 1
        if self.fault == "sparse" and not isinstance(A.data, np.ndarray):
            return super().between(A, B) + 1
        return super().between(A, B)

    def dimension(self, width):
        return width + (self.fault == "dimension")

    def mapped(self, data):
        return 2 * data if self.fault == "map" else data


X = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, -1.0]])
Z = np.array([[2.0, 1.0], [1.0, 1.0]])


def with_itself(law):
    return lambda kernel: law(kernel, X.copy())


def with_others(law):
    return lambda kernel: law(kernel, X.copy(), Z.copy())


@pytest.mark.parametrize(
    ("law", "fault"),
    [
        (with_itself(laws.is_a_kernel), "asymmetric"),
        (with_itself(laws.is_a_kernel), "negative"),
        (with_itself(laws.diagonal_is_that_of_the_matrix), "diagonal"),
        (with_itself(laws.diagonal_is_that_of_the_matrix), "overwrites"),
        (with_others(laws.between_is_call), "overwrites"),
        (with_others(laws.between_is_call), "transposed"),
        (lambda kernel: laws.is_one_at_a_time(kernel, laws.dot, X, Z), "asymmetric"),
        (with_others(laws.csr_changes_nothing), "sparse"),
        (with_others(laws.float32_stays), "double"),
        (with_others(laws.map_makes_the_kernel), "map"),
        (with_others(laws.map_makes_the_kernel), "dimension"),
    ],
)
def test_laws_reject_what_breaks_them(law, fault):
    law(Broken())
    with pytest.raises(AssertionError):
        law(Broken(fault))


class Misprinted(Linear):
    def __repr__(self):
        return "Constant(1.0)"


def test_repr_law_rejects_a_misprint():
    with pytest.raises(AssertionError):
        laws.prints_as_what_builds_it(Misprinted())


def test_repr_keeps_brackets():
    outer = Sum(Linear(), Linear() + 1)
    assert repr(outer) == "Linear() + (Linear() + Constant(value=1.0))"
    assert eval("Linear() + Linear() + Constant(value=1.0)", laws.NAMES) != outer


@pytest.mark.parametrize(
    ("kernel", "text"),
    [
        (RBF(sigma=1.0), "RBF(sigma=1.0)"),
        (RBF(2), "RBF(sigma=2.0)"),
        (RBF(gamma=0.5), "RBF(gamma=0.5)"),
        (Polynomial(2.0, 1), "Polynomial(degree=2, coef0=1.0)"),
        ((Linear() + 1) ** 2, "(Linear() + Constant(value=1.0)) ** 2"),
        (2 * (Linear() * Linear()), "2.0 * (Linear() * Linear())"),
        (2 * Linear() * Linear(), "2.0 * Linear() * Linear()"),
        ((Linear() ** 2) ** 3, "(Linear() ** 2) ** 3"),
        ((Linear() * 3).normalized(), "(3.0 * Linear()).normalized()"),
        (np.float64(2) * Linear(), "2.0 * Linear()"),
        (Function(laws.dot) + Matrix(laws.gram), "Function(dot) + Matrix(gram)"),
        (np.float32(0.5) + Constant(1), "Constant(value=1.0) + Constant(value=0.5)"),
    ],
)
def test_repr_of_kernels_is_as_listed(kernel, text):
    assert repr(kernel) == text
    laws.prints_as_what_builds_it(kernel)
