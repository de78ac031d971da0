// A grid of scores as an image: the sign gives the colour, the size the opacity.

const PLUS = [42, 111, 176], MINUS = [217, 130, 43];
const canvas = document.createElement("canvas");

/** Return the data URL of an image of these cells. */
export function picture({ side, cells }) {
  canvas.width = canvas.height = side;
  const context = canvas.getContext("2d"), image = context.createImageData(side, side);
  let most = 1e-12;
  for (const cell of cells) most = Math.max(most, Math.abs(cell));
  cells.forEach((cell, i) => {
    const colour = cell > 0 ? PLUS : MINUS;
    image.data.set(colour, 4 * i);
    image.data[4 * i + 3] = cell === 0 ? 0 : 30 + 110 * Math.sqrt(Math.abs(cell) / most);
  });
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}
