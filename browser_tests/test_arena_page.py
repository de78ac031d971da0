"""The arena in a real browser: what is drawn, and that it agrees with the record."""

import json
import sys
from pathlib import Path

import pytest

from rosenblatt import arena

AXE = Path(sys.prefix) / "axe" / "node_modules" / "axe-core" / "axe.min.js"

MODES = ("plane", "kernel", "ranking", "sequence")


def proof_on_the_page(visitor):
    """Return the numbers that the charts show for every k, reached by the keyboard."""
    count = len(visitor.rows("guesses-table"))
    visitor.page.focus("#chart-progress")
    for _ in range(count):
        visitor.page.keyboard.press("ArrowLeft")
    found = []
    for _ in range(count):
        shown = visitor.page.eval_on_selector("#proof-line", "line => ({...line.dataset})")
        found.append({name: float(value) for name, value in shown.items()})
        visitor.page.keyboard.press("ArrowRight")
    return found


def agrees_with_the_record(visitor):
    match = arena.from_json(visitor.record())
    proof = arena.prove(match)
    for shown in proof_on_the_page(visitor):
        k = int(shown["k"])
        assert shown["progress"] == proof.progress[k]
        assert shown["floor"] == proof.progress_floor[k]
        assert shown["length"] == proof.length_squared[k]
        assert shown["ceiling"] == proof.length_ceiling[k]
    results = [row[3] for row in visitor.rows("rounds-table")]
    assert results == ["✗" if round.wrong else "✓" for round in match.rounds][-len(results) :]
    return match


def test_click_shows_an_example_and_its_mistake(visit):
    visitor = visit()
    before = visitor.page.get_attribute("#guess", "d") or ""
    visitor.click_at(420, 200)
    assert "a mistake" in visitor.text("#status")
    assert visitor.rows("rounds-table")[0][1:4:2] == ["v_0", "✗"]
    assert visitor.page.get_attribute("#guess", "d") != before
    assert visitor.page.get_attribute("#foot", "d")
    visitor.click_at(180, 400)
    visitor.play(10)
    match = agrees_with_the_record(visitor)
    assert len(match.rounds) == 12
    visitor.picture("plane")


def test_illegal_point_is_refused_by_its_rule(visit):
    visitor = visit()
    visitor.refusals_expected = 2
    visitor.click_at(300, 300)
    assert visitor.text("#fault").startswith("Margin:")
    visitor.click_at(590, 10)
    assert visitor.text("#fault").startswith("Radius:")
    assert visitor.rows("rounds-table") == []


def test_the_orthogonal_adversary_reaches_the_bound(visit):
    visitor = visit()
    visitor.page.select_option("select[name=dimensions]", "all")
    visitor.click("#rules button")
    visitor.play("all")
    assert "25 mistakes so far, of at most 25" in visitor.text("#status")
    match = agrees_with_the_record(visitor)
    assert match.contest.features == 25
    visitor.play(1)
    assert "no more moves" in visitor.text("#status")
    visitor.picture("orthogonal")


def test_xor_with_a_polynomial_kernel(visit):
    visitor = visit()
    visitor.enter("kernel")
    visitor.play("all")
    assert [row[3] for row in visitor.rows("rounds-table")][-4:] == ["✓"] * 4
    assert visitor.page.get_attribute("#points image", "href").startswith("data:image/png")
    assert visitor.page.locator("#points .ring").count() == 4
    visitor.page.check("#asking")
    visitor.click_at(200, 200)
    assert "importance × similarity" in visitor.text("#why")
    assert visitor.page.locator("#points line").count() == 4
    visitor.picture("kernel")


def test_proof_of_xor_without_a_kernel_is_freund_and_schapires(visit):
    visitor = visit()
    visitor.enter("kernel")
    visitor.page.fill("input[name=kernel]", "Linear()")
    visitor.click("#learner button")
    visitor.click("[data-scene=xor]")
    for _ in range(10):
        visitor.play(10)
    found = arena.certificate(arena.from_json(visitor.record()))
    assert not found.separable
    shown = visitor.text("#proof-line")
    assert "≥ kγ − √k·D = " in shown
    assert "(Freund and Schapire's ((√R + D)/γ)²). No u is known that separates the examples" in shown
    assert "≥ kγ =" not in shown
    assert visitor.page.text_content("#chart-progress text") == "v_k · u  ≥  kγ − √k·D"
    numbers = proof_on_the_page(visitor)
    assert all(shown["progress"] >= shown["floor"] for shown in numbers)
    assert all(shown["length"] <= shown["ceiling"] for shown in numbers)
    visitor.picture("xor without a kernel")
    visitor.page.fill("input[name=rule]", "PassiveAggressive()")
    visitor.click("#learner button")
    assert "the mistakes are at most 200 (Crammer and others'" in visitor.text("#proof-line")
    assert visitor.page.text_content("#chart-progress text") == "v_k · u and its lower bound"
    visitor.page.fill("input[name=rule]", "Margin()")
    visitor.click("#learner button")
    assert "nothing is promised" in visitor.text("#proof-line")
    assert "≥" not in visitor.text("#proof-line")


