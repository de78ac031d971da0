"""`make demo` from beginning to end."""

import re

from rosenblatt.cli import demo


def test_demo_prints_its_results_and_draws_three_pictures(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    demo.main()
    text = capsys.readouterr().out
    for name in ("last", "best", "average", "vote", "sample", "mistakes", "support"):
        assert name in text
    assert len(re.findall(r"^degree \d", text, re.MULTILINE)) == 5
    assert re.search(r"there are at most [\d.]+ mistakes\. It holds: \d+\.", text)
    assert "importance   similarity      product" in text
    for picture in ("demo-mistakes.png", "demo-proof.png", "demo-surface.png"):
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")
