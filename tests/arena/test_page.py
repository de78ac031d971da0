"""The page's server: access, answers, errors and limits."""

import json
from itertools import pairwise

import numpy as np
import pytest
from starlette.testclient import TestClient

from rosenblatt import arena
from rosenblatt.arena.server import sessions
from rosenblatt.arena.server.app import LARGEST, make_app
from rosenblatt.arena.server.sessions import Sessions
from rosenblatt.arena.server.toy_data import TOY_DATA, toy_data

PLANE = {
    "contest": {"name": "classification", "features": 2},
    "rules": {"u": [1, 0], "margin": 0.2, "radius_squared": 1},
}
BENT = {
    "contest": {"name": "classification", "features": 2},
    "scene": "xor",
    "learner": {"kernel": "Polynomial(2)"},
}


@pytest.fixture
def page():
    with TestClient(make_app("secret"), base_url="http://127.0.0.1:8000") as client:
        yield client


def asked(page, verb, values, **options):
    return page.post(f"/secret/api/{verb}", json=values, **options)


# Access.


def test_page_serves_its_files(page):
    shown = page.get("/secret/")
    assert shown.status_code == 200
    assert "default-src 'none'" in shown.headers["content-security-policy"]
    for name in ("main.js", "style.css", "plane.js", "icon.svg"):
        assert page.get(f"/secret/{name}").status_code == 200
    assert "//" not in shown.text.replace("<!--", "").replace("https://", "!!").replace("http://", "!!")
    assert "!!" not in shown.text


@pytest.mark.parametrize(
    "path",
    ["/", "/other/", "/other/main.js", "/secre/", "/other/api/new", "/secret/..%2f..%2fpyproject.toml"],
)
def test_page_requires_the_token(page, path):
    answer = page.get(path)
    assert answer.status_code in (403, 404)
    assert "script" not in answer.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example:8000"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_api_rejects_other_origins(page, headers, status):
    sent = {"content-type": "application/json"} | headers
    done = page.post("/secret/api/new", content=json.dumps(PLANE), headers=sent)
    assert done.status_code == status
    assert page.post("/wrong/api/new", json=PLANE).status_code == 403


def test_api_accepts_its_own_origin(page):
    assert asked(page, "new", PLANE, headers={"origin": "http://127.0.0.1:8000"}).status_code == 200


# Answers.


def test_play_returns_the_numbers_of_the_match(page):
    match = asked(page, "new", PLANE).json()
    match = asked(page, "play", {"id": match["id"], "strategy": "random", "rounds": 30}).json()
    record = asked(page, "record", {"id": match["id"]}).json()["record"]
    again = arena.from_json(record)
    proof = arena.prove(again)
    assert match["proof"]["progress"] == proof.progress.tolist()
    assert match["proof"]["length"] == proof.length_squared.tolist()
    assert match["survived"] == again.run.ledger.survived.tolist()
    assert np.array_equal(match["guesses"][-1], again.run.hypothesis.weights[:-1, 0])
    assert [round["wrong"] for round in match["rounds"]] == [round.wrong for round in again.rounds]
    loaded = asked(page, "load", {"record": record}).json()
    assert loaded["rounds"] == match["rounds"]


