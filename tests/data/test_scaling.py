"""Scaling of columns: what is fitted and applied, and notes of models that no fit writes."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data import scales
from rosenblatt.data.blocks import Block
from rosenblatt.data.scaling import of_notes
from rosenblatt.data.schema import Schema

RANDOM = np.random.default_rng(0)


def parts(X, size):
    return [Block(X[i : i + size], None) for i in range(0, X.shape[0], size)]


def fitted(method, X, size=7, schema=None):
    return scales.fitted(method, parts(X, size), schema or Schema())


tables = st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=1, max_size=15).map(
    lambda rows: np.array(rows, float)
)


@given(tables, st.integers(1, 20))
def test_standard_scaling_of_dense_rows_has_mean_0_and_variance_1(X, size):
    found = fitted("standard", X, size).apply(X)
    constant = X.std(axis=0) == 0
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(found.std(axis=0)[~constant], 1)
    assert np.all(found[:, constant] == 0)


def test_standard_scaling_of_a_constant_column_is_0_though_its_mean_is_rounded():
    X = np.full((1001, 1), 0.1)
    assert np.all(np.abs(fitted("standard", X).apply(X)) < 1e-12)


@given(tables, st.integers(1, 20))
def test_standard_scaling_of_sparse_rows_has_a_mean_square_of_1_and_keeps_zeros(X, size):
    rows = sp.csr_array(X)
    found = fitted("standard", rows, size).apply(rows).toarray()
    assert np.array_equal(found == 0, X == 0)
    for column, values in zip(found.T, X.T, strict=True):
        if values.any():
            np.testing.assert_allclose(np.mean(column[values != 0] ** 2), 1)
            assert np.array_equal(np.sign(column), np.sign(values))


def ranks(values, given):
    """The ranks of dense values, as the page says it: the share of those below, equals counting half."""
    n = len(values)
    return [(sum(v < x for v in values) + sum(v <= x for v in values) + 1) / (2 * (n + 1)) for x in given]


@given(tables, tables, st.integers(1, 20))
def test_quantile_scaling_of_dense_rows_is_by_rank(X, new, size):
    scaling = fitted("quantile", X, size)
    for column, values, given_values in zip(scaling.apply(new).T, X.T, new.T, strict=True):
        np.testing.assert_allclose(column, ranks(values, given_values))
        assert np.all((column > 0) & (column < 1))


@given(tables, tables, st.integers(1, 20))
def test_quantile_scaling_of_sparse_rows_ranks_magnitudes_and_keeps_signs(X, new, size):
    found = fitted("quantile", sp.csr_array(X), size).apply(sp.csr_array(new)).toarray()
    assert np.array_equal(np.sign(found), np.sign(new))
    for column, values, given_values in zip(found.T, X.T, new.T, strict=True):
        present = np.abs(values[values != 0])
        for scaled, value in zip(column, given_values, strict=True):
            if len(present) and value:
                share = max(np.sum(present <= abs(value)), 0.5) / len(present)
                assert abs(scaled) == pytest.approx(share)
            else:
                assert scaled == value


def test_quantiles_are_at_most_1000_and_nearly_exact():
    X = RANDOM.lognormal(size=(30_000, 1))
    scaling = fitted("quantile", X, 4096)
    assert len(scaling.noted()["values"]) == 1000
    exact = np.argsort(np.argsort(X[:, 0])) / len(X)
    assert np.abs(scaling.apply(X)[:, 0] - exact).max() < 0.002


@pytest.mark.parametrize("rows", [np.asarray, sp.csr_array])
def test_quantiles_of_many_rows_are_those_of_some(rows, monkeypatch):
    X = RANDOM.integers(1, 50, size=(1000, 2)).astype(float)
    monkeypatch.setattr(scales, "SAMPLED", scales._bytes_of(rows(X)) // 3)
    for size in (1, 7, 100, 1000):
        found = fitted("quantile", rows(X), size).noted()
        assert found in [fitted("quantile", rows(X[::every])).noted() for every in (4, 8)]


def test_scaling_leaves_features_of_strings():
    schema = Schema()
    schema.know(["size", "colour=red", "colour=blue"], ["colour"])
    X = sp.csr_array(np.array([[50.0, 1, 0], [150, 0, 2], [0, 1, 0]]))
    for method in ("standard", "quantile"):
        found = fitted(method, X, schema=schema).apply(X).toarray()
        assert np.array_equal(found[:, 1:], X.toarray()[:, 1:])
        assert found[1, 0] != 150


def test_sparse_scaling_leaves_features_that_come_later():
    X = sp.csr_array(np.array([[2.0, 0], [2, 0]]))
    wide = sp.csr_array(np.array([[4.0, 0, 7]]))
    assert fitted("standard", X).apply(wide).toarray().tolist() == [[2, 0, 7]]
    assert fitted("quantile", X).apply(wide).toarray().tolist() == [[1, 0, 7]]


def test_zeros_count_the_same_whether_they_are_written():
    written = sp.csr_array((np.array([0.0, 3.0, 4.0]), np.array([0, 0, 0]), np.array([0, 1, 2, 3])), (3, 1))
    left_out = sp.csr_array(written.toarray())
    for method in ("standard", "quantile"):
        assert fitted(method, written).noted() == fitted(method, left_out).noted()
        assert fitted(method, written).apply(written).toarray()[0] == 0


def test_standard_scaling_refuses_values_whose_squares_overflow():
    schema = Schema()
    schema.know(["a", "b"], [])
    for rows in (np.array([[1.0, 1e200], [2, -1e200]]), sp.csr_array(np.array([[1.0, 1e200]]))):
        with pytest.raises(ValueError, match="larger values of b: use --scale quantile"):
            fitted("standard", rows, schema=schema)


def test_scaling_refuses_files_without_rows():
    with pytest.raises(ValueError, match="Got no rows"):
        scales.fitted("quantile", [], Schema())


X = RANDOM.normal(size=(40, 3)).round(1)
SCALINGS = [fitted(method, rows) for method in ("standard", "quantile") for rows in (X, sp.csr_array(X))]


@pytest.mark.parametrize("scaling", SCALINGS)
def test_scaling_is_read_from_its_notes(scaling):
    dense = scaling in (SCALINGS[0], SCALINGS[2])
    again = of_notes(json.loads(json.dumps(scaling.noted())), 3, dense=dense)
    rows = X if dense else sp.csr_array(X)
    one, other = (each.apply(rows) for each in (scaling, again))
    assert np.array_equal(one, other) if rows is X else (one != other).nnz == 0


def changed(scaling, **values):
    return scaling.noted() | values


STANDARD, SPARSE, QUANTILE, _ = SCALINGS
FORGED = [
    None,
    "standard",
    {},
    {"method": "standard"},
    changed(STANDARD, method="other"),
    changed(STANDARD, more=1),
    changed(STANDARD, scale=[1.0, 0.0, 1.0]),
    changed(STANDARD, scale=[1.0, -1.0, 1.0]),
    changed(STANDARD, scale=[1.0, float("nan"), 1.0]),
    changed(STANDARD, scale=[1.0, True, 1.0]),
    changed(STANDARD, scale=[1.0, 10**400, 1.0]),
    changed(STANDARD, scale=[1.0, 1.0]),
    changed(STANDARD, shift=[1.0, 1.0]),
    changed(STANDARD, shift=[1.0, 1.0], scale=[1.0, 1.0]),
    changed(STANDARD, shift="ab"),
    changed(SPARSE, scale=[1.0] * 4),
    changed(QUANTILE, dense=1),
    changed(QUANTILE, starts=[0, 5]),
    changed(QUANTILE, starts=[]),
    changed(QUANTILE, starts=[0, 30, 20, len(QUANTILE.values)]),
    changed(QUANTILE, starts=[1, *QUANTILE.starts.tolist()[1:]]),
    changed(QUANTILE, starts=[*QUANTILE.starts.tolist()[:-1], len(QUANTILE.values) + 9]),
    changed(QUANTILE, values=QUANTILE.values.tolist()[::-1]),
    changed(QUANTILE, values=QUANTILE.values.tolist()[:-1]),
    changed(QUANTILE, counts=[0] * len(QUANTILE.counts)),
    changed(QUANTILE, counts=QUANTILE.counts.tolist()[::-1]),
    changed(QUANTILE, counts=[1.5] * len(QUANTILE.counts)),
]


@pytest.mark.parametrize("note", FORGED)
def test_notes_that_no_fit_writes_are_refused(note):
    dense = not (isinstance(note, dict) and (note.get("shift", 0) is None or note.get("dense") is False))
    with pytest.raises(ValueError, match=r"note on scaling is .*, which no fit writes"):
        of_notes(note, 3, dense=dense)


@pytest.mark.parametrize("scaling", SCALINGS)
def test_notes_for_other_rows_are_refused(scaling):
    dense = scaling in (SCALINGS[0], SCALINGS[2])
    with pytest.raises(ValueError, match=r"which no fit writes"):
        of_notes(scaling.noted(), 3, dense=not dense)


@pytest.mark.parametrize("method", ["standard", "quantile"])
def test_dense_scaling_applies_to_rows_of_objects(method):
    scaling = fitted(method, X)
    np.testing.assert_array_equal(scaling.apply(sp.csr_array(X)), scaling.apply(X))
