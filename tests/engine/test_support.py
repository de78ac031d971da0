"""The support set: rows are found by their ids, in whatever order they came."""

import numpy as np
import pytest

from rosenblatt.engine.run import Examples
from rosenblatt.engine.support import SupportSet
from rosenblatt.kernels import Linear
from rosenblatt.rows import rows_of


@pytest.mark.parametrize("ids", [[0, 1, 2], [5, 2, 9], [2, 1, 0]])
def test_indices_find_rows_in_any_order(ids):
    support = SupportSet(Linear(), 0.0)
    support.append(rows_of(np.eye(3), np.array(ids)))
    support.append(rows_of(np.eye(3), np.array([20, 11, 30])))
    assert support.indices(np.array([ids[2], 11, ids[0]])).tolist() == [2, 4, 0]
    with pytest.raises(KeyError, match="Row 12 is not in the support set"):
        support.indices(np.array([12]))


def test_examples_reject_weights_of_another_length():
    with pytest.raises(ValueError, match=r"a weight per round, shape \(3,\). Got shape \(2,\)"):
        Examples(rows_of(np.eye(3)), np.zeros(3, int), weights=np.ones(2))
    with pytest.raises(ValueError, match="a weight per round"):
        Examples(rows_of(np.eye(3)), np.zeros(3, int), starts=np.array([0, 2, 3]), weights=np.ones(3))
