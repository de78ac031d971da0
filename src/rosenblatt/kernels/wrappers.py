"""Wrappers of functions of pairs, functions of matrices, and scikit-learn's kernels as kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt._types import Array
from rosenblatt.kernels.base import Domain, Kernel
from rosenblatt.kernels.inner import Linear, Polynomial, Sigmoid
from rosenblatt.kernels.precomputed import Precomputed
from rosenblatt.kernels.rbf import RBF
from rosenblatt.kernels.validation import float_type
from rosenblatt.rows import Rows, parts

CHUNK = 64
"""Rows per matrix of which only the diagonal is used."""


@dataclass(frozen=True)
class Function(Kernel):
    """A kernel from a function of two objects of any kind: strings, sets, trees, rows.

    It is called once for every pair, and once for both orders in the matrix of a set of rows with itself.

    Parameters
    ----------
    f
        `f(a, b)`, a finite real number.

    Examples
    --------
    The number of characters that two words share is an inner product of sets.

    >>> shared = Function(lambda a, b: len(set(a) & set(b)))
    >>> shared(["perceptron", "person", "kernel"])
    array([[7., 5., 3.],
           [5., 6., 3.],
           [3., 3., 5.]])
    """

    f: Callable[[Any, Any], float]

    inner = False

    def __post_init__(self) -> None:
        _check_callable(self, self.f)

    def __repr__(self) -> str:
        return f"Function({_name(self.f)})"

    @property
    def domain(self) -> Domain:
        """The domain "objects", of any kind."""
        return "objects"

    def between(self, A: Rows, B: Rows) -> Array:
        """Call the function on every pair, once for both orders if A is B."""
        values = np.empty((len(A), len(B)))
        rows = list(A.data)
        columns = rows if A is B else list(B.data)
        for i, a in enumerate(rows):
            for j in range(i if A is B else 0, len(columns)):
                values[i, j] = self._number(a, columns[j], i, j)
                if A is B:
                    values[j, i] = values[i, j]
        return _checked(self, values, values.shape, float_type(A, B))

    def diagonal(self, A: Rows) -> Array:
        """Call the function on every row with itself."""
        values = np.array([self._number(a, a, i, i) for i, a in enumerate(A.data)], np.float64)
        return _checked(self, values, (len(A),), float_type(A))

    def _number(self, a: Any, b: Any, i: int, j: int) -> float:
        value = self.f(a, b)
        if not isinstance(value, Real):
            raise TypeError(
                f"{self!r} must return one real number for every pair of rows. "
                f"Got {value!r} for rows {i} and {j}."
            )
        return float(value)


@dataclass(frozen=True)
class Matrix(Kernel):
    """A kernel from a function of two matrices of rows, such as scikit-learn's pairwise kernels.

    Parameters
    ----------
    f
        `f(X, Z)`, the matrix of all k(x, z), of shape (rows of X, rows of Z).

    Examples
    --------
    >>> def histogram_intersection(X, Z):
    ...     return np.minimum(X[:, None, :], Z[None, :, :]).sum(axis=2)
    >>> Matrix(histogram_intersection)([[1, 2], [3, 0]])
    array([[3., 1.],
           [1., 3.]])
    """

    f: Callable[[Any, Any], Any]

    inner = False

    def __post_init__(self) -> None:
        _check_callable(self, self.f)

    def __repr__(self) -> str:
        return f"Matrix({_name(self.f)})"

    def between(self, A: Rows, B: Rows) -> Array:
        """Call the function on the two matrices of rows."""
        return _checked(self, self.f(A.data, B.data), (len(A), len(B)), float_type(A, B))

    def diagonal(self, A: Rows) -> Array:
        """Call the function on a few rows at a time and keep the diagonals."""
        chunks = map(A.take, parts(len(A), CHUNK))
        found = [np.diagonal(self.between(chunk, chunk)) for chunk in chunks]
        return np.concatenate([np.empty(0, float_type(A)), *found])


@dataclass(frozen=True)
class Sklearn(Kernel):
    """A kernel of `sklearn.gaussian_process.kernels`; dense rows only.

    A `WhiteKernel` is refused: it is noise on a row with itself, not a function of two rows.

    Parameters
    ----------
    kernel
        The scikit-learn kernel.

    Examples
    --------
    >>> from sklearn.gaussian_process.kernels import RationalQuadratic
    >>> Sklearn(RationalQuadratic(alpha=1.0))([[0], [1], [3]]).round(2)
    array([[1.  , 0.67, 0.18],
           [0.67, 1.  , 0.33],
           [0.18, 0.33, 1.  ]])
    """

    kernel: Any

    inner = False

    def __post_init__(self) -> None:
        if not _is_sklearn_kernel(self.kernel):
            raise TypeError(
                f"Sklearn takes an instance of a sklearn.gaussian_process kernel. Got {self.kernel!r}."
            )
        if any(type(part).__name__ == "WhiteKernel" for part in (self.kernel, *_parameters(self.kernel))):
            raise ValueError(
                f"A WhiteKernel is noise on a row with itself, not a function of two rows, so it is no "
                f"kernel a learner can use. Got {self.kernel!r}. Leave the WhiteKernel out."
            )

    def __repr__(self) -> str:
        return f"Sklearn({self.kernel!r})"

    def between(self, A: Rows, B: Rows) -> Array:
        """Call the kernel on the two matrices of rows."""
        values = self.kernel(self._dense(A), self._dense(B))
        return _checked(self, values, (len(A), len(B)), float_type(A, B))

    def diagonal(self, A: Rows) -> Array:
        """Return the diagonal that the kernel computes."""
        return _checked(self, self.kernel.diag(self._dense(A)), (len(A),), float_type(A))

    def _dense(self, rows: Rows) -> Array:
        if sp.issparse(rows.data):
            raise TypeError(
                f"scikit-learn's kernels take dense rows only. Got a CSR matrix of shape {rows.data.shape} "
                f"for {self!r}. Pass X.toarray(), or use RBF, Polynomial or Linear, which take CSR."
            )
        return np.asarray(rows.data)


NAMES = ("linear", "poly", "rbf", "sigmoid", "precomputed")
"""The kernels that `SVC` knows by name."""

GAMMA: float | str = "scale"
DEGREE, COEF0 = 3, 0.0
"""What `SVC` takes where its gamma, degree and coef0 are not given."""


def named_kernel(name: str, gamma: float | str = GAMMA, degree: int = DEGREE, coef0: float = COEF0) -> Kernel:
    """Return the kernel that `SVC` knows by a name, with parameters as `SVC` has them.

    Examples
    --------
    >>> named_kernel("poly", degree=2)
    Polynomial(degree=2, coef0=0.0, gamma='scale')
    """
    if name not in NAMES:
        raise ValueError(f"A kernel by name is one of {', '.join(map(repr, NAMES))}. Got {name!r}.")
    given = {"gamma": gamma != GAMMA, "degree": degree != DEGREE, "coef0": coef0 != COEF0}
    takes = {"poly": ("gamma", "degree", "coef0"), "rbf": ("gamma",), "sigmoid": ("gamma", "coef0")}.get(
        name, ()
    )
    refuse_unused({option: value for option, value in given.items() if option not in takes}, repr(name))
    if name == "poly":
        return Polynomial(degree, coef0, gamma)
    if name == "rbf":
        return RBF(gamma=gamma)
    if name == "sigmoid":
        return Sigmoid(gamma, coef0)
    return Linear() if name == "linear" else Precomputed()


def kernel_of(kernel: Any, gamma: float | str, degree: int, coef0: float) -> Kernel | None:
    """Return the kernel that a learner's parameters stand for; None for weights, which "linear" are, too."""
    if isinstance(kernel, str):
        named = named_kernel(kernel, gamma, degree, coef0)
        return None if kernel == "linear" else named
    given = {"gamma": gamma != GAMMA, "degree": degree != DEGREE, "coef0": coef0 != COEF0}
    refuse_unused(given, f"{kernel!r:.60}")
    return None if kernel is None else as_kernel(kernel)


