"""
Learning to rank from clicks
============================

A stream of queries, users who look at the top first, and the regret of learning from clicks alone. ::

    ROSENBLATT_DATA=… python examples/learning_from_clicks.py

A user looks at the row at rank i with probability 1/i, and clicks on a relevant row that was looked at. A click means
that the clicked row is better than those above it, which were looked at, too, and passed over: so `add_example` gets
just these. A click on the first row adds nothing new. A second ranker learns all the best rows of every list. What the
first loses against the second, round by round, is its regret.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt import data, metrics, online
from rosenblatt.rows.queries import group_rows


def read_lists(parts: tuple[int, ...] = (1, 2, 3, 4, 5)) -> list[tuple[Any, Any]]:
    """Return the queries of MQ2008 in which some row is relevant and some is not: rows and grades."""
    folder = Path(os.environ["ROSENBLATT_DATA"]) / "mq2008"
    lists = []
    for part in parts:
        table = data.read_svmlight(folder / f"S{part}.txt.gz", n_features=46)
        rows, (_, order, starts) = table.X.toarray(), group_rows(table.qid, len(table.y))
        lists += [(rows[i], table.y[i]) for i in np.split(order, starts[1:-1])]
    return [(rows, grades) for rows, grades in lists if 0 < (grades > 0).sum() < len(grades)]


def click(order: Any, grades: Any, random: np.random.Generator) -> int | None:
    """Return the rank that a user clicks on, from 0, or None."""
    for rank, row in enumerate(order):
        if random.random() < 1 / (rank + 1) and grades[row] > 0:
            return rank
    return None


def simulate(lists: list[tuple[Any, Any]], rounds: int, seed: int = 0) -> dict[str, Any]:
    """Return NDCG@10 in every round, of the ranker from clicks, of the one with full labels, and of chance."""
    random = np.random.default_rng(seed)
    from_clicks, supervised = online.Ranker(predictor="average"), online.Ranker(predictor="average")
    shown = {"clicks": np.empty(rounds), "told": np.empty(rounds), "chance": np.empty(rounds)}
    for i, query in enumerate(random.integers(0, len(lists), rounds)):
        rows, grades = lists[query]
        mixed = random.permutation(len(grades))  # else the order of the rows might give the grades away
        rows, grades = rows[mixed], grades[mixed]
        orders = {
            "clicks": from_clicks.rank(rows),
            "told": supervised.rank(rows),
            "chance": np.arange(len(grades)),
        }
        for name, order in orders.items():
            shown[name][i] = metrics.ndcg(grades[order], -np.arange(len(order)), np.zeros(len(order)))
        rank = click(orders["clicks"], grades, random)
        if rank is not None:
            from_clicks.add_example(rows[orders["clicks"][: rank + 1]], rank)
        supervised.add_example(rows, set(np.flatnonzero(grades == grades.max()).tolist()))
    return shown


def plot(shown: dict[str, Any], path: str) -> None:
    """Plot regret against rounds."""
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots()
    for name in ("chance", "clicks"):
        axis.plot(np.cumsum(shown["told"] - shown[name]), label=f"{name} against being told")
    axis.set(xlabel="rounds", ylabel="regret, in NDCG@10", title="Learning from clicks on MQ2008")
    axis.legend()
    figure.savefig(path)
    plt.close(figure)


def main() -> None:
    shown = simulate(read_lists(), 5000)
    for name, values in shown.items():
        print(
            f"{name:7} NDCG@10 {values[:500].mean():.3f} in the first 500 rounds, {values[-500:].mean():.3f} in the last"
        )
    plot(shown, sys.argv[1] if len(sys.argv) > 1 else "clicks.png")


if __name__ == "__main__":
    main()
