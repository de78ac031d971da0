"""Kernels against their formulas, one pair at a time, and at the limits of float32 and float64."""

import math
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from fixtures import kernel_laws as laws
from rosenblatt.kernels import RBF, Constant, Function, Linear, Polynomial, check
from rosenblatt.loops.affine import falling_distances, radial
from rosenblatt.rows import products, rows_of


@given(laws.two_sets(), st.integers(1, 9), st.sampled_from([0.0, 0.5, 1.0, 3.0]))
def test_polynomial_is_its_formula(sets, degree, coef0):
    laws.is_one_at_a_time(Polynomial(degree, coef0), lambda x, z: (np.dot(x, z) + coef0) ** degree, *sets)


@given(laws.two_sets(), st.sampled_from([0.3, 1.0, 4.0]))
def test_rbf_is_its_formula(sets, sigma):
    def formula(x, z):
        return math.exp(-(np.linalg.norm(x - z) ** 2) / (2 * sigma**2))

    laws.is_one_at_a_time(RBF(sigma=sigma), formula, *sets)
    laws.is_one_at_a_time(RBF(gamma=1 / (2 * sigma**2)), formula, *sets)


@given(laws.two_sets())
def test_linear_and_constant_are_their_formulas(sets):
    laws.is_one_at_a_time(Linear(), np.dot, *sets)
    laws.is_one_at_a_time(Constant(3), lambda x, z: 3, *sets)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(sets=laws.two_sets(), rate=st.sampled_from([0.25, 1.0, 3.0]))
def test_falling_distances_is_its_formula(dtype, sets, rate):
    X, Z = (some.astype(dtype) for some in sets)
    exponents = X @ Z.T
    falling_distances(exponents, (X * X).sum(axis=1), (Z * Z).sum(axis=1), dtype(rate))
    assert exponents.dtype == dtype
    np.testing.assert_array_equal(exponents, [[-rate * ((x - z) ** 2).sum() for z in Z] for x in X])


def test_falling_distances_clips_at_zero():
    exponents = np.array([[1.0 + 1e-12]])
    falling_distances(exponents, np.ones(1), np.ones(1), 1.0)
    assert exponents.item() == 0.0


def test_rbf_is_never_above_one_and_symmetric_to_the_last_bit():
    X = np.random.default_rng(0).normal(1000, 1, (60, 7)).astype(np.float32)
    values = RBF(sigma=1.0)(X)
    assert values.max() <= 1
    np.testing.assert_array_equal(values, values.T)


def test_radial_is_numpys_exp_but_for_the_last_bits():
    exponents = np.concatenate([np.linspace(-80, 0, 20_001), -np.geomspace(1e-30, 1, 1000)]).astype(
        np.float32
    )
    values = np.zeros((1, len(exponents)), np.float32)
    radial(values, np.zeros(1, np.float32), -exponents, np.float32(1))
    np.testing.assert_allclose(values[0], np.exp(exponents.astype(np.float64)), rtol=3e-7)
    far = np.zeros((1, 1), np.float32)
    radial(far, np.full(1, 1e30, np.float32), np.zeros(1, np.float32), np.float32(1))
    assert 0 <= far.item() < 1e-37


def test_rbf_accepts_no_rows():
    assert RBF(sigma=1.0)(np.empty((0, 3)), np.ones((2, 3))).shape == (0, 2)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("kernel", [RBF(sigma=1.0), 2 * RBF(sigma=1.0) + 1, RBF(sigma=1.0).normalized()])
def test_rbf_far_from_zero_is_computed_in_float64(kernel, form):
    """Rows close to each other and far from 0: float32 products would lose their distance."""
    X = (np.random.default_rng(0).normal(size=(20, 3)) + 1000).astype(np.float32)
    found = kernel(form(X))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, kernel(X.astype(np.float64)), rtol=1e-5)


def test_power_too_large_for_float32_is_computed_in_float64():
    pixels = np.full((2, 784), 255, np.float32)
    values = Polynomial(9)(pixels)
    assert values.dtype == np.float64
    np.testing.assert_allclose(values, (784 * 255.0**2 + 1) ** 9, rtol=1e-4)
    np.testing.assert_allclose(Polynomial(9).diagonal(rows_of(pixels)), values.diagonal(), rtol=1e-4)
    assert Polynomial(4)(pixels).dtype == np.float32


@pytest.mark.parametrize(("base", "degree", "dtype"), [(2.0, 126, np.float32), (2.0, 128, np.float64)])
def test_power_switches_to_float64_where_float32_ends(base, degree, dtype):
    values = (Linear() ** degree)(np.array([[base]], np.float32), np.array([[1.0]], np.float32))
    assert values.dtype == dtype
    assert values.item() == base**degree
    with pytest.raises(ValueError, match=r"2 to the power 1024 leaves the range of float64"):
        (Linear() ** 1024)([[base]], [[1.0]])