@pytest.mark.parametrize("rule", ["Perceptron()", "Perceptron(eta=0.5)", "PassiveAggressive()"])
@pytest.mark.parametrize("kernel", ["Linear()", "Polynomial(2)"])
@pytest.mark.parametrize("name", ["xor", "spirals"])
def test_proof_payload_has_no_false_inequality(page, name, kernel, rule):
    match = asked(page, "new", BENT | {"scene": name, "learner": {"kernel": kernel, "rule": rule}}).json()
    match = asked(page, "play", {"id": match["id"], "strategy": "data", "rounds": 200}).json()
    found = arena.certificate(arena.from_json(asked(page, "record", {"id": match["id"]}).json()["record"]))
    proof = match["proof"]
    progress, floor, length, ceiling = (
        np.array(proof[n]) for n in ("progress", "floor", "length", "ceiling")
    )
    assert (progress - floor >= -1e-9 * np.abs(progress)).all()
    assert (length <= ceiling * (1 + 1e-9)).all()
    assert proof["separable"] == found.separable
    assert (proof["margin"], proof["deviation"]) == (found.margin, found.deviation)
    assert proof["bound"] == (None if found.bound == np.inf else found.bound)
    assert proof["mistakes"] <= (proof["bound"] or np.inf)
    if found.separable:
        assert ((floor**2 <= progress**2 * (1 + 1e-9)) & (progress**2 <= length * (1 + 1e-9))).all()
    elif proof["bound"] is not None:
        assert proof["theorem"] == found.theorem
        assert proof["meet"] == ("Perceptron" in rule)
    if proof["bound"] is not None and proof["meet"] and not found.separable:
        k = np.arange(len(floor))
        np.testing.assert_allclose(
            floor, proof["step"] * (k * found.margin - np.sqrt(k) * found.deviation), atol=1e-9
        )
        assert proof["step"] == (1.0 if proof["plain"] else 0.5)


@pytest.mark.parametrize("predictor", ["last", "best", "average", "vote", "sample"])
def test_surface_has_the_scores_of_the_estimator(page, predictor):
    from rosenblatt import PerceptronClassifier, kernels

    match = asked(page, "new", BENT).json()
    match = asked(page, "play", {"id": match["id"], "strategy": "data", "rounds": 50}).json()
    at = len(match["rounds"])
    done = asked(
        page, "surface", {"id": match["id"], "predictor": predictor, "at": at, "reach": 1.0, "side": 20}
    )
    side = int(done.headers["x-side"])
    cells = np.frombuffer(done.content, np.float32).reshape(side, side)
    X, y = zip(*(round["move"] for round in match["rounds"]), strict=True)
    clf = PerceptronClassifier(
        kernels.Polynomial(2),
        rule="perceptron",
        max_iter=1,
        shuffle=False,
        fit_intercept=False,
        predictor=predictor,
    ).fit(X, y)
    along = (np.arange(side) + 0.5) / side * 2 - 1
    grid = np.stack(np.meshgrid(along, -along), axis=-1).reshape(-1, 2)
    if predictor == "sample":
        clf.set_params(predictor="last")
        # Each guess is the one before and a correction.
        added = clf.kernel(grid, clf.support_vectors_) * clf.dual_coef_[0]
        every = np.cumsum(np.insert(added, 0, 0, axis=1), axis=1)
        nearest = np.abs(cells.reshape(-1, 1) - every).min(axis=1)
        assert (nearest < 1e-5).all()  # each cell has the score of some guess
    else:
        np.testing.assert_allclose(cells.ravel(), clf.decision_function(grid), atol=1e-5)


def test_surface_of_an_earlier_round_stays_the_same(page):
    match = asked(page, "new", PLANE).json()
    early = asked(page, "play", {"id": match["id"], "strategy": "random", "rounds": 12}).json()
    question = {"id": match["id"], "predictor": "average", "at": 12, "side": 16, "reach": 1.0}
    before = asked(page, "surface", question).content
    asked(page, "play", {"id": match["id"], "strategy": "greedy", "rounds": 30})
    asked(page, "play", {"id": match["id"], "strategy": "random", "rounds": 200})
    assert asked(page, "surface", question).content == before
    assert early["proof"]["mistakes"] > 0


def test_why_adds_up_to_the_score(page):
    match = asked(page, "new", BENT).json()
    match = asked(page, "play", {"id": match["id"], "strategy": "data", "rounds": 50}).json()
    found = asked(
        page, "why", {"id": match["id"], "x": [0.3, -0.2], "at": len(match["rounds"]), "predictor": "last"}
    )
    assert sum(part["product"] for part in found.json()["parts"]) == pytest.approx(found.json()["score"])
    nothing = asked(page, "why", {"id": match["id"], "x": [0.3, -0.2], "at": 0, "predictor": "last"}).json()
    assert nothing["parts"] == []