@pytest.mark.parametrize("mode", ["", *MODES])
def test_page_opens_at_its_title(browser, address, mode):
    page = browser.new_page(viewport={"width": 1000, "height": 300})
    page.goto(f"{address}#{mode}" if mode else address)
    page.wait_for_selector("body:not([aria-busy]) #figure:not([aria-busy]) > svg")
    page.wait_for_timeout(300)  # a browser scrolls to a fragment when all is loaded
    assert page.evaluate("location.hash") == f"#{mode or 'plane'}"
    assert page.evaluate("document.documentElement.scrollHeight > innerHeight")
    assert page.evaluate("scrollY") == 0
    page.close()


def test_every_predictor_colours_the_plane(visit):
    visitor = visit()
    visitor.enter("kernel")
    visitor.click("[data-scene=circles]")
    visitor.play("all")
    pictures = set()
    for name in ("last", "average", "vote", "sample"):  # the last guess is the best one, too
        visitor.page.check(f"[name=predictor][value={name}]")
        visitor.settled()
        pictures.add(visitor.page.get_attribute("#points image", "href"))
    assert len(pictures) == 4


@pytest.mark.parametrize("scene", ["spirals", "checkerboard"])
def test_narrow_kernel_learns_toy_data(visit, scene):
    visitor = visit()
    visitor.enter("kernel")
    visitor.page.fill("input[name=kernel]", "RBF(sigma=0.1)")
    visitor.click(f"[data-scene={scene}]")
    visitor.play("all")
    visitor.play(1)
    assert "no more moves" in visitor.text("#status")
    visitor.picture(scene)


def test_bad_kernels_are_refused_and_the_page_still_works(visit):
    visitor = visit()
    visitor.refusals_expected = 3
    visitor.enter("kernel")
    visitor.play("all")
    for kernel in ("((Linear() + 9) ** 99) ** 99", "__import__('os')", "RBF()"):
        visitor.page.fill("input[name=kernel]", kernel)
        visitor.click("#learner button")
        assert len(visitor.text("#fault")) > 20
    visitor.page.fill("input[name=kernel]", "Polynomial(3)")
    visitor.click("#learner button")
    assert visitor.text("#fault") == ""


def test_ranking(visit):
    visitor = visit()
    visitor.enter("ranking")
    visitor.play(10)
    agrees_with_the_record(visitor)
    order = visitor.page.locator("#round-details tbody tr").all_inner_texts()
    assert len(order) == 5
    assert "B's answer" in order[0]
    for point in ((420, 200), (200, 260), (260, 420)):
        visitor.click_at(*point)
    assert visitor.text("#pending").startswith("3 placed")
    visitor.click("#show-list")
    assert visitor.text("#step-shown") == "11 of 11"
    visitor.picture("ranking")


def test_sequences(visit):
    visitor = visit()
    visitor.refusals_expected = 1
    visitor.enter("sequence")
    visitor.click("#show-sentence")
    assert "a mistake" in visitor.text("#status")
    assert visitor.page.get_attribute("#lattice .answered", "d")
    assert visitor.page.get_attribute("#lattice .true", "d")
    added = visitor.page.locator("#round-details tbody tr").all_inner_texts()
    assert any(line.startswith("dog / N") and "+1" in line for line in added)
    visitor.play(10)
    agrees_with_the_record(visitor)
    visitor.page.fill("#sentence", "the/D cat/N")
    visitor.click("#show-sentence")
    assert "cat" in visitor.text("#fault")
    visitor.picture("sequence")


def test_undo_and_stepping(visit):
    visitor = visit()
    visitor.play(10)
    visitor.click("#undo")
    assert visitor.text("#step-shown") == "9 of 9"
    first = visitor.record()
    visitor.click("#first")
    assert visitor.text("#step-shown") == "0 of 9"
    assert not visitor.page.get_attribute("#guess", "d")
    visitor.click("#forward")
    visitor.click("#forward")
    visitor.click("#back")
    assert visitor.text("#step-shown") == "1 of 9"
    assert len(visitor.rows("rounds-table")) == 1
    visitor.click("#last")
    assert visitor.record() == first


@pytest.mark.parametrize("mode", MODES)
def test_a_match_is_saved_and_loaded(visit, mode, tmp_path):
    visitor = visit()
    visitor.enter(mode)
    visitor.play(10)
    record, rows = visitor.record(), visitor.rows("rounds-table")
    (tmp_path / "match.json").write_text(record, encoding="utf-8")
    other = visit()
    other.page.set_input_files("#load", tmp_path / "match.json")
    other.until(f"document.getElementById('step').max == '{len(rows)}'")
    other.settled()
    assert other.page.locator(f"button[data-mode={mode}]").get_attribute("aria-current") == "page"
    assert other.rows("rounds-table") == rows
    assert other.record() == record


