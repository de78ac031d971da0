// SVG elements, and numbers as a person reads them.

const SPACE = "http://www.w3.org/2000/svg";

/** An element with these attributes and children. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElementNS(SPACE, name);
  return put(element, attributes, ...children);
}

/** Set attributes of an element that exists, and give it children. */
export function put(element, attributes, ...children) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** An element of a page. */
export function html(name, attributes = {}, ...children) {
  return put(document.createElement(name), attributes, ...children);
}

/** A number with so many digits that count. */
export function shown(number, digits = 4) {
  if (number === null || number === undefined) return "–";
  const text = Number(number).toPrecision(digits);
  return String(Number(text)).replace("-", "−");
}

/** An arrow from the origin to a place, as a path with its head. */
export function arrow([fromX, fromY], [toX, toY]) {
  const angle = Math.atan2(toY - fromY, toX - fromX);
  const length = Math.hypot(toX - fromX, toY - fromY);
  const size = Math.min(12, length / 2);
  const wing = (turn) => `${toX - size * Math.cos(angle + turn)} ${toY - size * Math.sin(angle + turn)}`;
  return `M${fromX} ${fromY}L${toX} ${toY}L${wing(0.4)}M${toX} ${toY}L${wing(-0.4)}`;
}
