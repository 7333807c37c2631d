// Why: what each finding did to the answer, whether they fit together, how sure it is, and what setting a variable would do.

import * as api from "./api.js";
import { EffectView } from "./effect_view.js";
import { faint, html, table } from "./elements.js";
import { percent, quantity } from "./format.js";
import { SureView } from "./sure_view.js";

const signed = (number) => `${number > 0 ? "+" : number < 0 ? "−" : ""}${quantity(Math.abs(number))}`;

export class WhyTab {
  #asked = 0;

  constructor(page) {
    this.page = page;
    this.influences = html("div", { id: "influences" });
    this.conflict = html("div", { id: "conflict" });
    this.sure = new SureView(page);
    this.effect = new EffectView(page);
    this.elements = [
      html("section", {}, html("h3", {}, "What did each finding do?"), this.influences),
      html("section", {}, html("h3", {}, "Do they fit together?"), this.conflict),
      this.sure.element,
      this.effect.element,
    ];
  }

  async show(view) {
    const asked = ++this.#asked;
    this.sure.show(view);
    this.effect.show(view);
    const [influences, conflict] = await Promise.all([this.#showInfluences(view), this.#showConflict(view)]);
    if (asked !== this.#asked) return;
    this.influences.replaceChildren(...influences);
    this.conflict.replaceChildren(...conflict);
  }

  async #showInfluences(view) {
    const { question } = this.page;
    if (view.message) return [faint(view.message)];
    if (question.targets.length !== 1 || question.evidence.size + question.soft.size === 0)
      return [faint("Ask for one variable and observe others: then this says which of them moved the answer.")];
    return api.ask("influences", question.request()).then(
      (found) => this.#influenceParts(found),
      (problem) => [faint(problem.message)],
    );
  }

  #influenceParts({ rows, state, now, before }) {
    const { variables, kind } = this.page.overview;
    const target = variables[this.page.question.targets[0]];
    const write = kind === "discrete" ? percent : quantity;
    const what = kind === "discrete" ? `P(${target.name} = ${target.states[state]})` : `mean of ${target.name}`;
    const said = html("p", {}, `${what}: ${write(before)} before any evidence, ${write(now)} with all of it.`);
    const cells = rows.map((row) => [
      this.#finding(row.index),
      write(row.without),
      write(row.alone),
      html("span", { className: row.shift < 0 ? "down" : "up" }, signed(row.shift)),
    ]);
    const unit = kind === "discrete" ? "log-odds" : "deviations";
    return [said, table(["finding", "without it", "it alone", unit], cells)];
  }

  #finding(index) {
    const { bar, question } = this.page;
    const pick = (pairs) => pairs.filter(([own]) => own === index);
    const { evidence, soft } = question.case;
    return bar.spell({ evidence: pick(evidence), soft: pick(soft), do: [], tables: [] });
  }

  async #showConflict(view) {
    const { question } = this.page;
    if (view.message || question.evidence.size + question.soft.size < 2)
      return [faint(view.message ?? "Two findings or more can fit together, or contradict each other.")];
    return api.ask("conflict", question.request()).then(
      (found) => this.#conflictParts(found),
      (problem) => [faint(problem.message)],
    );
  }

  #conflictParts({ pieces, together, conflict }) {
    const { kind } = this.page.overview;
    const factor = quantity(Math.exp(Math.abs(conflict)));
    const isOff = conflict > 1e-9;
    const said =
      Math.abs(conflict) <= 1e-9
        ? "They have nothing to do with each other."
        : isOff
          ? `They are ${factor} times less probable together than if they had nothing to do with each other: a rare case, or an error in one of them.`
          : `They support each other: ${factor} times more probable together than if they had nothing to do with each other.`;
    const write = (log) => (kind === "discrete" ? quantity(Math.exp(log)) : quantity(log));
    const what = kind === "discrete" ? "probability" : "log density";
    const rows = [...pieces.map(([index, log]) => [this.#finding(index), write(log)]), ["all together", write(together)]];
    return [html("p", { className: isOff ? "warned" : "" }, said), table(["alone", what], rows)];
  }
}
