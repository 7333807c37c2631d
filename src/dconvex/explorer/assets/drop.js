// Files that are dropped on the page.

import { html } from "./elements.js";

export const isTable = (file) => /\.(csv|txt|tsv)$/i.test(file.name);

/** Call `take(file)` for a file that is dropped anywhere, and show where it can be dropped. */
export function acceptFiles(take, invitation) {
  const veil = html("div", { id: "veil", hidden: true }, html("p", {}, invitation));
  document.body.append(veil);
  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    veil.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) veil.hidden = true;
  });
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    veil.hidden = true;
    const [file] = event.dataTransfer.files;
    if (file) take(file);
  });
}
