// All variables with their most probable state, while nothing is asked for.

import { button, faint, html } from "./elements.js";
import { count, percent, quantity } from "./format.js";

const LISTED = 300;

export class VariableList {
  constructor(page) {
    this.page = page;
    this.list = html("ul", { className: "variable-list" });
    this.element = html("section", { hidden: true }, html("h3", {}, "All variables"), this.list);
    this.rest = faint("");
    this.element.append(this.rest);
  }

  show({ marginals }) {
    const { overview, question } = this.page;
    const { variables } = overview;
    this.element.hidden = question.targets.length > 0;
    if (this.element.hidden) return;
    if (!this.rows) this.#make(variables);
    for (const [index, { what, number }] of this.rows) {
      const numbers = marginals.get(index);
      const { states } = variables[index];
      const top = numbers && states.length ? numbers.indexOf(Math.max(...numbers)) : 0;
      what.textContent = numbers ? (states[top] ?? "") : "";
      number.textContent = numbers ? (states.length ? percent(numbers[top]) : `${quantity(numbers[0])} ± ${quantity(numbers[1])}`) : "";
    }
  }

  #make(variables) {
    this.rows = new Map();
    const indices = [...variables.keys()].slice(0, LISTED);
    for (const index of indices) {
      const [what, number] = [html("span"), html("span", { className: "number" })];
      const press = button("", () => this.page.acts.begin(index), { "data-ask": variables[index].name });
      press.append(html("span", { className: "name" }, variables[index].name), what, number);
      this.rows.set(index, { what, number });
      this.list.append(html("li", {}, press));
    }
    const left = variables.length - indices.length;
    this.rest.textContent = left ? `… and ${count(left)} more: find them by name ( / ).` : "";
    this.rest.hidden = !left;
  }
}
