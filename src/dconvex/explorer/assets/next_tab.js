// What to observe next.

import { faint, html } from "./elements.js";

export class NextTab {
  constructor(page) {
    this.page = page;
    this.list = html("div", { id: "next" });
    this.elements = [html("section", {}, this.list)];
  }

  show() {
    this.list.replaceChildren(faint("Ask for a variable first."));
  }
}
