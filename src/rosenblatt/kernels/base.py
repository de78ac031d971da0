"""The base class of kernels: two ways to implement one, and the operators that combine kernels."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from rosenblatt._expressions import Value
from rosenblatt._types import Array, Data
from rosenblatt.kernels import maps
from rosenblatt.kernels.validation import float_type, same_width, vectors
from rosenblatt.rows import Rows, products, rows_of

if TYPE_CHECKING:
    from rosenblatt.kernels.normalized import Normalized

Domain = Literal["vectors", "objects", "precomputed"]

_UNUSED: Array = np.empty((0, 0))


class Kernel(Value):
    r"""A similarity that is an inner product in some feature space, :math:`k(x, z) = φ(x) \cdot φ(z)`.

    Kernels are immutable values. They compare and hash by their parameters, print as the
    expression that builds them, and combine: `+`, `*` and `**` of kernels are kernels again.

    A kernel of your own is written in one of two ways.

    - A function of ⟨x, z⟩, ⟨x, x⟩ and ⟨z, z⟩ implements `of_products` and `of_squares`, and
      `needs_squares` if it uses the last two. Expressions of such kernels share one matrix product.
    - Any other sets `inner = False` and implements `between` and `diagonal`.

    An expression implements neither: it names its `parts` and how to `combine` their values.

    Examples
    --------
    >>> from rosenblatt.kernels import Linear
    >>> (Linear() + 1) ** 2
    (Linear() + Constant(value=1.0)) ** 2
    """

    # NumPy must not take a kernel for an array: np.float64(2) * kernel calls the kernel's __rmul__.
    __array_ufunc__ = None

    def __call__(self, X: Data, Z: Data | None = None) -> Array:
        """Compute the kernel matrix: k(x, z) for every row x of X and every row z of Z, or of X again.

        Parameters
        ----------
        X, Z
            Arrays, lists of lists or CSR matrices of finite numbers with one row per example; for
            kernels on objects, lists of any objects. float32 stays float32. Where the data decides a
            parameter, as with gamma="scale", X does.
        """
        A = rows_of(self.accepted(X, "X"))
        if self.undecided:
            return self.fitted(A.data)(X, Z)
        B = A if Z is None else rows_of(self.accepted(Z, "Z"))
        if self.domain == "vectors":
            same_width(A.data, B.data)
        with np.errstate(over="ignore", invalid="ignore"):  # reported below
            values = self.between(A, B)
        if not np.isfinite(values).all():
            raise ValueError(f"{self!r} leaves the range of {values.dtype} on these rows. Scale the data.")
        return values

    def accepted(self, X: Data, name: str) -> Data:
        """Return rows in the form that the kernel takes; raises an error that calls them `name`."""
        if self.domain == "precomputed":
            raise ValueError(
                "A precomputed kernel has no formula, so it cannot be evaluated on rows. "
                "Index the matrix you have, or call the kernel it came from."
            )
        if self.domain == "vectors":
            return vectors(X, name)
        if isinstance(X, str | bytes):
            raise TypeError(f"{name} must be a list of objects, one per example. Got the string {X!r}.")
        return X if hasattr(X, "shape") else list(X)

    # What a kernel implements

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """The kernels whose values `combine` takes; none for a kernel that is not an expression."""
        return ()

    @property
    def inner(self) -> bool:
        """Whether k(x, z) is a function of ⟨x, z⟩, ⟨x, x⟩ and ⟨z, z⟩."""
        return all(part.inner for part in self.parts)

    @property
    def needs_squares(self) -> bool:
        """Whether `of_products` looks at ⟨x, x⟩ and ⟨z, z⟩."""
        return any(part.needs_squares for part in self.parts)

    @property
    def domain(self) -> Domain:
        """The type of rows: vectors, any objects, or rows of a precomputed matrix."""
        domains: set[Domain] = {part.domain for part in self.parts} or {"vectors"}
        if "precomputed" in domains:
            return "precomputed"
        return "vectors" if "vectors" in domains else "objects"

    @property
    def definite(self) -> bool:
        """Whether all its matrices are positive semi-definite, on which the mistake bound rests."""
        return all(part.definite for part in self.parts)

    def fitted(self, X: Data) -> Kernel:
        """Return the kernel with parameters that rows decide, such as gamma="scale"; itself without any."""
        changed = {name: inner.fitted(X) for name, inner in self._inside() if inner.undecided}
        return replace(self, **changed) if changed else self  # type: ignore[type-var]

    @property
    def undecided(self) -> bool:
        """Whether rows must decide a parameter, as with gamma="scale", before the kernel can be evaluated."""
        return any(inner.undecided for _, inner in self._inside())

    def _inside(self) -> list[tuple[str, Kernel]]:
        """Return the kernels that this one is made of, by the names of its fields."""
        own: Any = fields(self) if is_dataclass(self) else ()
        named = [(field.name, getattr(self, field.name)) for field in own]
        return [(name, value) for name, value in named if isinstance(value, Kernel)]

    @property
    def on_objects(self) -> bool:
        """Whether the rows may be any Python objects."""
        return self.domain == "objects"

    def cancels(self, largest: float) -> bool:
        """Whether float32 cannot tell ⟨x, z⟩ from ⟨x, x⟩ well enough, for squared norms up to this one."""
        return any(part.cancels(largest) for part in self.parts)

    def combine(self, *values: Array) -> Array:
        """Compute k from the values of its parts, entry by entry; may overwrite them."""
        raise NotImplementedError(
            f"{type(self).__name__} must implement of_products and of_squares, "
            f"or set inner = False and implement between and diagonal."
        )

    def of_products(self, xz: Array, xx: Array, zz: Array) -> Array:
        """Compute k from ⟨x, z⟩ (n, m), ⟨x, x⟩ (n, 1) and ⟨z, z⟩ (1, m); may overwrite only `xz`."""
        last = len(self.parts) - 1
        values = (
            part.of_products(xz if i == last else xz.copy(), xx, zz) for i, part in enumerate(self.parts)
        )
        return self.combine(*values)

    def of_squares(self, squares: Array) -> Array:
        """Compute k(x, x) from ⟨x, x⟩, as a new array of the same shape."""
        return self.combine(*(part.of_squares(squares) for part in self.parts))

    # What the learner calls

    def between(self, A: Rows, B: Rows) -> Array:
        """Compute the kernel matrix (len(A), len(B)), new and C-contiguous; the rows are not checked."""
        if not self.inner:
            return self.combine(*(part.between(A, B) for part in self.parts))
        if not self.needs_squares:
            return self.of_products(np.ascontiguousarray(products(A.data, B.data)), _UNUSED, _UNUSED)
        single = any(getattr(rows.data, "dtype", None) == np.float32 for rows in (A, B))
        if single and self.cancels(max(A.longest_square, B.longest_square)):
            return self.between(A.in_double(), B.in_double()).astype(float_type(A, B), copy=False)
        xz = np.ascontiguousarray(products(A.data, B.data))
        return self.of_products(xz, A.squares[:, None], B.squares[None, :])

    def diagonal(self, A: Rows) -> Array:
        """Compute k(x, x) of every row, without the matrix."""
        if not self.inner:
            return self.combine(*(part.diagonal(A) for part in self.parts))
        return self.of_squares(A.squares)

    def stored(self, rows: Rows) -> Rows:
        """Return what must be kept of rows to evaluate the kernel against them later."""
        kept = [part.stored(rows) for part in self.parts]
        return kept[0] if kept and not any(some is rows for some in kept) else rows

    def rooted(self) -> tuple[Kernel, int]:
        """Return a kernel and a degree whose power this is: itself and 1 unless more is known."""
        return self, 1

    # The feature space

    def feature_map(self, X: Data) -> Data:
        """Map every row to φ(x): `map(X) @ map(Z).T` is the kernel matrix. CSR rows give a CSR result.

        Raises
        ------
        ValueError
            If the feature space has no finite dimension, or the result more than 50 million entries.
        """
        self.dimension(1)  # raises first if there is no finite map
        data = vectors(X, "X")
        maps.check_size(self, data)
        return self.mapped(data)

    def dimension(self, width: int) -> int:
        """Return the number of features that `feature_map` makes of vectors with `width` features."""
        raise ValueError(
            f"{self!r} has no feature map: nothing but its values is known. Use the kernel itself."
        )

    def mapped(self, data: Data) -> Data:
        """Map checked rows to a new array."""
        raise NotImplementedError(f"{type(self).__name__} must implement mapped along with dimension.")

    # The algebra; the expressions are imported late because they are kernels themselves

    def __add__(self, other: Kernel | float) -> Kernel:
        from rosenblatt.kernels.algebra import Sum
        from rosenblatt.kernels.inner import Constant

        if isinstance(other, Kernel):
            return Sum(self, other)
        if isinstance(other, Real):
            return Sum(self, Constant(other))
        return NotImplemented

    def __radd__(self, other: float) -> Kernel:
        return self.__add__(other)

    def __mul__(self, other: Kernel | float) -> Kernel:
        from rosenblatt.kernels.algebra import Product, Scaled

        if isinstance(other, Kernel):
            return Product(self, other)
        if isinstance(other, Real):
            return Scaled(other, self)
        return NotImplemented

    def __rmul__(self, other: float) -> Kernel:
        return self.__mul__(other)

    def __pow__(self, degree: int) -> Kernel:
        from rosenblatt.kernels.algebra import Power

        return Power(self, degree)

    def normalized(self) -> Normalized:
        r"""Return the cosine in feature space, :math:`k(x, z) / \sqrt{k(x, x)\,k(z, z)}`."""
        from rosenblatt.kernels.normalized import Normalized

        return Normalized(self)

    def __sub__(self, other: Any) -> NoReturn:
        raise TypeError(
            f"The difference of two kernels need not be positive semi-definite, so it cannot be shown "
            f"to be a kernel. Got {self!r} - {other!r}. Use sums, products, powers and scales of at least 0."
        )

    def __rsub__(self, other: Any) -> NoReturn:
        raise TypeError(
            f"A number minus a kernel need not be positive semi-definite, so it cannot be shown to be "
            f"a kernel. Got {other!r} - {self!r}. Use sums, products, powers and scales of at least 0."
        )

    def __neg__(self) -> NoReturn:
        raise TypeError(
            f"The negative of a kernel is not positive semi-definite: k(x, x) would be below 0. "
            f"Got -({self!r}). Use sums, products, powers and scales of at least 0."
        )

    def __truediv__(self, other: Any) -> NoReturn:
        raise TypeError(
            f"A quotient of kernels need not be positive semi-definite, so it cannot be shown to be a "
            f"kernel. Got {self!r} / {other!r}. To scale, multiply by a number; to divide by the norms, "
            f"use kernel.normalized()."
        )

    def __rtruediv__(self, other: Any) -> NoReturn:
        raise TypeError(
            f"One over a kernel need not be positive semi-definite, so it cannot be shown to be a "
            f"kernel. Got {other!r} / {self!r}. Use sums, products, powers and scales of at least 0."
        )
