// A CSV file whose rows are cases: one of them is the evidence, and arrows go to the others.

import * as api from "./api.js";
import { button, html } from "./elements.js";
import { counted } from "./format.js";
import { notice } from "./notices.js";

const LARGEST = 1e6;

export class CaseFile {
  #text = "";
  #row = 0;
  #rows = 0;

  /** `element` shows which row it is; `acts.complain(text)` is called about what cannot be used. */
  constructor(element, question, acts) {
    Object.assign(this, { element, question, acts });
  }

  async open(file) {
    if (file.size > LARGEST) this.acts.complain("That is more than a few cases: a file with evidence has at most 1 MB.");
    else await this.take(await file.text());
  }

  /** A row of the text becomes the evidence. */
  async take(text, row = 0) {
    try {
      const { evidence, rows, ignored, problems } = await api.ask("case", { text, row });
      [this.#text, this.#row, this.#rows] = [text, row, rows];
      this.question.know(evidence);
      this.#show();
      notice(`${counted(evidence.length, "observation")} taken`);
      const skipped = ignored.length ? [`Columns that this network does not have: ${ignored.slice(0, 8).join(", ")}.`] : [];
      if (problems.length || skipped.length) this.acts.complain([...problems, ...skipped].join(" "));
    } catch (problem) {
      this.acts.complain(problem.message);
    }
  }

  #show() {
    this.element.hidden = this.#rows < 2;
    const step = (by, sign, title) => {
      const to = this.#row + by;
      const isThere = to >= 0 && to < this.#rows;
      return button(sign, () => this.take(this.#text, to), { disabled: !isThere, title, "aria-label": title, className: "tool" });
    };
    const where = html("span", {}, `case ${this.#row + 1} of ${this.#rows}`);
    this.element.replaceChildren(step(-1, "‹", "case before"), where, step(1, "›", "next case"));
  }
}
