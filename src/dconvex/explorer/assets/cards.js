// The body of a variable's box, below its name: a row for each state, the most probable ones of many, or a bell curve.
// Each has an `element` and a method `show({ numbers, before, observed, set, best })`: `observed` are the observed states, `set` the
// state of an intervention, `before` the numbers to compare with; numbers may be missing.

import { Bells } from "./density.js";
import { mark, squeeze, svg } from "./elements.js";
import { percent, quantity } from "./format.js";

/** A smaller change has no mark of its own: it would only cross the text. */
export const VISIBLE_CHANGE = 0.005;

/** `pressed(state, event)` is called when a state is clicked. */
export function cardBody(variable, width, metrics, pressed) {
  if (!variable.states.length) return new DensityBody(width, metrics);
  return variable.states.length <= metrics.mostRows
    ? new RowsBody(variable, width, metrics, pressed)
    : new TopBody(variable, width, metrics, pressed);
}

/** A row for a state: a bar with what it gained or lost, a mark where it was before, its name and its probability. */
class StateRow {
  constructor(number, width, { row, rowFont }, pressed) {
    const y = number * row;
    this.width = width - 2;
    this.bar = svg("rect", { class: "bar", x: 1, y: y + 1, width: 0, height: row - 2 });
    this.change = svg("rect", { class: "change", x: 1, y: y + 1, width: 0, height: row - 2 });
    this.before = svg("path", { class: "before", visibility: "hidden" });
    const baseline = y + row - 5;
    this.percent = svg("text", { class: "number", x: width - 6, y: baseline, "text-anchor": "end", "font-size": rowFont });
    this.label = svg("text", { class: "label", x: 7, y: baseline, "font-size": rowFont, "data-room": width - 62 });
    this.title = svg("title");
    const ground = svg("rect", { class: "ground", x: 1, y, width: width - 2, height: row });
    const parts = [this.title, ground, this.bar, this.change, this.before, this.label, this.percent];
    this.group = svg("g", { class: "state" }, ...parts);
    this.top = y + 1;
    this.height = row - 2;
    this.group.addEventListener("click", (event) => {
      event.stopPropagation();
      if (this.state !== undefined) pressed(this.state, event);
    });
  }

  /** Become the row of this state. */
  name(state, text) {
    if (this.state === state) return false;
    this.state = state;
    this.text = text;
    this.group.dataset.state = text;
    this.label.textContent = text;
    for (const name of ["textLength", "lengthAdjust"]) this.label.removeAttribute(name);
    return true;
  }

  show({ numbers, before, observed, set, best }) {
    const now = numbers?.[this.state];
    const old = before?.[this.state];
    const from = Math.min(now ?? 0, old ?? now ?? 0);
    const to = Math.max(now ?? 0, old ?? now ?? 0);
    this.bar.setAttribute("width", (now ?? 0) * this.width);
    const hasMoved = Math.abs(now - old) >= VISIBLE_CHANGE;
    this.change.setAttribute("x", 1 + from * this.width);
    this.change.setAttribute("width", hasMoved ? (to - from) * this.width : 0);
    const isKnown = Boolean(observed?.has(this.state)) || set === this.state;
    this.before.setAttribute("visibility", hasMoved && isKnown ? "inherit" : "hidden"); // elsewhere the change itself begins there
    if (hasMoved) this.before.setAttribute("d", `M${1 + old * this.width} ${this.top}v${this.height}`);
    this.percent.textContent = now === undefined ? "" : percent(now);
    const isObserved = Boolean(observed?.has(this.state));
    mark(this.group, { observed: isObserved, set: set === this.state, best: best === this.state, gained: now > old });
    const was = old === undefined ? "" : `, before ${percent(old)}`;
    const said = now === undefined ? this.text : `${this.text}: ${now}${was}`;
    this.title.textContent = isObserved ? `${said} (observed; click to forget)` : `${said} (click to observe, with Alt to set)`;
  }
}

class RowsBody {
  constructor(variable, width, metrics, pressed) {
    this.rows = variable.states.map((name, state) => {
      const row = new StateRow(state, width, metrics, pressed);
      row.name(state, name);
      return row;
    });
    this.element = svg("g", { class: "rows" }, ...this.rows.map((row) => row.group));
  }

  show(view) {
    for (const row of this.rows) row.show(view);
  }
}

/** The most probable states of many, and how many others there are. */
class TopBody {
  constructor(variable, width, metrics, pressed) {
    this.names = variable.states;
    this.rows = Array.from({ length: metrics.mostRows - 1 }, (_, number) => new StateRow(number, width, metrics, pressed));
    const y = metrics.mostRows * metrics.row - 5;
    this.rest = svg("text", { class: "rest", x: width / 2, y, "text-anchor": "middle", "font-size": metrics.rowFont });
    this.element = svg("g", { class: "rows" }, ...this.rows.map((row) => row.group), this.rest);
  }

  show(view) {
    const { numbers, observed, set } = view;
    const weight = (state) => (observed?.has(state) || set === state ? 2 : (numbers?.[state] ?? 0));
    const order = this.names.map((_, state) => state).sort((one, other) => weight(other) - weight(one) || one - other);
    const renamed = this.rows.map((row, number) => row.name(order[number], this.names[order[number]]));
    for (const row of this.rows) row.show(view);
    const others = order.slice(this.rows.length);
    const mass = others.reduce((sum, state) => sum + (numbers?.[state] ?? 0), 0);
    this.rest.textContent = `${others.length} more states${numbers ? `, ${percent(mass)}` : ""}`;
    if (renamed.some(Boolean)) squeeze(this.element);
  }
}

class DensityBody {
  constructor(width, metrics) {
    const height = metrics.chart - 22;
    const curves = ["prior", "posterior"].map((name) => svg("path", { class: `bell ${name}` }));
    this.bells = new Bells(...curves, width - 8, height);
    this.text = svg("text", {
      class: "number",
      x: width / 2,
      y: metrics.chart - 5,
      "text-anchor": "middle",
      "font-size": metrics.rowFont,
      "data-room": width - 8,
    });
    this.element = svg("g", { class: "density" }, svg("g", { transform: "translate(4 2)" }, ...curves), this.text);
  }

  show({ numbers, before }) {
    if (!numbers) return;
    this.bells.show(numbers, before);
    this.text.textContent = `${quantity(numbers[0])} ± ${quantity(numbers[1])}`;
  }
}
