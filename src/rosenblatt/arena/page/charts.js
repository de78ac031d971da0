// The proof in three charts: v_k·u ≥ kγ, ‖v_k‖² ≤ kR, and where the two bounds meet. If no u is known that separates
// the examples, the first is v_k·u ≥ kγ − √k·D for steps of 1, or v_k·u without a bound.

import { make, put, shown } from "./svg.js";

const WIDTH = 260, HEIGHT = 170, LEFT = 42, BOTTOM = 24, TOP = 22;
const MOST = 400;

export class Charts {
  /** `report` is called with the line of the proof at the k pointed to, and its numbers; `read` with whether to read it out. */
  constructor(parent, report, read) {
    this.read = read;
    this.report = report;
    this.charts = [
      new Chart("v_k · u  ≥  kγ", "progress"),
      new Chart("‖v_k‖²  ≤  kR", "length"),
      new Chart("(kγ)² and kR meet at R/γ²", "meeting"),
    ];
    parent.replaceChildren(...this.charts.map((chart) => chart.svg));
    for (const chart of this.charts) {
      chart.svg.addEventListener("pointermove", (event) => this.point(chart.k(event)));
      chart.svg.addEventListener("pointerleave", () => this.point(this.current));
      chart.svg.addEventListener("keydown", (event) => this.key(event));
      chart.svg.addEventListener("blur", () => this.read(false));
    }
  }

  key(event) {
    const turn = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!turn || !this.proof) return;
    this.read(true);
    this.point(Math.min(this.proof.progress.length - 1, Math.max(0, this.pointed + turn)));
    event.preventDefault();
  }

  point(k) {
    if (!this.proof) return;
    this.pointed = Math.min(k, this.proof.progress.length - 1);
    this.report(line(this.proof, this.pointed), { k: this.pointed, ...numbers(this.proof, this.pointed) });
    for (const chart of this.charts) chart.here(this.pointed);
  }

  /** Draw another match. */
  begin(proof, rules) {
    this.proof = proof;
    if (!proof) {
      this.charts.forEach((chart) => chart.clear());
      this.report("", {});
      return;
    }
    const [first, second, third] = this.charts, count = proof.progress.length - 1;
    [first, second, third].forEach((chart, i) => chart.rename(titles(proof)[i]));
    first.begin(count, proof.progress, promises(proof) ? proof.floor : null);
    second.begin(count, proof.length, proof.ceiling);
    const bound = proof.bound ?? count;
    const most = Math.max(count, Math.min(bound, 4 * count + 10));
    const steps = Array.from({ length: 61 }, (_, i) => (i / 60) * most);
    const slope = count ? proof.ceiling[count] / count : rules ? rules.radius_squared : 1;
    const floor = (k) => proof.step * Math.max(0, k * proof.margin - Math.sqrt(k) * proof.deviation);
    third.begin(most, proof.length, null, [
      ...(promises(proof) && proof.meet ? [steps.map((k) => [k, floor(k) ** 2])] : []),
      steps.map((k) => [k, k * slope]),
    ], proof.bound !== null && bound <= most ? bound : null);
  }

  /** Mark k, the index of the current guess. */
  draw(k) {
    this.current = k;
    this.point(k);
  }
}

function numbers(proof, k) {
  return Object.fromEntries(["floor", "progress", "length", "ceiling"].map((name) => [name, proof[name][k]]));
}

/** Return "kR", or "k·4R" where a correction is the difference of two rows. */
function times(radius) {
  return radius === "R" ? "kR" : `k·${radius}`;
}

/** Return the titles of the three charts. */
function titles({ separable, bound, radius, meet }) {
  const most = times(radius), second = `‖v_k‖²  ≤  ${most}`;
  if (separable) return ["v_k · u  ≥  kγ", second, `(kγ)² and ${most} meet at ${radius}/γ²`];
  if (bound === null) return ["v_k · u", second, `‖v_k‖² and ${most}`];
  const third = meet ? "They meet at ((√R + D)/γ)²" : `‖v_k‖² and ${most}`;
  return [meet ? "v_k · u  ≥  kγ − √k·D" : "v_k · u and its lower bound", second, third];
}

/** Whether v_k·u has a lower bound. */
function promises(proof) {
  return proof.separable || proof.bound !== null;
}

/** Return the inequalities at one k where u does not separate the examples. */
function lineWithoutMargin(proof, k) {
  const { floor, progress, length, ceiling } = numbers(proof, k), { plain, bound, margin, deviation } = proof;
  const start = plain ? `k = ${k}` : `After ${k} corrections`;
  const second = `‖v‖² = ${shown(length)} ≤ ${plain ? `${times(proof.radius)} = ` : ""}${shown(ceiling)}`;
  if (bound === null) return `${start}: ${second}. No u is known that separates the examples, and nothing is promised.`;
  const first = `v·u = ${shown(progress)} ≥ ${plain ? "kγ − √k·D = " : ""}${shown(floor)}`;
  const so = plain ? "k ≤" : "the mistakes are at most";
  return `${start}: ${first}; ${second}; so ${so} ${shown(bound)} (${proof.theorem}). No u is known that separates the examples: ` +
    `this one misses the margin γ = ${shown(margin)} by D = ${shown(deviation)} in all.`;
}

