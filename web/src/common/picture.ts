// What a part of the page shows, as a picture in a file: its canvases and boxes (`data-box`) where they are, and its text
// above them.

interface Part {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Words extends Part {
  text: string;
  font: string;
  size: number;
  colour: string;
  opacity: number;
}

const LEFT_OUT = "button, input, title, .off-screen, .hint-text, .actions, .no-picture";

function placeIn(host: DOMRect, box: DOMRect): Part {
  return { x: box.left - host.left, y: box.top - host.top, width: box.width, height: box.height };
}

function wordsOf(element: HTMLElement, host: DOMRect): Words[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const found: Words[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent?.trim();
    const parent = node.parentElement;
    if (!text || !parent || parent.closest(LEFT_OUT)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const { fontFamily, fontSize, fontWeight, color, opacity, writingMode } = getComputedStyle(parent);
    if (writingMode !== "horizontal-tb") continue;
    // In a drawing sizes are in its own coordinates.
    const scale = parent instanceof SVGGraphicsElement ? (parent.getScreenCTM()?.a ?? 1) : 1;
    const size = parseFloat(fontSize) * scale;
    const style = { text, font: `${fontWeight} ${size}px ${fontFamily}`, size, colour: color, opacity: Number(opacity) };
    found.push({ ...placeIn(host, range.getBoundingClientRect()), ...style });
  }
  return found;
}

function canvasesOf(element: HTMLElement, host: DOMRect): (Part & { canvas: HTMLCanvasElement })[] {
  const all = [...element.querySelectorAll("canvas")].filter((canvas) => canvas.width > 0 && !canvas.closest(".no-picture"));
  return all.map((canvas) => ({ canvas, ...placeIn(host, canvas.getBoundingClientRect()) }));
}

function boxesOf(element: HTMLElement, host: DOMRect): (Part & { colour: string })[] {
  return [...element.querySelectorAll<HTMLElement>("[data-box]")].map((box) => ({
    colour: getComputedStyle(box).backgroundColor,
    ...placeIn(host, box.getBoundingClientRect()),
  }));
}

/** Lines and areas of drawings (`data-stroke`), in their own coordinates. */
function strokesOf(element: HTMLElement, host: DOMRect) {
  return [...element.querySelectorAll<SVGPathElement>("path[data-stroke]")].map((path) => {
    const { a, b, c, d, e, f } = path.getScreenCTM() ?? new DOMMatrix();
    const { stroke, strokeWidth, fill } = getComputedStyle(path);
    const matrix: [number, number, number, number, number, number] = [a, b, c, d, e - host.left, f - host.top];
    return { d: path.getAttribute("d") ?? "", matrix, stroke, width: parseFloat(strokeWidth), fill };
  });
}

function give(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Twice as fine as the screen; small cells keep their edges. */
export function savePng(element: HTMLElement, name: string): void {
  const SCALE = 2;
  const host = element.getBoundingClientRect();
  const picture = document.createElement("canvas");
  [picture.width, picture.height] = [host.width * SCALE, host.height * SCALE];
  const c = picture.getContext("2d");
  if (!c) return;
  c.scale(SCALE, SCALE);
  c.fillStyle = getComputedStyle(document.body).backgroundColor;
  c.fillRect(0, 0, host.width, host.height);
  c.imageSmoothingEnabled = false;
  for (const { canvas, x, y, width, height } of canvasesOf(element, host)) c.drawImage(canvas, x, y, width, height);
  for (const { colour, x, y, width, height } of boxesOf(element, host)) {
    c.fillStyle = colour;
    c.fillRect(x, y, width - 1, height - 1);
  }
  for (const { d, matrix, stroke, width, fill } of strokesOf(element, host)) {
    c.save();
    c.transform(...matrix);
    [c.fillStyle, c.strokeStyle, c.lineWidth] = [fill, stroke, width];
    const path = new Path2D(d);
    if (fill !== "none") c.fill(path);
    c.stroke(path);
    c.restore();
  }
  c.textBaseline = "middle";
  for (const { text, font, colour, opacity, x, y, height } of wordsOf(element, host)) {
    c.font = font;
    c.fillStyle = colour;
    c.globalAlpha = opacity;
    c.fillText(text, x, y + height / 2);
  }
  picture.toBlob((blob) => blob && give(`${name}.png`, blob));
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** Text as text, drawings as images inside. */
export function svgOf(element: HTMLElement): string {
  const host = element.getBoundingClientRect();
  const size = `width="${Math.round(host.width)}" height="${Math.round(host.height)}"`;
  const ground = getComputedStyle(document.body).backgroundColor;
  const images = canvasesOf(element, host).map(
    ({ canvas, x, y, width, height }) =>
      `<image x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="none" style="image-rendering:pixelated" href="${canvas.toDataURL()}"/>`,
  );
  const boxes = boxesOf(element, host).map(
    ({ colour, x, y, width, height }) =>
      `<rect x="${x}" y="${y}" width="${Math.max(0, width - 1)}" height="${Math.max(0, height - 1)}" fill="${colour}"/>`,
  );
  const strokes = strokesOf(element, host).map(
    ({ d, matrix, stroke, width, fill }) =>
      `<path d="${d}" transform="matrix(${matrix.join(" ")})" fill="${fill}" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round"/>`,
  );
  const words = wordsOf(element, host).map(
    ({ text, size, colour, opacity, x, y, height }) =>
      `<text x="${x}" y="${y + height / 2}" dominant-baseline="central" font-family="sans-serif" font-size="${size}" fill="${colour}" fill-opacity="${opacity}">${escaped(text)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><rect ${size} fill="${ground}"/>${images.join("")}${boxes.join("")}${strokes.join("")}${words.join("")}</svg>`;
}

export function saveSvg(element: HTMLElement, name: string): void {
  give(`${name}.svg`, new Blob([svgOf(element)], { type: "image/svg+xml" }));
}
