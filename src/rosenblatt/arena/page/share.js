// Downloads: the record of a match, and the figure as SVG or PNG.

/** Let the browser save a string or a Blob under this name. */
export function download(content, name, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Return the figure as a standalone SVG string. */
export function asSvg(svg) {
  const copy = svg.cloneNode(true), box = svg.viewBox.baseVal;
  const styled = svg.querySelectorAll("*"), copies = copy.querySelectorAll("*");
  const names = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-family", "text-anchor"];
  styled.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of names) copies[i].setAttribute(name, style.getPropertyValue(name));
    copies[i].removeAttribute("class");
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", box.width);
  copy.setAttribute("height", box.height);
  return new XMLSerializer().serializeToString(copy);
}

/** Return the figure as a PNG Blob, twice as large. */
export async function asPng(svg) {
  const box = svg.viewBox.baseVal, image = new Image();
  image.src = URL.createObjectURL(new Blob([asSvg(svg)], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * box.width, 2 * box.height];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
