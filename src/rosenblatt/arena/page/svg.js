// SVG and HTML elements, and numbers as text.

const SPACE = "http://www.w3.org/2000/svg";

/** Return an SVG element with these attributes and children. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElementNS(SPACE, name);
  return put(element, attributes, ...children);
}

/** Set attributes of an element, append children, and return it. */
export function put(element, attributes, ...children) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Return an HTML element with these attributes and children. */
export function html(name, attributes = {}, ...children) {
  return put(document.createElement(name), attributes, ...children);
}

/** Return a number as text with this many significant digits. */
export function shown(number, digits = 4) {
  if (number === null || number === undefined) return "–";
  const text = Number(number).toPrecision(digits);
  return String(Number(text)).replace("-", "−");
}

/** Return the path of an arrow between two points. */
export function arrow([fromX, fromY], [toX, toY]) {
  const angle = Math.atan2(toY - fromY, toX - fromX);
  const length = Math.hypot(toX - fromX, toY - fromY);
  const size = Math.min(12, length / 2);
  const wing = (turn) => `${toX - size * Math.cos(angle + turn)} ${toY - size * Math.sin(angle + turn)}`;
  return `M${fromX} ${fromY}L${toX} ${toY}L${wing(0.4)}M${toX} ${toY}L${wing(-0.4)}`;
}
