// The page's state: the game, the match and the round that is shown; and what is redrawn when they change.

import { ask } from "./api.js";
import { Charts } from "./charts.js";
import { picture } from "./heat.js";
import { LatticeFigure, added } from "./lattice.js";
import { Lists, order } from "./lists.js";
import { MODES } from "./modes.js";
import { Plane, edge, guessAt } from "./plane.js";
import { Replay } from "./replay.js";
import { asPng, asSvg, download } from "./share.js";
import { html, shown } from "./svg.js";
import * as tables from "./tables.js";

const PREDICTORS = ["last", "best", "average", "vote", "sample"];
const SIDE = 200, MOST_DIMENSIONS = 400;

const at = (id) => document.getElementById(id);
const state = { mode: "plane", match: null, step: 0, predictor: "last", kernel: "Polynomial(2)", pending: [], figure: null, asked: 0, waiting: 0, queue: Promise.resolve() };
const replay = new Replay(at("run"), at("speed"), (step) => look(step, true), () => look(state.step));
const charts = new Charts(at("charts"), (line, numbers) => {
  at("proof-line").textContent = line && `${line} Here u is ${state.match.proof.direction}.`;
  Object.assign(at("proof-line").dataset, numbers);
}, (aloud) => at("proof-line").setAttribute("aria-live", aloud ? "polite" : "off"));

// Requests to the server.

/** Queue a task: tasks run one at a time, in order. */
function enqueue(work) {
  state.waiting += 1;
  document.body.setAttribute("aria-busy", "true");
  state.queue = state.queue.then(async () => {
    at("fault").textContent = "";
    try {
      await work();
    } catch (fault) {
      at("fault").textContent = fault.message;
    }
    state.waiting -= 1;
    if (!state.waiting) document.body.removeAttribute("aria-busy");
  });
  return state.queue;
}

const request = (verb, values = {}) => ask(verb, { id: state.match?.id, ...values });

/** Store a match that the server sent, and show its last round, or round `step`. */
function take(match, step = match.rounds.length) {
  replay.stop();
  let mistakes = 0;
  match.mistakes = [0, ...match.rounds.map((round) => (mistakes += round.wrong))];
  state.match = match;
  state.figure.begin?.(match);
  charts.begin(match.proof, match.rules);
  at("step").max = match.rounds.length;
  if (match.learner.kernel) state.kernel = match.learner.kernel;
  look(step);
}

/** Report the result of the round that is shown. */
function report() {
  const { rounds, proof, rules, mistakes } = state.match, round = rounds[state.step - 1];
  const promised = rules && proof?.direction === "the referee's" ? `, of at most ${shown(proof.bound)}` : "";
  at("status").textContent = !round ? "A match before its first round. It is A's turn." :
    `Round ${state.step}: ${round.wrong ? "a mistake ✗" : "correct ✓"}. ${mistakes[state.step]} mistakes so far${promised}.`;
}

// Showing a round.

/** Draw the match after `step` rounds. */
function look(step, quickly = false) {
  const match = state.match;
  if (!match) return;
  state.step = Math.min(match.rounds.length, Math.max(0, step));
  const k = guessAt(match, state.step);
  at("step").value = state.step;
  at("step-shown").textContent = `${state.step} of ${match.rounds.length}`;
  if (state.mode !== "sequence") state.figure.draw(state.step);
  if (match.proof) charts.draw(k);
  if (quickly) return;
  lookCloser();  // first: the server computes while the tables are written
  report();
  tables.rounds(at("rounds-table"), match, state.step);
  tables.guesses(at("guesses-table"), match, state.step, k);
  if (state.mode === "ranking") order(at("round-details"), match, state.step);
}

/** Request what the server computes for this round; responses that come too late are dropped. */
async function lookCloser() {
  const asked = ++state.asked, late = () => asked !== state.asked;
  at("figure").setAttribute("aria-busy", "true");
  try {
    await compute(late);
  } catch (fault) {
    if (!late()) at("fault").textContent = fault.message;
  } finally {
    if (!late()) at("figure").removeAttribute("aria-busy");
  }
}

async function compute(late) {
  const { mode, match, step, predictor, figure } = state;
  if (mode === "sequence") {
    const lattice = step ? await request("lattice", { round: step - 1 }) : null;
    if (late()) return;
    figure.draw(lattice);
    added(at("round-details"), lattice, match.rounds[step - 1]);
  } else if (mode !== "ranking" && match.contest.features === 2) {
    await colour(figure, step, predictor, late);
  } else {
    figure.colour(null);
  }
}

async function colour(figure, step, predictor, late) {
  figure.why([0, 0], []);
  at("why").replaceChildren();
  const common = { at: step, predictor };
  const [cells, stored] = await Promise.all([
    step ? request("surface", { ...common, reach: edge(figure), side: SIDE }) : null,
    step && state.mode === "kernel" ? request("support", common) : { support: [] },
  ]);
  if (late()) return;
  figure.colour(cells && picture(cells));
  figure.ring(stored.support);
}

