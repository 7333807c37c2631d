// Files to download from the page.

import { svg } from "./elements.js";

/** Properties that the style sheet sets, with their defaults. */
const STYLES = {
  fill: "rgb(0, 0, 0)",
  stroke: "none",
  "stroke-width": "1px",
  "stroke-dasharray": "none",
  opacity: "1",
  "font-weight": "400",
  display: "inline",
};
const GAP = 40;
const PIXELS = 2;
/** Browsers give up on larger pictures. */
const MOST_PIXELS = 60e6;

/** Download a text or a blob. */
export function download(name, type, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Network and tree as they look now, side by side under a caption, in one SVG that needs nothing else. */
export function picture(caption, views) {
  const top = 34;
  let left = GAP / 2;
  const parts = views.map(({ pane, size }) => {
    const part = styled(pane.content);
    part.setAttribute("transform", `translate(${left} ${top})`);
    left += size[0] + GAP;
    return part;
  });
  const width = left - GAP / 2;
  const height = top + GAP / 2 + Math.max(0, ...views.map(({ size }) => size[1]));
  const page = getComputedStyle(document.body);
  const font = getComputedStyle(views[0].pane.screen).fontFamily;
  const defs = views.flatMap(({ pane }) => [...styled(pane.defs).children]);
  const whole = svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, "font-family": font },
    svg("defs", {}, ...defs),
    svg("rect", { width, height, fill: page.backgroundColor }),
    svg("text", { x: GAP / 2, y: 22, "font-size": 14, fill: page.color }, caption),
    ...parts,
  );
  return new XMLSerializer().serializeToString(whole);
}

/** The same picture in pixels. */
export async function pixels(source) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  await image.decode();
  const { width, height } = image;
  const scale = Math.min(PIXELS, Math.sqrt(MOST_PIXELS / (width * height)));
  const canvas = Object.assign(document.createElement("canvas"), { width: width * scale, height: height * scale });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** A copy with the properties of the style sheet as attributes. */
function styled(original) {
  const copy = original.cloneNode(true);
  const originals = [original, ...original.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((element, index) => {
    const style = getComputedStyle(element);
    for (const [name, usual] of Object.entries(STYLES)) {
      const value = style.getPropertyValue(name);
      if (value !== usual && !value.startsWith("url(")) copies[index].setAttribute(name, plainColour(value));
    }
    for (const name of ["class", "style", "tabindex", "role", "data-room", "aria-label", "aria-pressed"])
      copies[index].removeAttribute(name);
  });
  return copy;
}

/** Mixed colours are written as `color(srgb 0.5 0.2 0.1 / 0.4)`, which few programs read. */
function plainColour(value) {
  const parts = /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)$/.exec(value);
  if (!parts) return value;
  const channels = parts.slice(1, 4).map((part) => Math.round(255 * Number(part)));
  return parts[4] === undefined ? `rgb(${channels.join(", ")})` : `rgba(${channels.join(", ")}, ${parts[4]})`;
}
