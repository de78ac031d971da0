"""Examples: longer programs reach their results, and gallery scripts run."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.data import read_conll

EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))


def test_learning_from_clicks_beats_chance(data, tmp_path, monkeypatch):
    monkeypatch.setenv("ROSENBLATT_DATA", str(data))
    import learning_from_clicks as example

    shown = example.simulate(example.read_lists((1, 2)), 600)
    late = {name: values[-300:].mean() for name, values in shown.items()}
    assert late["chance"] + 0.08 < late["clicks"]
    assert np.sum(shown["told"] - shown["clicks"]) > 0
    example.plot(shown, str(tmp_path / "clicks.png"))
    assert (tmp_path / "clicks.png").stat().st_size > 1000


def test_click_prefers_the_first_ranks():
    import learning_from_clicks as example

    random = np.random.default_rng(0)
    ranks = [example.click(np.arange(5), np.ones(5), random) for _ in range(100)]
    assert set(ranks) == {0}
    ranks = [example.click(np.arange(5), np.array([0, 0, 0, 1, 0]), random) for _ in range(2000)]
    assert {*ranks} == {3, None}
    assert ranks.count(3) / 2000 == pytest.approx(0.25, abs=0.05)


@pytest.mark.slow
def test_reranking_improves_on_the_tagger(data):
    train, test = (read_conll(data / "conll2000" / f"{part}.txt.gz") for part in ("train", "test"))
    import reranking as example

    found = example.rerank((train[0][:3000], train[1][:3000]), (test[0][:1000], test[1][:1000]))
    assert found["tagger"] < found["reranked"] < found["best of ten"]


@pytest.mark.slow
def test_drifting_stream_is_followed_within_a_budget(tmp_path):
    import drifting_stream as example

    found = example.simulate(1200, size=60)
    assert found["none"]["stored"] > 200
    for policy in ("projection", "merging", "halving"):
        assert found[policy]["stored"] <= 60
        assert found[policy]["wrong"][600:].mean() < found["none"]["wrong"][600:].mean() + 0.03
    example.plot(found, str(tmp_path / "drift.png"))
    assert (tmp_path / "drift.png").stat().st_size > 1000


PROGRAMS = {"drifting_stream", "learning_from_clicks", "reranking"}
SCRIPTS = sorted(path for path in EXAMPLES.glob("*.py") if path.stem not in PROGRAMS)


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_gallery_scripts_run(script, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    runpy.run_path(str(script), run_name="__main__")
    pyplot.close("all")
