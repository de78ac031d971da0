// The table of rounds as the source prints it, and the table of guesses with the rounds each survived.

import { html, shown } from "./svg.js";

const ROWS = 40;

/** Fill the table of rounds, up to this one, the latest last. */
export function rounds(table, match, step) {
  const first = Math.max(0, step - ROWS);
  const rows = match.rounds.slice(first, step).map((round, i) => {
    const cells = row([first + i + 1, `v_${round.guess}`, input(match, round, first + i)]);
    cells.append(html("td", round.wrong ? { class: "wrong" } : {}, round.wrong ? "✗" : "✓"), html("td", {}, answer(match, round)));
    return cells;
  });
  if (rows.length) rows.at(-1).setAttribute("aria-current", "true");
  table.replaceChildren(head(["i", "guess", "input", "result", match.contest.name === "classification" ? "score" : "answer"]), html("tbody", {}, ...rows));
  table.parentElement.scrollTop = table.parentElement.scrollHeight;
}

/** Fill the table of guesses, up to v_k, with m, the rounds each answered so far. */
export function guesses(table, match, step, k) {
  const first = Math.max(0, k + 1 - ROWS), begin = match.rounds.findIndex((round) => round.guess === k);
  const rows = [];
  for (let j = first; j <= k; j++) {
    const survived = j < k ? match.survived[j] : Math.max(0, step - (begin < 0 ? step : begin));
    const share = step ? survived / step : 0;
    const where = match.guesses.length ? `(${match.guesses[j].map((number) => shown(number, 3)).join(", ")})` : "";
    rows.push(row([`v_${j}`, where, survived, `${(100 * share).toFixed(1)} %`]));
  }
  table.replaceChildren(head(["guess", match.guesses.length === 0 ? "" : flat(match) ? "where" : "along u, aside", "m", "share"]), html("tbody", {}, ...rows));
  table.parentElement.scrollTop = table.parentElement.scrollHeight;
}

/** Return A's move as text. */
function input(match, round, index) {
  const [what, truth] = round.move;
  if (match.contest.name === "sequence") return what.map((word, i) => `${word}/${truth[i]}`).join(" ");
  if (match.contest.name === "ranking") return `${what.length} candidates, the best is ${letter(truth)}`;
  const [along, aside] = match.positions[index].map((value) => shown(value, 3));
  return (flat(match) ? `(${along}, ${aside})` : `u: ${along}, aside: ${aside}`) + (truth > 0 ? " +" : " −");
}

function answer(match, round) {
  if (match.contest.name === "sequence") return round.answer.join(" ");
  if (match.contest.name === "ranking") return letter(round.answer);
  return shown(round.scores[0], 3);
}

/** Return the name of a candidate: a letter, or from the 27th on its number. */
export function letter(index) {
  return index < 26 ? String.fromCharCode(97 + index) : String(index + 1);
}

function flat(match) {
  return match.contest.features === 2;
}

/** Return the head of a table. */
export function head(names) {
  return html("thead", {}, html("tr", {}, ...names.map((name) => html("th", { scope: "col" }, name))));
}

/** Return a row of a table. */
export function row(cells) {
  return html("tr", {}, ...cells.map((cell) => html("td", {}, String(cell))));
}
