// A variable's own numbers: its table as a heat map, or its regression. A number can be changed, on a copy, to see what would follow.

import * as api from "./api.js";
import { button, faint, html } from "./elements.js";
import { count, quantity, typed } from "./format.js";

export class FamilyTable {
  #shown = null;

  constructor(index, page) {
    Object.assign(this, { index, page });
    const { name, parents } = page.overview.variables[index];
    const given = parents.map((parent) => page.overview.variables[parent].name);
    const listed = given.length > 4 ? [...given.slice(0, 4), "…"] : given;
    const title = page.overview.kind === "discrete" ? "Table" : "Regression";
    this.body = html("div", { className: "family-body" });
    const summary = html("summary", {}, `${title}: P(${name}${given.length ? ` | ${listed.join(", ")}` : ""})`);
    this.element = html("details", { className: "family" }, summary, this.body);
    this.element.addEventListener("toggle", () => this.show());
  }

  /** Load the numbers where they can be seen and may have changed. */
  async show() {
    if (!this.element.open) return;
    const request = { ...this.page.question.request(), asked: [this.index] };
    const wanted = JSON.stringify([request.tables, request.evidence]);
    if (wanted === this.#shown) return;
    this.#shown = wanted;
    try {
      const family = await api.ask("family", request);
      if (wanted === this.#shown) this.body.replaceChildren(...this.#parts(family));
    } catch (problem) {
      this.body.replaceChildren(html("p", { className: "refusal" }, problem.message));
    }
  }

  #parts(family) {
    const { question, acts } = this.page;
    const isChanged = question.tables.has(this.index);
    this.problem = html("p", { className: "refusal", role: "alert", hidden: true });
    const hint = isChanged
      ? "Changed on a copy: all answers follow it."
      : "What if? Click a number to change it on a copy, and see the answers move.";
    const tools = isChanged
      ? [
          html(
            "div",
            { className: "buttons" },
            button("Restore", () => question.restoreTable(this.index), { "data-act": "restore" }),
            button("Download the changed network", () => acts.export("network"), { "data-act": "network" }),
          ),
        ]
      : [];
    const body = family.kind === "table" ? this.#heatMap(family) : this.#regression(family);
    return [faint(hint), body, this.problem, ...tools];
  }

  #heatMap({ parents, rows, count: all, total }) {
    const { variables } = this.page.overview;
    const { states } = variables[this.index];
    const head = [...parents.map((parent) => variables[parent].name), ...states];
    const changed = this.page.question.tables.get(this.index);
    const body = rows.map(([row, given, numbers]) =>
      html(
        "tr",
        { className: changed?.has(row) ? "rewritten" : "" },
        ...given.map((state, place) => html("th", { scope: "row" }, variables[parents[place]].states[state])),
        ...numbers.map((number, state) => this.#cell(row, numbers, state, number)),
      ),
    );
    const rest = [
      ...(all > rows.length ? [`the first ${count(rows.length)} of ${count(all)} rows; observe parents to see others`] : []),
      ...(all < total ? [`${count(all)} of ${count(total)} rows: those of the observed parents`] : []),
    ];
    const table = html(
      "table",
      { className: "heat" },
      html("thead", {}, html("tr", {}, ...head.map((name) => html("th", { scope: "col" }, name)))),
      html("tbody", {}, ...body),
    );
    return html("div", { className: "scroll" }, table, ...rest.map(faint));
  }

  #cell(row, numbers, state, number) {
    const cell = html("td", { title: String(number) });
    cell.style.setProperty("--weight", `${Math.round(100 * number)}%`);
    const edit = () => this.#edit(cell, number, (value) => this.#replace(row, numbers, state, value));
    cell.append(button(shortNumber(number), edit, { className: "plain number", "data-cell": `${row}:${state}` }));
    return cell;
  }

  /** The other probabilities of the row make room in proportion. */
  #replace(row, shown, state, value) {
    if (!(value >= 0 && value <= 1)) return this.#refuse("a probability is a number from 0 to 1");
    const numbers = this.#latest(row, shown);
    const others = 1 - numbers[state];
    const scaled = numbers.map((number, each) => {
      if (each === state) return value;
      return others > 0 ? (number * (1 - value)) / others : (1 - value) / (numbers.length - 1);
    });
    this.page.question.rewrite(this.index, row, scaled);
  }

  #regression({ parents, rows: [[row, , numbers]] }) {
    const { variables } = this.page.overview;
    const labels = ["intercept", ...parents.map((parent) => `× ${variables[parent].name}`), "variance"];
    const largest = Math.max(...numbers.slice(1, -1).map(Math.abs), 1e-12);
    const body = numbers.map((number, place) => {
      const bar = html("span", { className: number < 0 ? "bar negative" : "bar" });
      const isCoefficient = place > 0 && place < numbers.length - 1;
      bar.style.width = isCoefficient ? `${(100 * Math.abs(number)) / largest}%` : "0";
      const cell = html("td");
      const edit = () => this.#edit(cell, number, (value) => this.#rewrite(row, numbers, place, value));
      cell.append(button(quantity(number), edit, { className: "plain number", "data-cell": `${row}:${place}` }));
      return html("tr", {}, html("th", { scope: "row" }, labels[place]), cell, html("td", { className: "bars" }, bar));
    });
    return html("table", { className: "regression" }, html("tbody", {}, ...body));
  }

  #rewrite(row, numbers, place, value) {
    if (!Number.isFinite(value)) return this.#refuse("this must be a finite number");
    if (place === numbers.length - 1 && value < 0) return this.#refuse("a variance is at least 0");
    this.page.question.rewrite(this.index, row, this.#latest(row, numbers).with(place, value));
  }

  /** The row as it is by now: what is shown may be older than the last change. */
  #latest(row, shown) {
    return this.page.question.tables.get(this.index)?.get(row) ?? shown;
  }

  #refuse(why) {
    this.problem.textContent = why;
    this.problem.hidden = false;
  }

  #edit(cell, number, act) {
    const input = html("input", { inputMode: "decimal", value: String(number), "aria-label": "new number" });
    const before = [...cell.childNodes];
    let isDone = false;
    const end = (isWanted) => {
      if (isDone) return;
      isDone = true;
      cell.replaceChildren(...before);
      if (isWanted && input.value !== String(number)) act(typed(input.value));
    };
    input.onkeydown = (event) => {
      if (event.key === "Enter") end(true);
      if (event.key === "Escape") end(false);
    };
    input.onblur = () => end(true);
    cell.replaceChildren(input);
    input.select();
  }
}

function shortNumber(number) {
  if (number === 0 || number === 1) return String(number);
  return number < 0.0005 ? number.toExponential(0) : number.toFixed(3);
}
