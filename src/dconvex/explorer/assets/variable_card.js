// A variable in the panel: its posterior in full, evidence on it, soft evidence, and its neighbours in the network.

import { Bells, span } from "./density.js";
import { button, html, mark, svg } from "./elements.js";
import { probability, quantity } from "./format.js";

/** The most parents, and the most children, that are listed. */
const NEIGHBOURS = 30;

export class VariableCard {
  constructor(index, overview, question, acts) {
    Object.assign(this, { index, question });
    const variable = overview.variables[index];
    const reveal = button(variable.name, () => acts.reveal(index), { className: "plain", title: "Show it in the network" });
    const remove = { className: "remove", title: "Stop asking", "aria-label": `stop asking for ${variable.name}` };
    const forget = button("forget", () => question.forget(index), { className: "link" });
    this.said = html("span");
    this.status = html("p", { className: "status" }, this.said, forget);
    this.answer = variable.states.length ? new States(index, variable, question) : new Continuous(index, variable, question);
    this.element = html(
      "article",
      { className: "variable", "data-variable": variable.name },
      html(
        "header",
        {},
        html("h3", {}, reveal),
        button("×", () => question.askAlso(index), remove),
      ),
      this.status,
      ...this.answer.elements,
      ...neighbours(overview, variable, acts),
    );
  }

  show({ marginals, priors, best }) {
    const { index, question } = this;
    const isObserved = question.evidence.has(index);
    const isSoft = question.soft.has(index);
    this.said.textContent = isObserved ? "observed " : "soft evidence ";
    this.status.hidden = !isObserved && !isSoft;
    this.answer.show(
      marginals.get(index),
      question.knowsAnything && marginals.has(index) ? priors.get(index) : undefined,
      best?.get(index),
    );
  }
}

/** Parents and children, to go on from here. */
function neighbours(overview, { parents, children }, acts) {
  const link = (index) => {
    const { name } = overview.variables[index];
    return button(name, (event) => acts.ask(index, event), { className: "link", title: `Ask for ${name}` });
  };
  const line = (what, indices) => {
    const links = indices.slice(0, NEIGHBOURS).flatMap((index) => [link(index), " "]);
    if (indices.length > NEIGHBOURS) links.push(`and ${indices.length - NEIGHBOURS} more`);
    return indices.length ? [html("p", { className: "neighbours faint" }, `${what}: `, ...links)] : [];
  };
  return [...line("parents", parents), ...line("children", children)];
}

/** The states of a discrete variable: a click observes one, Shift and a click one of several. */
class States {
  constructor(index, variable, question) {
    Object.assign(this, { index, question });
    this.rows = variable.states.map((name, state) => this.#row(name, state));
    this.soft = new Likelihood(index, variable, question);
    this.elements = [html("div", { className: "states" }, ...this.rows.map((row) => row.element)), this.soft.element];
  }

  #row(name, state) {
    const { index, question } = this;
    const bar = html("span", { className: "bar" });
    const prior = html("span", { className: "prior" });
    const number = html("span", { className: "number" });
    const press = (event) => (event.shiftKey ? question.seeAlso(index, state) : question.see(index, state));
    const hint = "Click to observe; with Shift to allow several states";
    const element = button(bar, press, { className: "state", title: hint, "data-state": name });
    element.append(prior, html("span", { className: "label" }, name), number);
    return { element, bar, prior, number };
  }

  show(numbers, priors, best) {
    const observed = this.question.evidence.get(this.index);
    this.rows.forEach(({ element, bar, prior, number }, state) => {
      element.setAttribute("aria-pressed", Boolean(observed?.has(state)));
      mark(element, { best: best === state });
      bar.style.width = numbers ? `${100 * numbers[state]}%` : "0";
      number.textContent = numbers ? probability(numbers[state]) : "–";
      number.dataset.value = numbers ? numbers[state] : "";
      prior.hidden = !priors;
      prior.style.width = priors ? `${100 * priors[state]}%` : "0";
    });
    this.soft.show();
  }
}

/** Sliders for how likely the observation is in each state. */
class Likelihood {
  constructor(index, variable, question) {
    Object.assign(this, { index, question });
    this.inputs = variable.states.map((name) => this.#slider(name));
    const hint = "How likely is what you observed, if the variable is in this state? Only ratios matter.";
    this.element = html(
      "details",
      { className: "soft" },
      html("summary", {}, "Soft evidence"),
      html("p", { className: "faint" }, hint),
      ...this.inputs.map(({ row }) => row),
    );
  }

  #slider(name) {
    const common = { min: 0, value: 1 };
    const range = html("input", { type: "range", max: 1, step: 0.01, ...common, "aria-label": `likelihood of ${name}` });
    const exact = html("input", { type: "number", step: "any", ...common, "aria-label": `likelihood of ${name}, exactly` });
    range.oninput = () => this.#changed(exact, range.value);
    exact.onchange = () => this.#changed(range, exact.value);
    const row = html("div", { className: "slider" }, html("span", { className: "label" }, name), range, exact);
    return { range, exact, row };
  }

  #changed(other, value) {
    other.value = value;
    const numbers = this.inputs.map(({ exact }) => Math.max(exact.valueAsNumber || 0, 0));
    this.question.weigh(this.index, numbers);
  }

  show() {
    const likelihood = this.question.soft.get(this.index);
    if (likelihood) this.element.open = true;
    this.inputs.forEach(({ range, exact }, state) => {
      const number = likelihood ? likelihood[state] : 1;
      if (document.activeElement !== exact) exact.value = number;
      if (document.activeElement !== range) range.value = number;
    });
  }
}

/** A continuous variable: mean, standard deviation, and the observed value. */
class Continuous {
  constructor(index, variable, question) {
    Object.assign(this, { index, question });
    const curves = ["prior", "posterior"].map((name) => svg("path", { class: `bell ${name}` }));
    this.bells = new Bells(...curves, 300, 70);
    this.mean = html("span", { className: "number", "data-part": "mean" });
    this.deviation = html("span", { className: "number", "data-part": "deviation" });
    this.exact = html("input", { type: "number", step: "any", placeholder: "–", "aria-label": `observe ${variable.name} at` });
    this.range = html("input", { type: "range", step: "any", "aria-label": `observe ${variable.name} at, by slider` });
    this.exact.onchange = () =>
      question.measure(index, Number.isFinite(this.exact.valueAsNumber) ? this.exact.valueAsNumber : null);
    this.range.oninput = () => question.measure(index, Number(this.range.valueAsNumber.toPrecision(4)));
    this.elements = [
      svg("svg", { class: "bells", viewBox: "0 0 300 70", preserveAspectRatio: "none", role: "img" }, ...curves),
      html("p", { className: "moments" }, this.mean, " ± ", this.deviation),
      html("div", { className: "slider" }, html("span", { className: "label" }, "observe"), this.range, this.exact),
    ];
  }

  show(numbers, prior) {
    const observed = this.question.evidence.get(this.index);
    if (document.activeElement !== this.exact) this.exact.value = observed ?? "";
    if (!numbers) return;
    this.bells.show(numbers, prior);
    [this.mean, this.deviation].forEach((element, part) => {
      element.textContent = quantity(numbers[part]);
      element.dataset.value = numbers[part];
    });
    [this.range.min, this.range.max] = span(prior ?? numbers);
    if (document.activeElement !== this.range) this.range.value = observed ?? numbers[0];
  }
}
