// Soft evidence: a slider for how likely the observation is in each state.

import { html } from "./elements.js";
import { typed } from "./format.js";

export class Likelihood {
  #current = [];

  constructor(index, { overview, question }) {
    Object.assign(this, { index, question });
    const { states } = overview.variables[index];
    this.#current = states.map(() => 1);
    this.inputs = states.map((name, state) => this.#slider(name, state));
    this.problem = html("p", { className: "refusal", role: "alert", hidden: true });
    const hint = "How likely is what you observed, if the variable is in this state? Only ratios matter.";
    this.element = html(
      "details",
      { className: "soft" },
      html("summary", {}, "Soft evidence"),
      html("p", { className: "faint" }, hint),
      ...this.inputs.map(({ row }) => row),
      this.problem,
    );
  }

  show() {
    const likelihood = this.question.soft.get(this.index);
    if (likelihood) this.element.open = true;
    this.#current = likelihood ?? this.#current.map(() => 1);
    this.inputs.forEach(({ range, exact }, state) => {
      if (document.activeElement !== exact) exact.value = this.#current[state];
      if (document.activeElement !== range) range.value = this.#current[state];
    });
  }

  #slider(name, state) {
    const range = html("input", { type: "range", min: 0, max: 1, step: 0.01, value: 1, "aria-label": `likelihood of ${name}` });
    const exact = html("input", { inputMode: "decimal", value: 1, "aria-label": `likelihood of ${name}, exactly` });
    range.oninput = () => this.#weigh(state, Number(range.value), true);
    range.onchange = () => this.#weigh(state, Number(range.value));
    exact.onchange = () => this.#typed(state, exact);
    const row = html("div", { className: "slider" }, html("span", { className: "label", title: name }, name), range, exact);
    return { range, exact, row };
  }

  #typed(state, exact) {
    const number = typed(exact.value);
    const isRight = number >= 0;
    exact.setAttribute("aria-invalid", !isRight);
    this.problem.hidden = isRight;
    this.problem.textContent = `${exact.value} is no likelihood: it must be a number from 0 on, up to about 1.8e308.`;
    if (isRight) this.#weigh(state, number);
  }

  #weigh(state, number, isPassing = false) {
    this.#current = this.#current.with(state, number); // the next one may come before the answer to this
    this.question.weigh(this.index, this.#current, isPassing);
  }
}
