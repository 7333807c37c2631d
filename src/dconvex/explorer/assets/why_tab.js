// Why: whether the pieces of evidence fit together.

import * as api from "./api.js";
import { faint, html, table } from "./elements.js";
import { quantity } from "./format.js";

export class WhyTab {
  #asked = 0;

  constructor(page) {
    this.page = page;
    this.conflict = html("div", { id: "conflict" });
    this.elements = [html("section", {}, html("h3", {}, "Does the evidence fit together?"), this.conflict)];
  }

  async show(view) {
    const { question } = this.page;
    if (view.message || question.evidence.size + question.soft.size < 2) {
      this.conflict.replaceChildren(faint(view.message ?? "Two observations or more can fit together, or contradict each other."));
      return;
    }
    const asked = ++this.#asked;
    const parts = await api.ask("conflict", question.request()).then(
      (found) => this.#parts(found),
      (problem) => [faint(problem.message)],
    );
    if (asked === this.#asked) this.conflict.replaceChildren(...parts);
  }

  #parts({ pieces, together, conflict }) {
    const { variables, kind } = this.page.overview;
    const factor = quantity(Math.exp(Math.abs(conflict)));
    const isOff = conflict > 1e-9;
    const said = isOff
      ? `They are ${factor} times less probable together than if they had nothing to do with each other: a surprise, a rare case, or an error in one of them.`
      : `They support each other: ${factor} times more probable together than if they had nothing to do with each other.`;
    const write = (log) => (kind === "discrete" ? quantity(Math.exp(log)) : quantity(log));
    const what = kind === "discrete" ? "probability" : "log density";
    const rows = [...pieces.map(([index, log]) => [variables[index].name, write(log)]), ["all together", write(together)]];
    return [html("p", { className: isOff ? "lead warned" : "lead" }, said), table(["alone", what], rows)];
  }
}