// Playing.

function rulesFromForm() {
  const form = new FormData(at("rules")), margin = Number(form.get("margin")), radius = Number(form.get("radius"));
  const turn = (Number(form.get("angle")) * Math.PI) / 180;
  const rules = { margin, radius_squared: radius };
  const many = state.mode === "plane" && form.get("dimensions") === "all";
  const bound = Math.ceil(radius / margin ** 2 - 1e-9);
  const dimensions = many ? Math.min(MOST_DIMENSIONS + 1, Math.max(2, bound || 2)) : 2;
  rules.u = many ? Array(dimensions).fill(1) : [Math.cos(turn), Math.sin(turn)];
  return { rules, dimensions };
}

function playerB() {
  const form = new FormData(at("learner"));
  return { kernel: state.mode === "kernel" ? form.get("kernel") : null, rule: form.get("rule") };
}

async function begin(scene) {
  replay.stop();
  state.pending = [];
  if (state.mode === "plane") {
    const { rules, dimensions } = rulesFromForm();
    at("strategy").value = dimensions > 2 ? "orthogonal" : "random";
    take(await request("new", { contest: { name: "classification", features: dimensions }, rules, learner: playerB() }));
  } else if (state.mode === "kernel") {
    take(await request("new", { contest: { name: "classification", features: 2 }, scene: scene ?? "xor", learner: playerB() }));
  } else if (state.mode === "ranking") {
    take(await request("new", { contest: { name: "ranking", features: 2, length: 5 }, rules: rulesFromForm().rules }));
  } else {
    take(await request("new", { contest: { name: "sequence" } }));
  }
}

async function play(rounds) {
  const strategy = at("strategy").value;
  const all = { data: 2000, orthogonal: 400 }[strategy] ?? 500;
  const match = await request("play", { strategy, rounds: rounds === "all" ? all : Number(rounds) });
  take(match);
  if (!match.played) at("status").textContent = "Player A has no more moves to make.";
}

async function showPoint(point) {
  const chosen = at("label").value, u = state.match.rules?.u;
  if (state.match.contest.features !== 2) throw new Error("In many dimensions a strategy plays A: choose one and press Play.");
  const label = chosen === "side" ? (point[0] * u[0] + point[1] * u[1] >= 0 ? 1 : -1) : Number(chosen);
  take(await request("show", { move: [point, label] }));
}

async function explain(point) {
  const step = state.step, found = await request("why", { x: point, at: step, predictor: state.predictor });
  if (step !== state.step) return;
  state.figure.why(point, found.parts);
  const lines = found.parts.slice(0, 10).map((part) => tables.row([part.round + 1, shown(part.importance), shown(part.similarity), shown(part.product)]));
  at("why").replaceChildren(
    html("p", {}, `The score at (${point.map((number) => shown(number)).join(", ")}) by ${found.predictor} is ${shown(found.score)}: importance × similarity, summed.`),
    html("table", {}, tables.head(["round", "importance", "similarity", "product"]), html("tbody", {}, ...lines)));
}

function chosen(point) {
  [at("x1").value, at("x2").value] = point;
  if (state.mode === "ranking") {
    state.pending.push(point);
    pend();
  } else if (state.mode === "kernel" && at("asking").checked) {
    enqueue(() => explain(point));
  } else {
    enqueue(() => showPoint(point));
  }
}

function pend() {
  state.figure.wait(state.pending);
  at("pending").textContent = state.pending.length ? `${state.pending.length} placed; the best is the farthest along u` : "no candidate placed yet";
}

async function showList() {
  const [a, b] = state.match.rules.u, heights = state.pending.map(([x, y]) => a * x + b * y);
  const match = await request("show", { move: [state.pending, heights.indexOf(Math.max(...heights))] });
  state.pending = [];
  take(match);
  pend();
}

async function showSentence() {
  if (!at("sentence").value.trim().split(/\s+/).every((pair) => /.\/./.test(pair))) {
    throw new Error("A sentence is words with their labels, as in the/D dog/N.");
  }
  const pairs = at("sentence").value.trim().split(/\s+/).map((pair) => [pair.slice(0, pair.lastIndexOf("/")), pair.slice(pair.lastIndexOf("/") + 1)]);
  take(await request("show", { move: [pairs.map(([word]) => word), pairs.map(([, label]) => label)] }));
}

// Modes and wiring.

function enter(mode) {
  return enqueue(() => { turnTo(mode); return begin(); });
}