def test_load_refuses_other_files(visit, tmp_path):
    visitor = visit()
    visitor.refusals_expected = 1
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    visitor.page.set_input_files("#load", tmp_path / "x.json")
    visitor.until("document.getElementById('fault').textContent.length > 0")
    assert "not the record of a match" in visitor.text("#fault")


@pytest.mark.parametrize("mode", MODES)
def test_pictures_are_exported(visit, mode):
    visitor = visit()
    visitor.enter(mode)
    visitor.play(10)
    for button, begins in (("#save-svg", b"<svg"), ("#save-png", b"\x89PNG")):
        with visitor.page.expect_download() as saved:
            visitor.page.click(button)
        with open(saved.value.path(), "rb") as file:
            assert file.read().startswith(begins)


def test_the_keyboard_is_enough(visit):
    visitor = visit()
    page = visitor.page
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "points":
            break
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    visitor.until("document.getElementById('status').textContent.includes('Round 1')")
    visitor.settled()
    assert visitor.rows("rounds-table")[0][2] == "(0.5, 0) +"
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.rounds") == "10":
            break
    page.keyboard.press("Enter")
    visitor.until("document.getElementById('status').textContent.includes('Round 11')")
    visitor.settled()
    page.focus("#step")
    page.keyboard.press("ArrowLeft")
    assert visitor.text("#step-shown") == "10 of 11"


@pytest.mark.parametrize(("width", "height"), [(360, 740), (1920, 1080)])
@pytest.mark.parametrize("mode", MODES)
def test_nothing_is_cut_off_on_a_narrow_or_a_wide_screen(visit, mode, width, height):
    visitor = visit(viewport={"width": width, "height": height})
    visitor.enter(mode)
    visitor.play(10)
    assert visitor.page.evaluate("document.scrollingElement.scrollWidth") <= width
    visitor.picture(f"{mode}-{width}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("mode", MODES)
def test_axe_finds_no_serious_fault(visit, mode, scheme):
    visitor = visit(color_scheme=scheme, bypass_csp=True)
    visitor.enter(mode)
    visitor.play(10)
    visitor.page.add_script_tag(path=AXE)
    found = visitor.page.evaluate("axe.run()")
    grave = [fault for fault in found["violations"] if fault["impact"] in ("serious", "critical")]
    assert grave == [], json.dumps(
        [[fault["id"], [node["html"] for node in fault["nodes"]]] for fault in grave], indent=1
    )
    visitor.picture(f"{mode}-{scheme}")


def test_a_page_without_the_token_is_refused(browser, address):
    page = browser.new_page()
    answer = page.goto(address.replace(address.split("/")[3], "guessed"))
    assert answer.status == 403
    page.close()


def test_another_page_cannot_drive_it(browser, address, tmp_path):
    (tmp_path / "evil.html").write_text("<p>elsewhere</p>", encoding="utf-8")
    page = browser.new_page()
    page.goto(f"file://{tmp_path}/evil.html")
    done = page.evaluate(
        "address => fetch(address + 'api/new', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'})"
        ".then(answer => answer.status, () => 'refused')",
        address,
    )
    assert done == "refused"
    page.close()


def test_a_match_of_ten_thousand_rounds_is_loaded_and_replayed(visit, tmp_path):
    match = arena.Match(arena.Classification(2), arena.Rules((0.6, 0.8), 0.02, 1.0))
    match.play(arena.Random(0), 10_000)
    arena.save(match.transcript, tmp_path / "long.json")
    visitor = visit()
    visitor.page.set_input_files("#load", tmp_path / "long.json")
    visitor.until("document.getElementById('step').max == '10000'")
    visitor.page.select_option("#speed", "600")
    visitor.page.click("#run")
    visitor.until("Number(document.getElementById('step').value) > 300")
    visitor.page.click("#run")
    visitor.settled()
    step = int(visitor.page.input_value("#step"))
    assert visitor.rows("rounds-table")[-1][0] == str(step)


def test_fast_clicks_end_in_the_state_of_the_last(visit):
    visitor = visit()
    for selector in (
        ".play[data-rounds=all]",
        "[data-mode=kernel]",
        ".play[data-rounds='10']",
        "[data-mode=ranking]",
    ):
        visitor.page.click(selector)
    visitor.settled()
    assert visitor.text("#board-title") == "Lists"
    assert visitor.rows("rounds-table") == []
    visitor.play(10)
    assert visitor.text("#step-shown") == "10 of 10"


def test_a_new_round_ends_a_replay(visit):
    visitor = visit()
    visitor.play("all")
    visitor.page.click("#run")
    visitor.page.wait_for_timeout(300)
    visitor.play(1)
    visitor.page.wait_for_timeout(300)
    assert visitor.text("#step-shown") == "501 of 501"
    assert visitor.page.get_attribute("#run", "aria-pressed") == "false"
