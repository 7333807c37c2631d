// A short notice at the edge of the page that something was done.

import { html } from "./elements.js";

const LASTING = 2600;
let timer = null;

export function notice(text) {
  let element = document.querySelector("#notice");
  if (!element) {
    element = html("p", { id: "notice", role: "status" });
    document.body.append(element);
  }
  element.textContent = text;
  element.classList.add("shown");
  clearTimeout(timer);
  timer = setTimeout(() => element.classList.remove("shown"), LASTING);
}

/** Copy a text, and say so. */
export async function copy(text, what) {
  await navigator.clipboard.writeText(text);
  notice(`${what} copied`);
}