def test_normalized_returns_float32_again():
    pixels = np.full((2, 784), 255, np.float32)
    for kernel in (Polynomial(9) + 1, Function(laws.dot) + Polynomial(9)):
        assert kernel.between(rows_of(pixels), rows_of(pixels)).dtype == np.float64
        assert kernel.normalized().between(rows_of(pixels), rows_of(pixels)).dtype == np.float32


@pytest.mark.parametrize("kernel", [Polynomial(50), (Linear() + 1) ** 50])
def test_power_too_large_for_float64_is_rejected_unless_normalized(kernel):
    pixels = np.full((2, 784), 64, np.float32)  # whose sums float32 holds exactly, in whatever order
    with pytest.raises(ValueError, match=r"to the power 50 leaves the range of float64. Scale the data"):
        kernel(pixels)
    values = kernel.normalized()(pixels)
    assert values.dtype == np.float32
    np.testing.assert_allclose(values, 1, rtol=1e-4)


def test_products_and_scales_out_of_range_are_rejected():
    x = [[1e80]]
    for kernel in (Linear() * (Linear() * Linear()), Linear() * 1e300, Linear() * 1e200 + 1e200 * Linear()):
        with pytest.raises(ValueError, match=r"leaves the range of float64. Scale the data"):
            kernel(x)


def test_linear_rejects_inner_products_out_of_range():
    with pytest.raises(ValueError, match=r"Linear\(\) leaves the range of float32 on these rows"):
        Linear()(np.full((1, 2), 1e30, np.float32))


def test_linear_converts_integers_and_lists_to_float64():
    assert Linear()([[1, 2]], [[3, 4]]).dtype == np.float64
    assert Linear()(np.array([[True, False]])).tolist() == [[1.0]]
    assert Linear()(sp.csr_array(np.array([[1, 2]]))).dtype == np.float64
    assert Linear()(np.ones((1, 1), np.float32), np.ones((1, 1))).dtype == np.float64


def test_kernels_accept_unsorted_sparse_rows_with_duplicates():
    twice = sp.csr_array((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    for kernel in (Linear(), RBF(sigma=2.0), Polynomial(2)):
        laws.is_close(kernel(twice), kernel(twice.toarray()))
    laws.is_close(Polynomial(2).feature_map(twice).toarray(), Polynomial(2).feature_map([[2.0, 0, 4.0]]))


def test_check_reports_asymmetry_and_eigenvalues():
    result = check(Linear(), [[3.0, 4.0], [0.0, 0.0]])
    assert (result.rows, result.asymmetry, result.smallest_eigenvalue, result.largest_eigenvalue) == (
        2,
        0,
        0,
        25,
    )
    assert result.ok
    assert str(result).startswith("a kernel on these 2 rows: symmetric (off by 0), positive semi-definite")
    assert check(Linear(), np.ones((2, 2), np.float32)).tolerance == pytest.approx(4e-9)
    assert not check(Linear() + 1, [[3.0, 4.0], [0.0, 1.0]], tolerance=-2).ok
    assert check(Linear(), np.empty((0, 2))).ok


def test_import_of_kernels_loads_no_heavy_packages():
    code = (
        "import sys, rosenblatt.kernels; "
        "print([name for name in ('numba', 'sklearn', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_rbf_of_float32_and_float64_rows_is_exact():
    random = np.random.default_rng(0)
    X, Z = (random.normal(size=(20, 3)) + 100 for _ in range(2))
    exact, kernel = RBF(gamma=1.0)(X.astype(np.float32).astype(float), Z), RBF(gamma=1.0)
    np.testing.assert_allclose(kernel(X.astype(np.float32), Z), exact, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(kernel(Z, X.astype(np.float32)), exact.T, rtol=1e-9, atol=1e-12)


def test_products_of_very_wide_rows_take_memory_for_stored_values_only():
    random = np.random.default_rng(0)
    columns = random.choice(10**9, 40, replace=False)
    X, Z = random.integers(-3, 4, (5, 40)), random.integers(-3, 4, (7, 40))
    wide = [
        sp.csr_array((A[A != 0], (np.nonzero(A)[0], columns[np.nonzero(A)[1]])), (len(A), 10**9))
        for A in (X, Z)
    ]
    tracemalloc.start()
    assert np.array_equal(products(*wide), X @ Z.T)
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


def test_products_beyond_float32_are_reported_as_such():
    X = np.full((2, 3), 1e20, np.float32)
    with np.errstate(over="ignore"), pytest.raises(ValueError, match=r"range of float32.*Pass X in float64"):
        Polynomial(2)(X)
    assert np.isfinite(Polynomial(2)(X.astype(np.float64))).all()
