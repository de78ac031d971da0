"""Errors in the middle of a round: every path raises that of `play`, and leaves the same run."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.engine.learner import play, play_blocks, play_pass
from rosenblatt.engine.run import Examples, Orders, begin
from rosenblatt.engine.support import RowStore
from rosenblatt.games import NO_STRUCTURE, Binary, compilable
from rosenblatt.kernels import Linear
from rosenblatt.rows import rows_of


@compilable
def judge(scores, structure, truth, head, required, where, amount):
    where[0, 0], where[0, 1], amount[0] = 0, head, 1.0
    return 1, np.nan if head == 1 and truth[0] == 9 else 0.0, True, 1.0


@compilable
def ballot(scores, structure, starts, head, weight, tally):
    tally[0] += weight


@dataclass(frozen=True)
class TwoHeads:
    """A game in which the second head fails at the truth 9, after the first has been corrected."""

    outputs, heads, structure, alternatives = 2, 2, NO_STRUCTURE, 1
    judge, ballot = staticmethod(judge), staticmethod(ballot)

    def most_entries(self, rows):
        return 1

    def answer(self, scores, structure, starts):
        return np.zeros(len(scores), int)

    def elect(self, tally, starts):
        return tally.argmax(axis=1)


@pytest.mark.parametrize("failing", [0, 1, 2])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("player", [play_pass, play_blocks])
def test_error_of_a_later_head_is_that_of_play(player, form, failing):
    truths = np.zeros(3, int)
    truths[failing] = 9
    runs, errors = [], []
    for each in (play, player):
        run = begin(TwoHeads(), features=2)
        with pytest.raises(ValueError, match="TwoHeads") as error:
            each(run, Examples(run.number(form(np.eye(3, 2) + 1)), truths), [np.arange(3)])
        runs.append(run)
        errors.append(str(error.value))
    assert errors[0] == errors[1]
    assert runs[0].ledger == runs[1].ledger
    assert runs[1].ledger.rounds == failing + 1
    assert all((runs[1].ledger.of(head).survived >= 0).all() for head in (0, 1))
    assert runs[0].hypothesis.weights.tolist() == runs[1].hypothesis.weights.tolist()


def test_store_takes_rows_of_another_form_after_it_was_emptied():
    store = RowStore()
    store.extend(rows_of(np.eye(2)))
    assert len(store.rows) == 2
    store.truncate(0)
    store.extend(rows_of(sp.csr_array(np.eye(3))))
    assert store.rows.data.toarray().tolist() == np.eye(3).tolist()


def test_run_takes_rows_of_another_form_after_a_rollback():
    run = begin(Binary(), kernel=Linear())
    with pytest.raises(ValueError, match="not a finite number"):
        play(run, Examples(run.number(np.array([[1.0], [np.nan]])), [1, 1]), [np.arange(2)])
    play(run, Examples(run.number(sp.csr_array(np.eye(2))), [1, 0]), [np.arange(2)])
    assert run.guess("last").answers(run.number(sp.csr_array(np.eye(2)))).tolist() == [1, 0]


@pytest.mark.parametrize("player", [play, play_pass, play_blocks])
def test_orders_of_more_rounds_than_there_are_examples_are_refused(player):
    run = begin(Binary(), features=2) if player is not play_blocks else begin(Binary(), kernel=Linear())
    with pytest.raises(ValueError, match="order of rounds must hold integers from 0 to 2"):
        player(run, Examples(run.number(np.eye(3, 2)), [0, 1, 0]), Orders(5, 1, None))