def total(lattice, path):
    """Return the score of a path."""
    ids = [lattice["labels"].index(label) for label in path]
    inner = sum(lattice["pairs"][a][b] for a, b in pairwise(ids))
    words = sum(lattice["scores"][i][label] for i, label in enumerate(ids))
    return words + inner + lattice["first"][ids[0]] + lattice["last"][ids[-1]]


def test_lattice_shows_the_search_and_the_correction(page):
    match = asked(page, "new", {"contest": {"name": "sequence"}}).json()
    match = asked(page, "play", {"id": match["id"], "strategy": "random", "rounds": 8}).json()
    for number, round in enumerate(match["rounds"]):
        lattice = asked(page, "lattice", {"id": match["id"], "round": number}).json()
        assert total(lattice, lattice["answer"]) >= total(lattice, lattice["truth"])
        assert bool(lattice["added"]) == round["wrong"]
        added = {line["what"]: line["amount"] for line in lattice["added"]}
        for word, label, answer in zip(lattice["words"], lattice["truth"], lattice["answer"], strict=True):
            if label != answer and lattice["words"].count(word) == 1:
                assert added[f"{word} / {label}"] == 1
                assert added[f"{word} / {answer}"] == -1


@pytest.mark.parametrize("name", TOY_DATA)
def test_toy_data_is_learned_by_an_rbf_kernel(name):
    match = arena.Match(arena.Classification(2), None, arena.Learner("RBF(sigma=0.1)"))
    match.play(arena.Repeated(toy_data(name)), 20 * len(toy_data(name)))
    assert not any(round.wrong for round in match.rounds[-len(toy_data(name)) :])


# Bad input.


@pytest.mark.parametrize(
    ("verb", "values", "why"),
    [
        ("dance", {}, "A request is one of"),
        ("new", [], "must be an object"),
        ("new", {}, "A contest is named"),
        ("new", {"contest": {"name": "classification", "features": 1000}}, "400 dimensions"),
        ("new", BENT | {"scene": "moon"}, "Toy data is one of"),
        ("new", BENT | {"scene": 5}, "Toy data has a name"),
        (
            "new",
            {"contest": {"name": "ranking", "features": 2, "length": 3}, "scene": "xor"},
            "Toy data has a name",
        ),
        ("show", {"move": [[1e200, 0], 1]}, "up to 1e"),
        ("new", BENT | {"learner": {"kernel": "(Linear() + 1) ** 9 ** 99 ** 99"}}, "kernel"),
        ("new", BENT | {"learner": {"kernel": "+".join(["RBF(sigma=1)"] * 99)}}, "at most 200 characters"),
        ("new", BENT | {"learner": {"kernel": "open('/etc/passwd')"}}, "must be made of"),
        ("new", PLANE | {"rules": {"u": [1, 0], "margin": 2, "radius_squared": 1}}, "no legal move"),
        ("show", {"id": "missing", "move": [[1, 0], 1]}, "no longer here"),
        ("show", {"move": [[0.1, 0], 1]}, "Margin"),
        ("show", {"move": [[9, 0], 1]}, "Radius"),
        ("show", {"move": [[1], 1]}, "2 finite numbers"),
        ("show", {"move": "x"}, "A move must be"),
        ("play", {"strategy": "random", "rounds": 10**9}, "from 1 to"),
        ("play", {"strategy": "random", "rounds": True}, "from 1 to"),
        ("play", {"strategy": "cheat", "rounds": 1}, "Player A is"),
        ("undo", {"rounds": 0}, "from 1 to"),
        ("load", {"record": 5}, "must be a string"),
        ("load", {"record": "{}"}, "not the record"),
        ("surface", {"predictor": "last", "at": 0, "side": 10**6}, "from 8 to 200"),
        ("surface", {"predictor": "oracle", "at": 0, "side": 20}, "A predictor is"),
        ("surface", {"predictor": "last", "at": 99, "side": 20}, "from 0 to"),
        ("surface", {"predictor": "last", "at": 0, "side": 20, "reach": -1}, "above 0"),
        ("why", {"x": [1], "at": 0, "predictor": "last"}, "2 finite numbers"),
        ("lattice", {"round": 0}, "sentences"),
    ],
)
def test_api_rejects_crafted_requests_and_keeps_the_match(page, verb, values, why):
    match = asked(page, "new", PLANE).json()
    match = asked(page, "play", {"id": match["id"], "strategy": "random", "rounds": 3}).json()
    if isinstance(values, dict):
        values = {"id": match["id"]} | values
    done = asked(page, verb, values)
    assert done.status_code == 400
    assert why in done.json()["error"]
    record = json.loads(asked(page, "record", {"id": match["id"]}).json()["record"])
    assert record["moves"] == [round["move"] for round in match["rounds"]]


