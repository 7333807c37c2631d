// A continuous variable: mean, standard deviation, and the observed value.

import { Bells, span } from "./density.js";
import { button, html, svg } from "./elements.js";
import { quantity, typed } from "./format.js";

export class Continuous {
  constructor(index, { overview, question }) {
    Object.assign(this, { index, question, tools: [] });
    const { name } = overview.variables[index];
    const curves = ["prior", "posterior"].map((each) => svg("path", { class: `bell ${each}` }));
    this.bells = new Bells(...curves, 300, 70);
    this.mean = html("span", { className: "number", "data-part": "mean" });
    this.deviation = html("span", { className: "number", "data-part": "deviation" });
    this.before = html("p", { className: "moments faint" });
    this.exact = html("input", { inputMode: "decimal", placeholder: "–", "aria-label": `observe ${name} at` });
    this.range = html("input", { type: "range", step: "any", "aria-label": `observe ${name} at, by slider` });
    this.problem = html("p", { className: "refusal", role: "alert", hidden: true });
    this.exact.onchange = () => this.#typed((number) => question.measure(index, number));
    this.range.oninput = () => question.measure(index, Number(this.range.valueAsNumber.toPrecision(4)), true);
    const hint = { className: "do shown", title: "Set it to this number, whatever causes it", "aria-label": `set ${name}` };
    this.set = button("do", () => this.#typed((number) => number !== null && question.set(index, number)), hint);
    const row = [html("span", { className: "label" }, "observe"), this.range, this.exact, this.set];
    this.elements = [
      svg("svg", { class: "bells", viewBox: "0 0 300 70", preserveAspectRatio: "none", role: "img" }, ...curves),
      html("p", { className: "moments" }, this.mean, " ± ", this.deviation),
      this.before,
      html("div", { className: "slider four" }, ...row),
      this.problem,
    ];
  }

  show(numbers, before) {
    const known = this.question.evidence.get(this.index) ?? this.question.settings.get(this.index);
    if (document.activeElement !== this.exact) this.exact.value = known ?? "";
    this.set.setAttribute("aria-pressed", this.question.settings.has(this.index));
    this.before.hidden = !before;
    if (!numbers) return;
    this.bells.show(numbers, before);
    [this.mean, this.deviation].forEach((element, part) => {
      element.textContent = quantity(numbers[part]);
      element.dataset.value = numbers[part];
    });
    if (before) this.before.textContent = `before: ${before.map(quantity).join(" ± ")}`;
    if (document.activeElement === this.range) return; // it is being moved
    [this.range.min, this.range.max] = span(before ?? numbers);
    this.range.value = known ?? numbers[0];
  }

  /** Act on what was typed: a number, or null for nothing. */
  #typed(act) {
    const text = this.exact.value;
    const number = typed(text);
    const isRight = text.trim() === "" || Number.isFinite(number);
    this.exact.setAttribute("aria-invalid", !isRight);
    this.problem.hidden = isRight;
    this.problem.textContent = `${text} is no number that can be observed: it must be finite, up to about 1.8e308.`;
    if (isRight) act(text.trim() === "" ? null : number);
  }
}
