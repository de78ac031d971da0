"""Lists to rank: small ones for laws, and those of MQ2008."""

import numpy as np
from hypothesis import strategies as st

from rosenblatt import data

WHOLE = st.integers(-3, 3)


@st.composite
def graded_lists(draw, features=3):
    """Rows of whole numbers, grades from 0 to 2, and how many rows each query has."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    rows = sum(sizes)
    X = draw(st.lists(st.lists(WHOLE, min_size=features, max_size=features), min_size=rows, max_size=rows))
    y = draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    return np.array(X, float), np.array(y), np.array(sizes)


def mq2008(folder, *parts):
    """Rows, grades and queries of some of the five parts."""
    read = [data.read_svmlight(folder / "mq2008" / f"S{part}.txt.gz") for part in parts]
    return (
        np.vstack([table.X.toarray() for table in read]),
        np.concatenate([table.y for table in read]),
        np.concatenate([table.qid for table in read]),
    )
