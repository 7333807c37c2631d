// The states of a discrete variable: a click observes one, Shift and a click one of several, Alt and a click sets it.

import { VISIBLE_CHANGE } from "./cards.js";
import { button, html, mark } from "./elements.js";
import { probability } from "./format.js";
import { Likelihood } from "./likelihood.js";

/** With more states they are sorted at first. */
const SORTED_ABOVE = 6;

export class States {
  #numbers = null;

  constructor(index, page) {
    const { overview, question } = page;
    Object.assign(this, { index, question });
    this.variable = overview.variables[index];
    this.isSorted = this.variable.states.length > SORTED_ABOVE;
    this.rows = this.variable.states.map((name, state) => this.#row(name, state));
    this.list = html("div", { className: "states" }, ...this.rows.map((row) => row.element));
    this.soft = new Likelihood(index, page);
    this.elements = [this.list, this.soft.element];
    const sort = { className: "link sort", title: "Sort the states by probability" };
    this.sorting = button("sort", () => this.#sort(!this.isSorted), sort);
    this.tools = this.variable.states.length > 2 ? [this.sorting] : [];
  }

  show(numbers, before, best) {
    this.#numbers = numbers;
    const observed = this.question.evidence.get(this.index);
    const set = this.question.settings.get(this.index);
    this.rows.forEach((row, state) => {
      const [now, old] = [numbers?.[state], before?.[state]];
      row.press.setAttribute("aria-pressed", Boolean(observed?.has(state)));
      row.set.setAttribute("aria-pressed", set === state);
      mark(row.element, { best: best === state, observed: observed?.has(state), set: set === state, gained: now > old });
      const [from, to] = [Math.min(now ?? 0, old ?? now ?? 0), Math.max(now ?? 0, old ?? now ?? 0)];
      row.bar.style.width = `${100 * (now ?? 0)}%`;
      row.change.style.left = `${100 * from}%`;
      const hasMoved = Math.abs(now - old) >= VISIBLE_CHANGE;
      row.change.style.width = `${hasMoved ? 100 * (to - from) : 0}%`;
      row.number.textContent = numbers ? probability(now) : "–";
      row.number.dataset.value = numbers ? now : "";
      row.before.hidden = !hasMoved || !(observed?.has(state) || set === state);
      row.before.style.left = `${100 * (old ?? 0)}%`;
      const name = this.variable.states[state];
      row.press.title = old === undefined ? `Click to observe ${name}` : `${name}: before ${probability(old)}; click to observe`;
    });
    this.#sort(this.isSorted);
    this.soft.show();
  }

  #row(name, state) {
    const { index, question } = this;
    const [bar, change, before] = ["bar", "change", "before"].map((className) => html("span", { className }));
    const number = html("span", { className: "number" });
    const act = (event) => {
      if (event.altKey) question.set(index, state);
      else if (event.shiftKey) question.seeAlso(index, state);
      else question.see(index, state);
    };
    const press = button(bar, act, { className: "state", "data-state": name });
    press.append(change, before, html("span", { className: "label" }, name), number);
    const set = button("do", () => question.set(index, state), {
      className: "do",
      title: `Set to ${name}, whatever causes it (Alt and a click)`,
      "aria-label": `set to ${name}`,
    });
    return { element: html("div", { className: "state-row" }, press, set), press, set, bar, change, before, number };
  }

  /** Most probable first, or in the order of the network. */
  #sort(isSorted) {
    this.isSorted = isSorted;
    this.sorting.setAttribute("aria-pressed", isSorted);
    const order = [...this.rows.keys()];
    if (isSorted && this.#numbers) order.sort((one, other) => this.#numbers[other] - this.#numbers[one] || one - other);
    order.forEach((state, place) => (this.rows[state].element.style.order = place));
  }
}