/** Return the inequalities of the proof at one k. */
export function line(proof, k) {
  if (!proof.separable) return lineWithoutMargin(proof, k);
  const { floor, progress, length, ceiling } = numbers(proof, k);
  if (!proof.plain) {
    const most = proof.bound === null ? "" : `; at most ${shown(proof.bound)} mistakes`;
    return `After ${k} corrections: v·u = ${shown(progress)} ≥ ${shown(floor)}, ‖v‖² = ${shown(length)} ≤ ${shown(ceiling)}${most}.`;
  }
  const bound = proof.bound === null ? "" : ` so k ≤ ${proof.radius}/γ² = ${shown(proof.bound)}`, most = times(proof.radius);
  return `k = ${k}: v·u = ${shown(progress)} ≥ kγ = ${shown(floor)}; ‖v‖² = ${shown(length)} ≤ ${most} = ${shown(ceiling)}; ` +
    `(kγ)² = ${shown(floor ** 2)} ≤ (v·u)² = ${shown(progress ** 2)} ≤ ‖v‖² = ${shown(length)} ≤ ${most} = ${shown(ceiling)},${bound}.`;
}

class Chart {
  constructor(title, name) {
    this.title = title;
    this.svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, tabindex: "0", role: "application", id: `chart-${name}` });
    this.lines = make("g");
    this.cursor = make("path", { class: "here" });
    this.name = make("text", { x: 8, y: 15, class: "small" }, title);
    this.svg.append(make("rect", { class: "frame", width: WIDTH, height: HEIGHT }), this.name, this.lines, this.cursor);
    this.clear();
  }

  rename(title) {
    this.title = this.name.textContent = title;
  }

  clear() {
    this.lines.replaceChildren();
    this.cursor.setAttribute("d", "");
    this.svg.setAttribute("aria-label", `${this.title}: nothing played yet`);
  }

  begin(most, seen, must, theory = [], limit = null) {
    const series = [...(must ? [must.map((y, k) => [k, y])] : []), ...theory];
    this.most = Math.max(1, most);
    const heights = [...seen, ...series.flat().map(([, y]) => y)];
    this.highest = Math.max(1e-9, ...heights);
    this.lowest = Math.min(...heights);
    if (this.lowest > -1e-9 * this.highest) this.lowest = 0;  // but for rounding, a square is not below it
    const marks = [make("text", { x: 4, y: TOP + 12, class: "small" }, shown(this.highest)),
      ...(this.lowest < 0 ? [make("text", { x: 4, y: HEIGHT - BOTTOM, class: "small" }, shown(this.lowest))] : []),
      make("text", { x: LEFT, y: HEIGHT - 6, class: "small" }, "k = 0"),
      make("text", { x: WIDTH - 6, y: HEIGHT - 6, class: "small", "text-anchor": "end" }, shown(this.most))];
    if (limit !== null) marks.push(make("path", { class: "limit", d: `M${this.x(limit)} ${TOP}V${HEIGHT - BOTTOM}` }));
    this.lines.replaceChildren(make("path", { class: "axis", fill: "none", d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - 6}` }),
      ...series.map((points) => make("path", { class: "must", d: this.path(points) })),
      make("path", { class: "seen", d: this.path(seen.map((y, k) => [k, y])) }), ...marks);
    this.values = seen;
    this.svg.setAttribute("aria-label", `${this.title}: at k = ${seen.length - 1} it is ${shown(seen.at(-1))}. Arrow keys change k.`);
  }

  x(k) { return LEFT + (k / this.most) * (WIDTH - LEFT - 8); }

  y(value) { return HEIGHT - BOTTOM - ((value - this.lowest) / (this.highest - this.lowest)) * (HEIGHT - BOTTOM - TOP); }

  path(points) {
    const every = Math.ceil(points.length / MOST);
    const kept = points.filter((_, i) => i % every === 0 || i === points.length - 1);
    return "M" + kept.map(([k, y]) => `${this.x(k).toFixed(1)} ${this.y(y).toFixed(1)}`).join("L");
  }

  k(event) {
    const box = this.svg.getBoundingClientRect();
    const along = (((event.clientX - box.left) / box.width) * WIDTH - LEFT) / (WIDTH - LEFT - 8);
    return Math.min(this.most, Math.max(0, Math.round(along * this.most)));
  }

  here(k) {
    const y = this.y(this.values[Math.min(k, this.values.length - 1)]);
    put(this.cursor, { d: `M${this.x(k)} ${TOP}V${HEIGHT - BOTTOM}M${this.x(k) - 4} ${y}H${this.x(k) + 4}` });
  }
}
