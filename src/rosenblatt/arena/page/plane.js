// The plane: u, the margin, the radius, v_k with its trail and its projection, and the examples.

import { arrow, make, put, shown } from "./svg.js";

const SIZE = 600, MIDDLE = SIZE / 2, HALF = 250;
const POINTS = 300, TRAIL = 40;
const MARKS = { 1: "M-6 0H6M0 -6V6", "-1": "M-6 0H6" };

export class Plane {
  /** A figure inside `parent`; `chosen` is called with the point clicked, or of Enter, `moved` with the new point of the cross. */
  constructor(parent, chosen, moved) {
    this.svg = make("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, id: "points", tabindex: "0", role: "application" });
    this.heat = make("image", { x: 0, y: 0, width: SIZE, height: SIZE, preserveAspectRatio: "none" });
    this.ground = make("g");
    this.reasons = make("g");
    this.rings = make("g");
    this.points = make("g");
    this.trail = make("g");
    this.foot = make("path", { class: "foot", id: "foot" });
    this.guess = make("path", { class: "guess", id: "guess" });
    this.name = make("text", { class: "small" });
    this.cross = make("path", { class: "cross", id: "cross" });
    this.svg.append(make("rect", { class: "frame", width: SIZE, height: SIZE }), this.heat, this.ground, this.reasons,
      this.rings, this.trail, this.points, this.foot, this.guess, this.name, this.cross);
    this.marks = Array.from({ length: POINTS }, () => this.points.appendChild(make("path", { visibility: "hidden" })));
    this.tails = Array.from({ length: TRAIL }, () => this.trail.appendChild(make("path", { class: "trail" })));
    this.point = [0, 0];
    this.drawn = 0;
    this.chosen = chosen;
    this.moved = moved;
    this.svg.addEventListener("click", (event) => this.chosen(this.moveTo(this.at(event))));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    parent.replaceChildren(this.svg);
  }

  /** Return where in the drawing a point is. */
  to([x, y]) {
    return [MIDDLE + (x / this.reach) * HALF, MIDDLE - (y / this.reach) * HALF];
  }

  at(event) {
    const box = this.svg.getBoundingClientRect();
    const along = (from, size) => ((from / size) * SIZE - MIDDLE) / HALF * this.reach;
    return [along(event.clientX - box.left, box.width), -along(event.clientY - box.top, box.height)];
  }

  key(event) {
    const step = this.reach / 20;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (event.key in moves) {
      const most = edge(this), inside = (number) => Math.max(-most, Math.min(most, number));
      this.moved(this.moveTo(this.point.map((number, axis) => inside(number + moves[event.key][axis]))));
    } else if (event.key === "Enter" || event.key === " ") {
      this.chosen(this.point);
    } else {
      return;
    }
    event.preventDefault();
  }

  moveTo(point) {
    this.point = point.map((number) => Math.round(number * 1e4) / 1e4);
    const [x, y] = this.to(this.point);
    put(this.cross, { d: `M${x - 9} ${y}H${x + 9}M${x} ${y - 9}V${y + 9}` });
    return this.point;
  }

  /** Draw another match: the parts that do not change from round to round. */
  begin(match) {
    const rules = match.rules;
    this.match = match;
    this.flat = match.contest.features === 2;
    this.reach = rules ? Math.sqrt(rules.radius_squared) : furthest(match);
    this.u = rules ? (this.flat ? rules.u : [1, 0]) : null;
    const longest = Math.max(0, ...match.guesses.map(([x, y]) => Math.hypot(x, y)));
    this.scale = longest > 1.15 * this.reach ? longest / this.reach : 1;
    this.ground.replaceChildren(hatching(), ...(rules ? this.rules(rules) : []), this.axes(), ...this.unplayed());
    this.marks.forEach((mark) => mark.setAttribute("visibility", "hidden"));
    this.drawn = 0;
    this.moveTo(this.point);
  }

  axes() {
    return make("path", { class: "axis", d: `M0 ${MIDDLE}H${SIZE}M${MIDDLE} 0V${SIZE}` });
  }

  /** Return the marks of the toy data, before it is shown. */
  unplayed() {
    return this.match.scene.map(([point, label]) => {
      const [x, y] = this.to(point);
      return make("path", { d: MARKS[label], class: label > 0 ? "plus" : "minus", opacity: 0.45, "stroke-width": 1.5, transform: `translate(${x} ${y})` });
    });
  }

  rules(rules) {
    const [a, b] = this.u, margin = (rules.margin / this.reach) * HALF, far = SIZE;
    const corner = (along, aside) => [MIDDLE + a * along - b * aside, MIDDLE - (b * along + a * aside)].join(" ");
    const band = `M${corner(margin, far)}L${corner(margin, -far)}L${corner(-margin, -far)}L${corner(-margin, far)}Z`;
    const circle = `M${MIDDLE - HALF} ${MIDDLE}a${HALF} ${HALF} 0 1 0 ${2 * HALF} 0a${HALF} ${HALF} 0 1 0 ${-2 * HALF} 0Z`;
    const edges = `M${corner(margin, far)}L${corner(margin, -far)}M${corner(-margin, far)}L${corner(-margin, -far)}`;
    const tip = [MIDDLE + a * HALF, MIDDLE - b * HALF];
    return [
      make("path", { class: "illegal", fill: "url(#hatching)", "fill-rule": "evenodd", d: `M0 0H${SIZE}V${SIZE}H0Z${circle}` }),
      make("path", { class: "illegal band", fill: "url(#hatching)", d: band }),
      make("path", { class: "edge band", d: edges }),
      make("path", { class: "circle", d: circle }),
      make("path", { class: "u", id: "u", fill: "none", d: arrow([MIDDLE, MIDDLE], tip) }),
      make("text", { x: tip[0] + 8 * Math.sign(a || 1), y: tip[1] - 6 }, "u"),
    ];
  }

  /** Draw the match after `step` rounds. */
  draw(step) {
    this.examples(step);
    const k = guessAt(this.match, step);
    if (this.match.guesses.length) this.vector(k);
    this.describe(step, k);
  }

  examples(step) {
    const { rounds, positions } = this.match;
    const first = Math.max(0, step - POINTS);
    if (step < this.drawn || step - this.drawn > POINTS) {
      this.marks.forEach((mark) => mark.setAttribute("visibility", "hidden"));
      this.drawn = first;
    }
    for (let i = Math.max(first, this.drawn); i < step; i++) {
      const mark = this.marks[i % POINTS], [x, y] = this.to(positions[i]), label = rounds[i].move[1];
      put(mark, {
        d: MARKS[label], class: label > 0 ? "plus" : "minus", visibility: "visible",
        "stroke-width": rounds[i].wrong ? 4 : 2, transform: `translate(${x} ${y})`,
      });
    }
    this.drawn = step;
  }

  vector(k) {
    const guesses = this.match.guesses, scaled = ([x, y]) => this.to([x / this.scale, y / this.scale]);
    const tip = scaled(guesses[k]), origin = [MIDDLE, MIDDLE];
    this.guess.setAttribute("d", k ? arrow(origin, tip) : "");
    const right = tip[0] > 0.75 * SIZE;
    put(this.name, { x: tip[0] + (right ? -12 : 12), y: tip[1] + 18, "text-anchor": right ? "end" : "start" }).textContent = this.scale > 1 ? `v_${k} ÷ ${shown(this.scale)}` : `v_${k}`;
    this.tails.forEach((tail, age) => {
      const j = k - 1 - age;
      const path = j >= 0 ? `M${scaled(guesses[j]).join(" ")}L${scaled(guesses[j + 1]).join(" ")}` : "";
      put(tail, { d: path, opacity: 1 - age / TRAIL });
    });
    if (this.u) {
      const along = guesses[k][0] * this.u[0] + guesses[k][1] * this.u[1];
      const foot = scaled([along * this.u[0], along * this.u[1]]);
      this.foot.setAttribute("d", k ? `M${tip.join(" ")}L${foot.join(" ")}M${origin.join(" ")}L${foot.join(" ")}` : "");
    } else {
      this.foot.setAttribute("d", "");
    }
  }

  describe(step, k) {
    const mistakes = this.match.mistakes[step];
    this.svg.setAttribute("aria-label", `The plane after ${step} rounds and ${mistakes} mistakes, with the guess v_${k}. ` +
      "Arrow keys move the cross, Enter shows an example there.");
  }

  /** Show the image at this URL as heat map; none without one. */
  colour(url) {
    if (url) this.heat.setAttribute("href", url);
    else this.heat.removeAttribute("href");
  }

  /** Draw rings around the support vectors, the larger the more they count. */
  ring(support) {
    const most = Math.max(1e-12, ...support.map(([, amount]) => Math.abs(amount)));
    this.rings.replaceChildren(...support.slice(-600).map(([round, amount]) => {
      const [x, y] = this.to(this.match.positions[round]);
      return make("circle", { class: "ring", cx: x, cy: y, r: 5 + (11 * Math.abs(amount)) / most });
    }));
  }

  /** Draw lines from a point to the examples that decide about it. */
  why(point, parts) {
    const [x, y] = this.to(point), most = Math.max(1e-12, ...parts.map((part) => Math.abs(part.product)));
    this.reasons.replaceChildren(...parts.slice(0, 20).map((part) => {
      const [toX, toY] = this.to(this.match.positions[part.round]);
      const width = 0.5 + (6 * Math.abs(part.product)) / most;
      return make("line", { class: part.product > 0 ? "why-for" : "why-against", x1: x, y1: y, x2: toX, y2: toY, "stroke-width": width });
    }));
  }
}

/** Return the pattern that fills the illegal regions. */
function hatching() {
  const pattern = { id: "hatching", width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  return make("defs", {}, make("pattern", pattern, make("rect", { class: "shade", width: 8, height: 8 }), make("path", { class: "hatch", d: "M0 0V8" })));
}

function furthest(match) {
  const points = [...match.positions, ...match.scene.map(([x]) => x)];
  return Math.max(1, ...points.map(([x, y]) => Math.max(Math.abs(x), Math.abs(y))));
}

/** Return the distance of the figure's edge from its middle, in units of the examples. */
export function edge(plane) {
  return (plane.reach * MIDDLE) / HALF;
}

/** Return the index of the guess after `step` rounds. */
export function guessAt(match, step) {
  return step < match.rounds.length ? match.rounds[step].guess : match.survived.length - 1;
}
