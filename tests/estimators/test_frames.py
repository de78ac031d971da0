"""Frames and columns of pandas, polars and Arrow, as X, y, weights and queries: read rightly, or refused."""

import numpy as np
import pytest

from rosenblatt import PerceptronClassifier, PerceptronRanker, PerceptronTagger, kernels

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

A = [0.5, 1.0, 2.0, -1.0, 0.0, 3.0, 2.5, -2.0]
B = [1, 0, 1, 1, 0, 0, 1, 0]
BOOLS = [bool(b) for b in B]
WORDS = ["p", "q"] * 4
NUMBERS = np.array([A, B], float).T
QUERIES = [1] * 4 + [2] * 4


def arrow(kind):
    return pd.ArrowDtype(kind)


def in_pandas(column, **options):
    return pd.DataFrame({"a": A, "b": pd.Series(column, **options)})


def in_polars(column, kind=None):
    return pl.DataFrame({"a": A, "b": pl.Series(column, dtype=kind)})


def in_arrow(column):
    return pa.table({"a": A, "b": column})


READ = {
    "float": in_pandas(B),
    "nullable integer": in_pandas(B, dtype="Int64"),
    "nullable float": in_pandas(B, dtype="Float32"),
    "nullable boolean": in_pandas(BOOLS, dtype="boolean"),
    "category of numbers": in_pandas(B, dtype="category"),
    "category of booleans": in_pandas(BOOLS, dtype="category"),
    "Arrow integer": in_pandas(B, dtype=arrow(pa.int16())),
    "Arrow float": in_pandas(B, dtype=arrow(pa.float32())),
    "Arrow boolean": in_pandas(BOOLS, dtype=arrow(pa.bool_())),
    "Arrow decimal": in_pandas(pd.array(pa.array(B).cast(pa.decimal128(21, 2)), arrow(pa.decimal128(21, 2)))),
    "objects": in_pandas(B, dtype=object),
    "sparse columns": pd.DataFrame({name: pd.arrays.SparseArray(c, fill_value=0) for name, c in {"a": A, "b": B}.items()}),
    "polars": in_polars(B),
    "polars boolean": in_polars(BOOLS),
    "polars decimal": in_polars(B, pl.Decimal(10, 2)),
    "table": in_arrow(B),
    "table of booleans": in_arrow(BOOLS),
    "record batch": pa.record_batch({"a": A, "b": B}),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("kernel", [None, kernels.RBF(sigma=1.0)])
def test_frames_are_read_as_arrays_are(name, kernel):
    X, y = READ[name], np.array(BOOLS)
    clf = PerceptronClassifier(kernel, random_state=0, rule="perceptron")
    known = clf.fit(NUMBERS, y).ledger_
    assert clf.fit(X, y).ledger_ == known
    if name != "record batch":  # of which scikit-learn reads no names
        assert clf.feature_names_in_.tolist() == ["a", "b"]
    assert np.array_equal(clf.decision_function(X), clf.fit(NUMBERS, y).decision_function(NUMBERS))
    assert clf.fit(X, y).partial_fit(X, y).ledger_.rounds == known.rounds + 8
    ranker = PerceptronRanker(kernel, random_state=0, rule="perceptron")
    known = ranker.fit(NUMBERS, B, qid=QUERIES).ledger_
    assert ranker.fit(X, B, qid=QUERIES).ledger_ == known


@pytest.mark.parametrize("name", ["float", "polars", "table"])
def test_explain_takes_a_row_of_a_frame(name):
    clf = PerceptronClassifier(kernels.RBF(sigma=1.0), random_state=0).fit(READ[name], BOOLS)
    assert clf.explain(READ[name][3:4]).score == pytest.approx(clf.explain(READ["float"].iloc[3]).score)


NAN = "contains NaN"
HELD = "rows of numbers, and column 'b' holds 'p'.*OneHotEncoder"
REFUSED = {
    "nullable integer": (in_pandas([*B[1:], None], dtype="Int64"), NAN),
    "nullable boolean": (in_pandas([*BOOLS[1:], None], dtype="boolean"), NAN),
    "category of numbers": (in_pandas([*B[1:], None], dtype="category"), NAN),
    "category": (in_pandas(WORDS, dtype="category"), HELD),
    "string": (in_pandas(WORDS, dtype="string"), HELD),
    "string with NA": (in_pandas([*WORDS[:-1], None], dtype="string"), HELD),
    "Arrow integer": (in_pandas([*B[1:], None], dtype=arrow(pa.int16())), NAN),
    "Arrow string": (in_pandas(WORDS, dtype=arrow(pa.string())), HELD),
    "Arrow dictionary": (in_pandas(WORDS, dtype=arrow(pa.dictionary(pa.int32(), pa.string()))), HELD),
    "Arrow date": (
        in_pandas(pd.array(pa.array(B, pa.int32()).cast(pa.date32()), arrow(pa.date32()))),
        "column 'b' is of type date32.*days since a date",
    ),
    "polars with null": (in_polars([*B[1:], None]), NAN),
    "polars boolean with null": (in_polars([*BOOLS[1:], None]), NAN),
    "polars string": (in_polars(WORDS), HELD),
    "polars categorical": (in_polars(WORDS, pl.Categorical), HELD),
    "polars enum": (in_polars(WORDS, pl.Enum(["p", "q"])), HELD),
    "polars date": (in_polars(B).with_columns(pl.col("b").cast(pl.Int32).cast(pl.Date)), "column 'b' is of type"),
    "polars list": (in_polars([[b] for b in B]), "column 'b' holds"),
    "polars lazy": (in_polars(B).lazy(), "Got a LazyFrame, whose rows are not computed yet: collect it"),
    "table with null": (in_arrow([*B[1:], None]), NAN),
    "table of strings": (in_arrow(WORDS), HELD),
    "table of a dictionary": (in_arrow(pa.array(WORDS).dictionary_encode()), HELD),
    "table of dates": (in_arrow(pa.array(B, pa.int32()).cast(pa.date32())), "column 'b' is of type"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_columns_without_numbers_are_refused(name):
    X, sentence = REFUSED[name]
    with pytest.raises(ValueError, match=sentence):
        PerceptronClassifier().fit(X, BOOLS)
    with pytest.raises(ValueError, match=sentence):
        PerceptronRanker().fit(X, B, qid=QUERIES)


def columns_of(values, kind, name):
    """Return a column of these values in every library, without and with an element that is missing."""
    categories, plain = pd.Series(values, dtype="category"), pd.Series(values)
    found = {
        "list": values,
        "pandas": plain,
        "pandas category": categories,
        "pandas nullable": pd.Series(values, dtype=name),
        "pandas Arrow": pd.Series(values, dtype=arrow(kind)),
        "polars": pl.Series(values),
        "Arrow": pa.array(values),
        "Arrow chunks": pa.chunked_array([values]),
        "Arrow dictionary": pa.array(values).dictionary_encode(),
    }
    holes = [*values[:3], None, *values[4:]]
    missing = {
        "list": np.array(holes, object),
        "pandas category": pd.Series(holes, dtype="category"),
        "pandas nullable": pd.Series(holes, dtype=name),
        "pandas Arrow": pd.Series(holes, dtype=arrow(kind)),
        "polars": pl.Series(holes),
        "Arrow": pa.array(holes),
    }
    return found, missing


KINDS = {
    "strings": columns_of(WORDS, pa.string(), "string"),
    "integers": columns_of([3, 7] * 4, pa.int16(), "Int64"),
    "booleans": columns_of([False, True] * 4, pa.bool_(), "boolean"),
}
WHOLE = [(kind, name) for kind, (found, _) in KINDS.items() for name in found]
HOLES = [(kind, name) for kind, (_, found) in KINDS.items() for name in found]


@pytest.mark.parametrize(("kind", "name"), WHOLE)
def test_labels_keep_their_type(kind, name):
    y, listed = KINDS[kind][0][name], KINDS[kind][0]["list"]
    clf = PerceptronClassifier(random_state=0)
    known = clf.fit(NUMBERS, listed).ledger_
    assert clf.fit(NUMBERS, y).ledger_ == known
    assert clf.classes_.tolist() == sorted(set(listed))
    assert {type(label) for label in clf.classes_.tolist()} == {type(listed[0])}
    assert clf.score(NUMBERS, y) == clf.score(NUMBERS, listed)
    assert clf.partial_fit(NUMBERS, y).ledger_.rounds == known.rounds + 8
    tagger = PerceptronTagger(random_state=0)
    known = tagger.fit([WORDS], [listed]).ledger_
    assert tagger.fit([WORDS], [y]).ledger_ == known
    assert tagger.predict([WORDS]) == [listed]
    assert tagger.score([WORDS], [y]) == 1.0


@pytest.mark.parametrize(("kind", "name"), HOLES)
def test_missing_labels_are_refused(kind, name):
    y = KINDS[kind][1][name]
    with pytest.raises(ValueError, match=r"must have a label\. Got .* for row 3|Input y contains NaN"):
        PerceptronClassifier().fit(NUMBERS, y)
    with pytest.raises(ValueError, match=r"must have a label\. Got .* at token 3 of sequence 0"):
        PerceptronTagger().fit([WORDS], [y])


@pytest.mark.parametrize(("kind", "name"), WHOLE)
def test_queries_may_be_columns(kind, name):
    qid, listed = KINDS[kind][0][name], KINDS[kind][0]["list"]
    ranker = PerceptronRanker(random_state=0)
    known = ranker.fit(NUMBERS, A, qid=listed).ledger_
    assert ranker.fit(NUMBERS, A, qid=qid).ledger_ == known
    assert [rows.tolist() for rows in ranker.rank(NUMBERS, qid=qid)] == [
        rows.tolist() for rows in ranker.rank(NUMBERS, qid=listed)
    ]


@pytest.mark.parametrize(("kind", "name"), HOLES)
def test_missing_queries_are_refused(kind, name):
    with pytest.raises(ValueError, match=r"qid must name the query of every row\. Got .* row 3"):
        PerceptronRanker().fit(NUMBERS, A, qid=KINDS[kind][1][name])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_column_qid_is_taken_out_of_any_frame(frame):
    X = frame({"a": A, "qid": WORDS, "b": B})
    ranker = PerceptronRanker(random_state=0).fit(X, A)
    assert ranker.ledger_ == PerceptronRanker(random_state=0).fit(NUMBERS, A, qid=WORDS).ledger_
    assert ranker.feature_names_in_.tolist() == ["a", "b"]
    assert len(ranker.rank(X)) == 2


@pytest.mark.parametrize("kind", ["integers", "booleans"])
@pytest.mark.parametrize("name", KINDS["integers"][0])
def test_grades_and_weights_may_be_columns(kind, name):
    column, listed = KINDS[kind][0][name], KINDS[kind][0]["list"]
    ranker = PerceptronRanker(random_state=0)
    known = ranker.fit(NUMBERS, listed, qid=QUERIES).ledger_
    assert ranker.fit(NUMBERS, column, qid=QUERIES).ledger_ == known
    if kind == "integers" and "dictionary" not in name:
        for learner, data in weighted():
            known = learner.fit(*data, sample_weight=listed).ledger_
            assert learner.fit(*data, sample_weight=column).ledger_ == known


@pytest.mark.parametrize("kind", ["integers", "booleans"])
@pytest.mark.parametrize("name", KINDS["integers"][1])
def test_missing_grades_and_weights_are_refused(kind, name):
    column = KINDS[kind][1][name]
    with pytest.raises(ValueError, match=r"grades in y must be finite numbers. Got (nan|None|<NA>) in row 3"):
        PerceptronRanker().fit(NUMBERS, column, qid=QUERIES)
    if kind == "integers":
        for learner, data in weighted():
            with pytest.raises(ValueError, match=r"sample_weight"):
                learner.fit(*data, sample_weight=column)
        with pytest.raises(ValueError, match=r"sample_weight"):
            PerceptronRanker().fit(NUMBERS, A, qid=QUERIES).score(NUMBERS, A, QUERIES, sample_weight=column)


def weighted():
    yield PerceptronClassifier(random_state=0), (NUMBERS, BOOLS)
    yield PerceptronRanker(random_state=0), (NUMBERS, A, QUERIES)
    yield PerceptronTagger(random_state=0), ([["a"]] * 8, [[word] for word in WORDS])
