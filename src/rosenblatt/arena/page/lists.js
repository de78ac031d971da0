// Figure 2, interactive: a list of points, their order by v_k, and the best according to A.

import { Plane } from "./plane.js";
import { html, make, shown } from "./svg.js";
import { head, letter, row } from "./tables.js";

export class Lists extends Plane {
  constructor(parent, chosen, moved) {
    super(parent, chosen, moved);
    this.list = make("g");
    this.waiting = make("g");
    this.svg.insertBefore(this.list, this.cross);
    this.svg.insertBefore(this.waiting, this.cross);
  }

  examples(step) {
    const round = step ? this.match.rounds[step - 1] : null;
    this.list.replaceChildren(...(round && this.flat ? this.candidates(round) : []));
  }

  /** Draw the guess that answered the last list, not the one after it. */
  draw(step) {
    super.draw(step);
    if (step && this.match.guesses.length) this.vector(this.match.rounds[step - 1].guess);
  }

  rules(rules) {
    return super.rules(rules).filter((part) => !part.classList.contains("band"));
  }

  candidates(round) {
    const guess = this.match.guesses[round.guess] ?? [0, 0], size = Math.hypot(...guess);
    const direction = size ? guess.map((number) => number / size) : null;
    const line = direction ? [this.to(direction.map((n) => -1.2 * n * this.reach)), this.to(direction.map((n) => 1.2 * n * this.reach))] : [];
    const drawn = direction ? [make("path", { class: "foot", d: `M${line[0].join(" ")}L${line[1].join(" ")}` })] : [];
    round.move[0].forEach((candidate, i) => drawn.push(...this.candidate(candidate, i, round, direction)));
    return drawn;
  }

  candidate(candidate, index, round, direction) {
    const [x, y] = this.to(candidate), best = index === round.move[1], answered = index === round.answer;
    const parts = [make("circle", { class: best ? "plus" : "minus", cx: x, cy: y, r: 5 })];
    if (answered) parts.push(make("circle", { class: "ring now", cx: x, cy: y, r: 11 }));
    parts.push(make("text", { x: x + 12, y: y - 6 }, letter(index) + (best ? " ★" : "")));
    if (direction) {
      const along = candidate[0] * direction[0] + candidate[1] * direction[1];
      const foot = this.to(direction.map((number) => number * along));
      parts.push(make("path", { class: "foot", opacity: 0.6, d: `M${x} ${y}L${foot.join(" ")}` }));
    }
    return parts;
  }

  /** Draw the candidates that were placed and not yet shown. */
  wait(candidates) {
    this.waiting.replaceChildren(...candidates.flatMap((candidate, i) => {
      const [x, y] = this.to(candidate);
      return [make("circle", { class: "ring", cx: x, cy: y, r: 6 }), make("text", { x: x + 9, y: y + 14 }, letter(i))];
    }));
  }
}

/** Show the last list, ranked by the guess that answered. */
export function order(parent, match, step) {
  if (!step) {
    parent.replaceChildren("No list yet.");
    return;
  }
  const round = match.rounds[step - 1];
  const ranked = round.scores.map((_, i) => i).sort((a, b) => round.scores[b] - round.scores[a] || a - b);
  const lines = ranked.map((i, rank) => row([rank + 1, letter(i), shown(round.scores[i]),
    i === round.move[1] ? "the best, says A" : "", i === round.answer ? "B's answer" : ""]));
  const moves = round.corrected ? `v moves along ${letter(round.move[1])} − ${letter(rival(round))}.` : "v stays.";
  const result = `${round.wrong ? "A mistake" : "Correct"}: ${moves}`;
  parent.replaceChildren(html("p", {}, `The order that v_${round.guess} gives. ${result}`),
    html("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "The order of the list" },
      html("table", {}, head(["rank", "candidate", "score", "A", "B"]), html("tbody", {}, ...lines))));
}

/** Return the index of the candidate that was moved down: the highest-scored of the others. */
function rival(round) {
  let found = -1;
  round.scores.forEach((score, i) => {
    if (i !== round.move[1] && (found < 0 || score > round.scores[found])) found = i;
  });
  return found;
}
