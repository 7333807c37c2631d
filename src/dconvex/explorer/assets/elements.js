// Making elements.

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element with attributes and children; strings become text. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** An HTML element with properties (`aria-…`, `data-…` and `role` are attributes), listeners (`onclick`) and children. */
export function html(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (/^(aria-|data-|role$)/.test(name)) element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

/** A button that calls `press`. */
export function button(label, press, properties = {}) {
  return html("button", { type: "button", onclick: press, ...properties }, label);
}

/** Add classes to an element or remove them: `{ name: whether it holds }`. */
export function mark(element, marks) {
  for (const [name, holds] of Object.entries(marks)) element.classList.toggle(name, Boolean(holds));
}

/** The `d` of a smooth line through the knots x, y, x, y, …, leaving and reaching each of them along the flow. */
export function curve(route, flowsDown) {
  let d = `M${route[0]} ${route[1]}`;
  for (let i = 2; i < route.length; i += 2) {
    const [x, y, nextX, nextY] = route.slice(i - 2, i + 2);
    const [halfX, halfY] = [(x + nextX) / 2, (y + nextY) / 2];
    d += flowsDown
      ? `C${x} ${halfY} ${nextX} ${halfY} ${nextX} ${nextY}`
      : `C${halfX} ${y} ${halfX} ${nextY} ${nextX} ${nextY}`;
  }
  return d;
}

/** Squeeze texts that are wider than their `data-room`; all are measured before any is changed, which is fast. */
export function squeeze(root) {
  const texts = [...root.querySelectorAll("text[data-room]")];
  const widths = texts.map((text) => text.getComputedTextLength());
  texts.forEach((text, index) => {
    const room = Number(text.dataset.room);
    if (widths[index] > room) {
      text.setAttribute("textLength", room);
      text.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
  });
}

/** A paragraph in the second colour. */
export const faint = (text) => html("p", { className: "faint" }, text);

/** A table: a row of headings and rows of cells, each a text or an element. */
export function table(head, rows) {
  const cells = (tag, row) => row.map((cell) => html(tag, {}, cell));
  return html(
    "table",
    {},
    html("thead", {}, html("tr", {}, ...cells("th", head))),
    html("tbody", {}, ...rows.map((row) => html("tr", {}, ...cells("td", row)))),
  );
}