def refuse_unused(given: dict[str, bool], kernel: str) -> None:
    """Raise ValueError if a parameter was given that a kernel does not have."""
    unused = [name for name, was_given in given.items() if was_given]
    if unused:
        raise ValueError(
            f"{unused[0]} is a parameter of kernels by name: gamma of 'rbf', 'poly' and 'sigmoid', coef0 of "
            f"'poly' and 'sigmoid', degree of 'poly'. Got kernel={kernel}: leave {unused[0]} out."
        )


def as_kernel(obj: Any) -> Kernel:
    """Return the kernel that an object stands for.

    A kernel stands for itself, "rbf", "poly", "sigmoid", "linear" and "precomputed" for `named_kernel(obj)`,
    a scikit-learn kernel for `Sklearn(obj)`, and any other callable for `Matrix(obj)`.

    Examples
    --------
    >>> as_kernel("precomputed")
    Precomputed()
    >>> from sklearn.metrics.pairwise import chi2_kernel
    >>> as_kernel(chi2_kernel)
    Matrix(chi2_kernel)
    """
    if isinstance(obj, Kernel):
        return obj
    if isinstance(obj, str):
        return named_kernel(obj)
    if _is_sklearn_kernel(obj):
        return Sklearn(obj)
    if callable(obj) and not isinstance(obj, type):
        return Matrix(obj)
    raise TypeError(
        f"A kernel is a rosenblatt kernel such as kernels.RBF(sigma=1.0), a function f(X, Z) of two "
        f"matrices, a scikit-learn kernel, or one of {', '.join(map(repr, NAMES))}. Got {obj!r}."
    )


def _checked(kernel: Kernel, values: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return a new array of the values, after a check that they are finite reals of the right shape."""
    if sp.issparse(values):
        raise TypeError(
            f"{kernel!r} must return a dense array. Got a sparse matrix: return values.toarray()."
        )
    found = np.asarray(values)
    if found.shape != shape:
        raise ValueError(
            f"{kernel!r} must return one value for every pair of rows, shape {shape}. "
            f"Got shape {found.shape}."
        )
    if found.dtype.kind not in "biuf":
        raise TypeError(f"{kernel!r} must return real numbers. Got dtype {found.dtype}.")
    with np.errstate(over="ignore"):
        result = np.array(found, dtype, order="C")
    bad = np.argwhere(~np.isfinite(result))
    if len(bad):
        i, j = bad[0][0], bad[0][-1]
        raise ValueError(
            f"{kernel!r} must return finite {dtype} numbers. Got {found[tuple(bad[0])]} for row {i} of X "
            f"and row {j} of Z."
        )
    return result


def _check_callable(kernel: Kernel, f: Any) -> None:
    if not callable(f):
        raise TypeError(f"{type(kernel).__name__} takes a function of two arguments. Got {f!r}.")


def _name(f: Any) -> str:
    return str(getattr(f, "__name__", None) or repr(f))


def _is_sklearn_kernel(obj: Any) -> bool:
    """Whether this is a scikit-learn kernel, by the name of its type, without an import."""
    base = ("sklearn.gaussian_process.kernels", "Kernel")
    return any((kind.__module__, kind.__name__) == base for kind in type(obj).__mro__)


def _parameters(kernel: Any) -> list[Any]:
    return list(kernel.get_params(deep=True).values())
