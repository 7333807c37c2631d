// What was opened before, and a row of a table that waits for its network: remembered by the browser alone.

import { remember, remembered } from "./memory.js";

const MOST = 6;
const ROW = "dconvex.row";

/** The pages that were opened last: `{ title, page }`. */
export const opened = () => remembered("recent", []).filter(({ title, page }) => title && page);

/** Only built-in networks have the same page again later; files have to be dropped again. */
export function rememberOpened(title) {
  const page = /\/(network\/[^/]+\/)$/.exec(location.pathname)?.[1];
  if (!page) return;
  const others = opened().filter((each) => each.page !== page);
  remember("recent", [{ title, page }, ...others].slice(0, MOST));
}

export function keepRow(text) {
  sessionStorage.setItem(ROW, text);
}

/** The row that was kept, once. */
export function takeRow() {
  const text = sessionStorage.getItem(ROW);
  sessionStorage.removeItem(ROW);
  return text;
}
