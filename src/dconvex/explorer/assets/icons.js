// Icons, drawn as strokes in a box of 16 by 16.

import { svg } from "./elements.js";

const PATHS = {
  undo: "M6 3 2.5 6.5 6 10M3 6.5h6.5a4 4 0 0 1 0 8H6",
  redo: "M10 3l3.5 3.5L10 10M13 6.5H6.5a4 4 0 0 0 0 8H10",
  pin: "M6 2h4l-.5 5L12 9.5H4L6.5 7zM8 9.5V14.5",
  link: "M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.5 4.5L11.5 9M4.5 7 3 8.5A3 3 0 0 0 7.5 13L9 11.5",
  scheme: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11",
  tree: "M8 2v4M8 6 3.5 10M8 6l4.5 4M2 10h3v3H2zM11 10h3v3h-3zM6.5 2h3v3h-3z",
  close: "M4 4l8 8M12 4l-8 8",
  open: "M2 5V13h12V6H8L6.5 4H2z",
};

export function icon(name) {
  const path = svg("path", { d: PATHS[name] });
  return svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, path);
}
