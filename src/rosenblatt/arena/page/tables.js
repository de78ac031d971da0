// The table of rounds as the source prints it, and the guesses with how long each answered.

import { html, shown } from "./svg.js";

const ROWS = 40;

/** Rounds up to this one, the latest last. */
export function rounds(table, match, step) {
  const first = Math.max(0, step - ROWS);
  const lines = match.rounds.slice(first, step).map((round, i) => {
    const line = row([first + i + 1, `v_${round.guess}`, input(match, round, first + i)]);
    line.append(html("td", round.wrong ? { class: "wrong" } : {}, round.wrong ? "✗" : "✓"), html("td", {}, answer(match, round)));
    return line;
  });
  if (lines.length) lines.at(-1).setAttribute("aria-current", "true");
  table.replaceChildren(head(["i", "guess", "input", "result", match.contest.name === "classification" ? "score" : "answer"]), html("tbody", {}, ...lines));
  table.parentElement.scrollTop = table.parentElement.scrollHeight;
}

/** The guesses up to v_k, and m, how many rounds each answered until now. */
export function guesses(table, match, step, k) {
  const first = Math.max(0, k + 1 - ROWS), begin = match.rounds.findIndex((round) => round.guess === k);
  const lines = [];
  for (let j = first; j <= k; j++) {
    const survived = j < k ? match.survived[j] : Math.max(0, step - (begin < 0 ? step : begin));
    const share = step ? survived / step : 0;
    const where = match.guesses.length ? `(${match.guesses[j].map((number) => shown(number, 3)).join(", ")})` : "";
    lines.push(row([`v_${j}`, where, survived, `${(100 * share).toFixed(1)} %`]));
  }
  table.replaceChildren(head(["guess", match.guesses.length === 0 ? "" : flat(match) ? "where" : "along u, aside", "m", "share"]), html("tbody", {}, ...lines));
  table.parentElement.scrollTop = table.parentElement.scrollHeight;
}

/** What A showed. */
function input(match, round, number) {
  const [what, truth] = round.move;
  if (match.contest.name === "sequence") return what.map((word, i) => `${word}/${truth[i]}`).join(" ");
  if (match.contest.name === "ranking") return `${what.length} candidates, the best is ${letter(truth)}`;
  const [along, aside] = match.places[number].map((value) => shown(value, 3));
  return (flat(match) ? `(${along}, ${aside})` : `u: ${along}, aside: ${aside}`) + (truth > 0 ? " +" : " −");
}

function answer(match, round) {
  if (match.contest.name === "sequence") return round.answer.join(" ");
  if (match.contest.name === "ranking") return letter(round.answer);
  return shown(round.scores[0], 3);
}

/** The name of a candidate. */
export function letter(place) {
  return place < 26 ? String.fromCharCode(97 + place) : String(place + 1);
}

function flat(match) {
  return match.contest.features === 2;
}

/** A table's first line. */
export function head(names) {
  return html("thead", {}, html("tr", {}, ...names.map((name) => html("th", { scope: "col" }, name))));
}

/** A table's line. */
export function row(cells) {
  return html("tr", {}, ...cells.map((cell) => html("td", {}, String(cell))));
}
