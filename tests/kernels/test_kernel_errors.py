"""Errors of kernels say what was asked, what was got and what to do."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.gaussian_process import kernels as gp

from rosenblatt.kernels import (
    RBF,
    Constant,
    Function,
    Kernel,
    Linear,
    Matrix,
    Polynomial,
    Precomputed,
    Sklearn,
)
from rosenblatt.rows import rows_of

K = Linear()


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: Constant(-1), ValueError, r"must be at least 0, or its matrices .* Got -1\."),
        (lambda: Constant(np.nan), ValueError, r"Got nan\."),
        (lambda: Constant("1"), TypeError, r"Got '1'\."),
        (lambda: K + (-2), ValueError, r"A constant kernel must be at least 0.* Got -2\."),
        (lambda: -2 * K, ValueError, r"number of at least 0 only.* Got -2\."),
        (lambda: K * np.inf, ValueError, r"number of at least 0 only.* Got inf\."),
        (lambda: Polynomial(0), ValueError, r"degree .* integer ≥ 1\. Got 0\."),
        (lambda: Polynomial(1.5), ValueError, r"integer ≥ 1\. Got 1\.5\."),
        (lambda: Polynomial("2"), TypeError, r"integer ≥ 1\. Got '2'\."),
        (lambda: Polynomial(2, -1), ValueError, r"coef0 must be at least 0.* Got -1\."),
        (lambda: K**0.5, ValueError, r"fractional or negative power need not .* Got 0\.5\."),
        (lambda: K**-1, ValueError, r"Only an integer power ≥ 1 .* Got -1\."),
        (lambda: K**0, ValueError, r"Only an integer power ≥ 1 .* Got 0\."),
        (lambda: K**K, TypeError, r"Only an integer power ≥ 1 .* Got Linear\(\)\."),
        (lambda: K**np.inf, ValueError, r"Only an integer power ≥ 1 .* Got inf\."),
        (lambda: K - K, TypeError, r"difference of two kernels .* Got Linear\(\) - Linear\(\)\. Use sums"),
        (lambda: K - 1, TypeError, r"difference of two kernels .* Got Linear\(\) - 1\."),
        (lambda: 1 - K, TypeError, r"number minus a kernel .* Got 1 - Linear\(\)\."),
        (lambda: -K, TypeError, r"negative of a kernel .* Got -\(Linear\(\)\)\."),
        (lambda: K / K, TypeError, r"quotient of kernels .* To scale, multiply by a number"),
        (lambda: 1 / K, TypeError, r"One over a kernel .* Got 1 / Linear\(\)\."),
        (lambda: K + "1", TypeError, r"unsupported operand"),
        (lambda: np.ones(2) * K, TypeError, r"unsupported operand"),
        (lambda: RBF(1.0, 1.0), ValueError, r"not both.* Got sigma=1\.0 and gamma=1\.0\."),
        (lambda: RBF(sigma=0), ValueError, r"The sigma of an RBF .* above 0 and finite\. Got 0\."),
        (lambda: RBF(sigma=1e-200), ValueError, r"above 0 and finite\. Got 1e-200\."),
        (lambda: RBF(gamma=-1), ValueError, r"The gamma of an RBF .* Got -1\."),
        (lambda: RBF(gamma="wide"), TypeError, r"an RBF kernel must be a number, 'scale' .* Got 'wide'\."),
        (lambda: Function(3), TypeError, r"Function takes a function of two arguments\. Got 3\."),
        (lambda: Matrix(None), TypeError, r"Matrix takes a function of two arguments\. Got None\."),
        (lambda: Sklearn(K), TypeError, r"instance of a sklearn\.gaussian_process kernel\. Got Linear"),
        (lambda: Sklearn(gp.RBF() + gp.WhiteKernel()), ValueError, r"WhiteKernel is noise on a row with"),
        (lambda: Precomputed().normalized(), ValueError, r"cannot be normalized: k\(z, z\) of new rows"),
        (lambda: (Precomputed() + 1).normalized(), ValueError, r"cannot be normalized"),
    ],
)
def test_kernels_reject_invalid_parameters_and_operations(build, error, message):
    with pytest.raises(error, match=message):
        build()


@pytest.mark.parametrize(
    ("X", "Z", "error", "message"),
    [
        ([1.0, 2.0], None, ValueError, r"X must be 2-dimensional.* Got an array of shape \(2,\)"),
        ([[1.0]], [2.0], ValueError, r"Z must be 2-dimensional"),
        ([[[1.0]]], None, ValueError, r"shape \(1, 1, 1\)"),
        ([[1.0, 2.0], [3.0]], None, ValueError, r"X must have rows of equal length"),
        ([[1.0, 2.0]], [[1.0]], ValueError, r"Got 2 in X \(1, 2\) and 1 in Z \(1, 1\)"),
        ([[1.0, 2.0], [3.0, np.nan]], None, ValueError, r"X must be finite\. Got nan in row 1, feature 1\."),
        ([[1.0]], [[np.inf]], ValueError, r"Z must be finite\. Got inf in row 0, feature 0\."),
        (sp.csr_array([[0, 1.0], [0, np.nan]]), None, ValueError, r"Got nan in row 1, feature 1\."),
        ([["a"]], None, TypeError, r"X must hold real numbers\. Got dtype <U1\. .* Function\(f\)"),
        ([[1j]], None, TypeError, r"X must hold real numbers\. Got dtype complex128"),
        ([[None]], None, TypeError, r"X must hold real numbers\. Got dtype object"),
    ],
)
@pytest.mark.parametrize("kernel", [Linear(), RBF(sigma=1.0) + 1, Matrix(lambda X, Z: X @ Z.T)])
def test_kernels_reject_bad_rows(kernel, X, Z, error, message):
    with pytest.raises(error, match=message):
        kernel(X, Z)


@pytest.mark.parametrize("kernel", [Precomputed(), 2 * Precomputed() + 1, Precomputed() * Linear()])
def test_precomputed_kernel_cannot_be_called(kernel):
    with pytest.raises(ValueError, match=r"A precomputed kernel has no formula.* Index the matrix"):
        kernel([[1.0]])


def test_precomputed_rejects_short_rows():
    with pytest.raises(ValueError, match=r"Got 2 columns, and training row 4 was asked for"):
        Precomputed().between(rows_of(np.ones((1, 2))), rows_of(np.ones((1, 0)), np.array([4])))


def test_function_rejects_a_string_as_a_list():
    with pytest.raises(TypeError, match=r"X must be a list of objects.* Got the string 'word'"):
        Function(len)("word")


def nothing(a, b):
    return None


def no_number(a, b):
    return np.nan if (a, b) == (1, 2) else 1.0


@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (nothing, TypeError, r"Function\(nothing\) must return one real number .* Got None for rows 0 and 0"),
        (lambda a, b: 1j, TypeError, r"must return one real number .* Got 1j"),
        (no_number, ValueError, r"Function\(no_number\) .* finite .* Got nan for row 1 of X and row 2 of Z"),
    ],
)
def test_function_rejects_returns_that_are_no_numbers(f, error, message):
    with pytest.raises(error, match=message):
        Function(f)([0, 1, 2])


@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (lambda X, Z: np.ones(2), ValueError, r"Matrix\(<lambda>\) .* shape \(2, 1\)\. Got shape \(2,\)\."),
        (lambda X, Z: 1j * X @ Z.T, TypeError, r"must return real numbers\. Got dtype complex64"),
        (lambda X, Z: np.array([["a"], ["b"]]), TypeError, r"must return real numbers\. Got dtype <U1"),
        (lambda X, Z: np.array([[1.0], [np.inf]]), ValueError, r"Got inf for row 1 of X and row 0 of Z"),
        (
            lambda X, Z: np.array([[1e300], [1.0]]),
            ValueError,
            r"finite float32 numbers\. Got 1e\+300 for row 0",
        ),
    ],
)
def test_matrix_rejects_returns_that_are_no_kernel_matrix(f, error, message):
    with pytest.raises(error, match=message):
        Matrix(f)(np.ones((2, 3), np.float32), np.ones((1, 3), np.float32))


def test_sklearn_rejects_sparse_rows():
    with pytest.raises(TypeError, match=r"dense rows only\. Got a CSR matrix of shape \(1, 2\)"):
        Sklearn(gp.RBF())(sp.csr_array([[1.0, 2.0]]))


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(2, 0), Function(lambda a, b: float(a @ b))])
def test_normalized_rejects_rows_of_length_zero(kernel):
    good, bad = np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 0.0]])
    with pytest.raises(
        ValueError, match=r"cannot be normalized .* Got 0 in row 1 of X\. Drop the row, or add"
    ):
        kernel.normalized()(bad, good)
    with pytest.raises(ValueError, match=r"Got 0 in row 1 of Z"):
        kernel.normalized()(good, bad)
    with pytest.raises(ValueError, match=r"Got 0 in row 1 of X"):
        kernel.normalized().diagonal(rows_of(bad))


@dataclass(frozen=True)
class Unfinished(Kernel):
    pass


def test_kernel_subclass_names_missing_methods():
    with pytest.raises(
        NotImplementedError, match=r"Unfinished must implement of_products and of_squares, or"
    ):
        Unfinished()([[1.0]])
    with pytest.raises(AttributeError, match="cannot assign"):
        Constant(1.0).value = 2.0