def test_api_rejects_kernels_that_overflow(page):
    bomb = BENT | {"learner": {"kernel": "((((Linear() + 9) ** 9) ** 9) ** 9) ** 9"}}
    match = asked(page, "new", bomb).json()
    done = asked(page, "play", {"id": match["id"], "strategy": "data", "rounds": 50})
    assert done.status_code == 400
    assert "leaves the range" in done.json()["error"]
    assert asked(page, "new", PLANE).status_code == 200


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b"NaN"])
def test_api_rejects_malformed_json(page, body):
    done = page.post("/secret/api/new", content=body, headers={"content-type": "application/json"})
    assert done.status_code == 400
    assert done.json()["error"]


def test_api_rejects_oversized_requests(page):
    pieces = (b"[" + b"0," * 2**16 for _ in range(2 * LARGEST // 2**17))
    done = page.post("/secret/api/load", content=pieces, headers={"content-type": "application/json"})
    assert done.status_code == 413


def test_sessions_drops_the_oldest_match():
    server = Sessions()
    first = server.ask("new", PLANE)
    for _ in range(sessions.MATCHES - 1):
        server.ask("new", PLANE)
    server.ask("play", {"id": first["id"], "strategy": "random", "rounds": 1})  # now it is not the oldest
    server.ask("new", PLANE)
    server.ask("record", {"id": first["id"]})
    assert len(server._sessions) == sessions.MATCHES


def test_sessions_limits_rounds_per_match(monkeypatch):
    monkeypatch.setattr(sessions, "ROUNDS", 5)
    server = Sessions()
    match = server.ask("new", PLANE)
    assert server.ask("play", {"id": match["id"], "strategy": "random", "rounds": 5})["played"] == 5
    assert server.ask("play", {"id": match["id"], "strategy": "random", "rounds": 5})["played"] == 0
    with pytest.raises(ValueError, match="at most 5 rounds"):
        server.ask("show", {"id": match["id"], "move": [[1, 0], 1]})


def test_sessions_limits_numbers_per_match():
    server = Sessions()
    rules = {"u": [1] * 400, "margin": 0.05, "radius_squared": 1}
    match = server.ask("new", {"contest": {"name": "classification", "features": 400}, "rules": rules})
    match = server.ask("play", {"id": match["id"], "strategy": "random", "rounds": 5000})
    assert match["played"] == sessions.NUMBERS // 400
    assert len(json.dumps(match)) < 1_000_000
    assert match["rounds"][0]["move"] in ([None, 1], [None, -1])


def test_load_rejects_long_records_before_playing(monkeypatch):
    monkeypatch.setattr(sessions, "ROUNDS", 5)
    monkeypatch.setattr(arena.Match, "show", lambda *_: pytest.fail("it was played"))
    moves = {"moves": [[[1, 0], 1]] * 6, "wrong": [1] * 6}
    record = {"format": "rosenblatt-match", "version": 1, "learner": {"kernel": None}} | PLANE | moves
    with pytest.raises(ValueError, match="up to 5 rounds"):
        Sessions().ask("load", {"record": json.dumps(record)})


def test_play_stops_at_the_time_limit(monkeypatch):
    monkeypatch.setattr(sessions, "SECONDS", 0.0)
    server = Sessions()
    match = server.ask("new", PLANE)
    assert server.ask("play", {"id": match["id"], "strategy": "random", "rounds": 100})["played"] == 0
