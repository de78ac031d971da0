// A sentence as a lattice: a column per word, a node per label, B's path and the true one.

import { html, make, shown } from "./svg.js";
import { head, row } from "./tables.js";

const STEP = 130, LINE = 90, EDGE = 70;

export class LatticeFigure {
  constructor(parent) {
    this.svg = make("svg", { viewBox: "0 0 600 360", id: "lattice", role: "img", tabindex: "0", "aria-label": "No sentence yet." });
    parent.replaceChildren(this.svg);
  }

  /** Draw the scores and the two paths of a lattice. */
  draw(lattice) {
    if (!lattice) {
      this.svg.replaceChildren(make("rect", { class: "frame", width: 600, height: 360 }),
        make("text", { x: 30, y: 40 }, "No sentence yet: play one."));
      this.svg.setAttribute("aria-label", "No sentence yet.");
      return;
    }
    const { words, labels } = lattice, width = EDGE * 2 + STEP * words.length, height = 80 + LINE * labels.length;
    this.svg.setAttribute("viewBox", `0 0 ${Math.max(600, width)} ${height}`);
    this.svg.setAttribute("aria-label", `The lattice of ${words.join(" ")}. B's path: ${lattice.answer.join(" ")}. The true path: ${lattice.truth.join(" ")}.`);
    this.svg.replaceChildren(make("rect", { class: "frame", width: Math.max(600, width), height }),
      ...this.links(lattice), this.path(lattice, lattice.answer, "answered"),
      this.path(lattice, lattice.truth, "true"), ...this.nodes(lattice));
  }

  at(i, label) { return [EDGE + STEP * (i + 0.5), 70 + LINE * (label + 0.5)]; }

  links(lattice) {
    const drawn = [];
    for (let i = 1; i < lattice.words.length; i++) {
      lattice.labels.forEach((_, before) => lattice.labels.forEach((_, after) => {
        drawn.push(make("path", { class: "link", d: `M${this.at(i - 1, before).join(" ")}L${this.at(i, after).join(" ")}` }));
        const score = lattice.pairs[before][after], [x, y] = this.at(i - 1, before), [toX, toY] = this.at(i, after);
        if (score) drawn.push(make("text", { class: "small", x: x + (toX - x) * 0.42, y: y + (toY - y) * 0.42 - 4 }, shown(score)));
      }));
    }
    return drawn;
  }

  path(lattice, path, kind) {
    const middle = 70 + (LINE * lattice.labels.length) / 2, end = EDGE * 2 + STEP * lattice.words.length - 20;
    const nodes = path.map((label, i) => this.at(i, lattice.labels.indexOf(label)));
    const all = [[20, middle], ...nodes, [end, middle]];
    return make("path", { class: kind, d: "M" + all.map((node) => node.join(" ")).join("L") });
  }

  nodes({ words, labels, scores }) {
    const drawn = words.map((word, i) => make("text", { x: this.at(i, 0)[0], y: 36, "text-anchor": "middle" }, word));
    words.forEach((_, i) => labels.forEach((label, l) => {
      const [x, y] = this.at(i, l);
      drawn.push(make("circle", { class: "node", cx: x, cy: y, r: 25 }),
        make("text", { x, y: y - 2, "text-anchor": "middle" }, label),
        make("text", { class: "small", x, y: y + 14, "text-anchor": "middle" }, shown(scores[i][l])));
    }));
    return drawn;
  }
}

/** Show what the correction of this round added. */
export function added(parent, lattice, round) {
  if (!lattice) {
    parent.replaceChildren("No sentence yet.");
    return;
  }
  const lines = lattice.added.map(({ what, amount }) => row([what, amount > 0 ? `+${shown(amount)}` : shown(amount)]));
  const result = `${round.wrong ? "A mistake" : "Correct"}: ${round.corrected ? "Φ(truth) − Φ(rival) is added" : "nothing is added"}.`;
  parent.replaceChildren(
    html("p", {}, `True: ${lattice.truth.join(" ")} (dashed). B: ${lattice.answer.join(" ")} (solid). ${result}`),
    html("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What the correction adds" },
      html("table", {}, head(["counted", "added"]), html("tbody", {}, ...lines))));
}