/** Show the controls of a mode, without a match. */
function turnTo(mode) {
  replay.stop();
  state.mode = mode;
  state.match = null;
  state.asked += 1;
  charts.begin(null);
  for (const button of document.querySelectorAll(".mode")) {
    if (button.dataset.mode === mode) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  for (const element of document.querySelectorAll("[class*='only-']")) element.hidden = !element.classList.contains(`only-${mode}`);
  const { title, story, strategies, labels = [] } = MODES[mode];
  at("board-title").textContent = title;
  at("story").textContent = story;
  at("keys").textContent = mode === "sequence" ? "" : "In the figure, arrow keys move the cross and Enter adds an example there.";
  fill(at("strategy"), Object.entries(strategies));
  fill(at("label"), labels);
  at("learner").elements.kernel.value = state.kernel;
  at("learner").elements.rule.value = "Perceptron()";
  const figures = { plane: Plane, kernel: Plane, ranking: Lists, sequence: LatticeFigure };
  state.figure = new figures[mode](at("figure"), chosen, ([x, y]) => { at("status").textContent = `The cross is at ${shown(x)}, ${shown(y)}.`; });
  state.predictor = mode === "kernel" ? "average" : "last";
  for (const radio of document.querySelectorAll("[name=predictor]")) radio.checked = radio.value === state.predictor;
  history.replaceState(null, "", `#${mode}`);
}

function fill(select, options) {
  select.replaceChildren(...options.map(([value, text]) => html("option", { value }, text)));
}

function wire() {
  const on = (id, event, work) => at(id).addEventListener(event, work);
  at("predictor").replaceChildren(...PREDICTORS.map((name) => html("label", {}, html("input", { type: "radio", name: "predictor", value: name }), name)));
  on("predictor", "change", (event) => { state.predictor = event.target.value; look(state.step); });
  for (const button of document.querySelectorAll(".mode")) button.addEventListener("click", () => enter(button.dataset.mode));
  for (const button of document.querySelectorAll(".play")) button.addEventListener("click", () => enqueue(() => play(button.dataset.rounds)));
  for (const button of document.querySelectorAll("#scenes button")) button.addEventListener("click", () => enqueue(() => begin(button.dataset.scene)));
  on("rules", "submit", (event) => { event.preventDefault(); enqueue(() => begin()); });
  on("learner", "submit", (event) => { event.preventDefault(); enqueue(async () => take(await request("learner", { learner: playerB() }))); });
  on("show-point", "click", () => chosenByHand());
  on("show-list", "click", () => enqueue(showList));
  on("clear-list", "click", () => { state.pending = []; pend(); });
  on("show-sentence", "click", () => enqueue(showSentence));
  const enterPresses = { x1: "show-point", x2: "show-point", sentence: "show-sentence" };
  for (const [id, button] of Object.entries(enterPresses)) on(id, "keydown", (event) => { if (event.key === "Enter") at(button).click(); });
  addEventListener("hashchange", () => { if (location.hash.slice(1) in MODES && location.hash.slice(1) !== state.mode) enter(location.hash.slice(1)); });
  on("step", "input", () => { replay.stop(); look(Number(at("step").value)); });
  const moves = { first: () => 0, back: (step) => step - 1, forward: (step) => step + 1, last: () => Infinity };
  for (const [id, to] of Object.entries(moves)) on(id, "click", () => { replay.stop(); look(to(state.step)); });
  on("run", "click", () => state.match && replay.toggle(state.step, state.match.rounds.length));
  on("undo", "click", () => enqueue(async () => { replay.stop(); take(await request("undo", { rounds: 1 })); }));
  on("save", "click", () => enqueue(async () => download((await request("record")).record, "match.json", "application/json")));
  on("save-svg", "click", () => download(asSvg(at("figure").firstElementChild), "match.svg", "image/svg+xml"));
  on("save-png", "click", () => enqueue(async () => download(await asPng(at("figure").firstElementChild), "match.png")));
  on("load", "change", () => enqueue(load));
}

function chosenByHand() {
  state.figure.moveTo([Number(at("x1").value), Number(at("x2").value)]);
  chosen([Number(at("x1").value), Number(at("x2").value)]);
}

async function load() {
  const [file] = at("load").files;
  at("load").value = "";
  if (!file) return;
  const match = await ask("load", { record: await file.text() });
  const { contest, learner, rules } = match;
  turnTo({ ranking: "ranking", sequence: "sequence" }[contest.name] ?? (rules && !learner.kernel ? "plane" : "kernel"));
  at("learner").elements.rule.value = learner.rule;
  if (learner.kernel) at("learner").elements.kernel.value = learner.kernel;
  if (rules) [at("rules").elements.margin.value, at("rules").elements.radius.value] = [rules.margin, rules.radius_squared];
  take(match);
}

wire();
enter(location.hash.slice(1) in MODES ? location.hash.slice(1) : "plane");
