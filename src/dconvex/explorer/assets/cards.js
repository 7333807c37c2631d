// The body of a variable's box, below its name: a row for each state, a column for each of many, or a bell curve.
// Each has an `element` and a method `show({ numbers, prior, observed, best })`, where `observed` are the observed states; numbers may
// be missing.

import { Bells } from "./density.js";
import { mark, svg } from "./elements.js";
import { percent, quantity } from "./format.js";

/** `pressed(state, event)` is called when a state is clicked. */
export function cardBody(variable, width, metrics, pressed) {
  if (!variable.states.length) return new DensityBody(width, metrics);
  return variable.states.length <= metrics.mostRows
    ? new RowsBody(variable, width, metrics, pressed)
    : new ColumnsBody(variable, width, metrics, pressed);
}

/** What rows and columns have in common: marks and clicks. */
function stateGroup(name, state, pressed, ...children) {
  const group = svg("g", { class: "state", "data-state": name }, svg("title"), ...children);
  group.addEventListener("click", (event) => {
    event.stopPropagation();
    pressed(state, event);
  });
  return group;
}

function markState(group, name, probability, isObserved, isBest) {
  mark(group, { observed: isObserved, best: isBest });
  const said = probability === undefined ? name : `${name}: ${probability}`;
  group.querySelector("title").textContent = isObserved ? `${said} (observed; click to forget)` : `${said} (click to observe)`;
}

class RowsBody {
  constructor(variable, width, metrics, pressed) {
    const { row, rowFont } = metrics;
    this.width = width;
    this.names = variable.states;
    this.rows = variable.states.map((name, state) => {
      const y = state * row;
      const parts = {
        bar: svg("rect", { class: "bar", x: 1, y: y + 1, width: 0, height: row - 2 }),
        prior: svg("rect", { class: "prior", x: 1, y: y + 1.5, width: 0, height: row - 3 }),
        percent: svg("text", { class: "number", x: width - 5, y: y + row - 3.4, "text-anchor": "end", "font-size": rowFont }),
      };
      const label = svg("text", { x: 6, y: y + row - 3.4, "font-size": rowFont, "data-room": width - 46 }, name);
      const ground = svg("rect", { class: "ground", x: 1, y, width: width - 2, height: row });
      return { ...parts, group: stateGroup(name, state, pressed, ground, parts.bar, parts.prior, label, parts.percent) };
    });
    this.element = svg("g", { class: "rows" }, ...this.rows.map((each) => each.group));
  }

  show({ numbers, prior, observed, best }) {
    this.rows.forEach(({ bar, prior: box, percent: text, group }, state) => {
      bar.setAttribute("width", numbers ? numbers[state] * (this.width - 2) : 0);
      text.textContent = numbers ? percent(numbers[state]) : "";
      box.setAttribute("width", prior ? prior[state] * (this.width - 2) : 0);
      markState(group, this.names[state], numbers?.[state], Boolean(observed?.has(state)), best === state);
    });
  }
}

class ColumnsBody {
  constructor(variable, width, metrics, pressed) {
    this.names = variable.states;
    this.height = metrics.chart - 6;
    const step = (width - 8) / variable.states.length;
    this.columns = variable.states.map((name, state) => {
      const box = { x: 4 + state * step, width: Math.max(step - 0.8, 0.6) };
      const bar = svg("rect", { class: "bar", ...box, y: this.height, height: 0 });
      const prior = svg("rect", { class: "prior", ...box, y: 0, height: 1.2, visibility: "hidden" });
      const ground = svg("rect", { class: "ground", x: box.x, width: step, y: 0, height: metrics.chart });
      return { bar, prior, group: stateGroup(name, state, pressed, ground, bar, prior) };
    });
    this.element = svg("g", { class: "columns" }, ...this.columns.map((each) => each.group));
  }

  show({ numbers, prior, observed, best }) {
    const highest = Math.max(...(numbers ?? []), ...(prior ?? []), 1e-9);
    const scale = (number) => (number / highest) * (this.height - 2);
    this.columns.forEach(({ bar, prior: tick, group }, state) => {
      const height = numbers ? scale(numbers[state]) : 0;
      bar.setAttribute("y", this.height - height);
      bar.setAttribute("height", height);
      tick.setAttribute("visibility", prior ? "inherit" : "hidden");
      if (prior) tick.setAttribute("y", this.height - scale(prior[state]) - 0.6);
      markState(group, this.names[state], numbers?.[state], Boolean(observed?.has(state)), best === state);
    });
  }
}

class DensityBody {
  constructor(width, metrics) {
    const height = metrics.chart - 16;
    const curves = ["prior", "posterior"].map((name) => svg("path", { class: `bell ${name}` }));
    this.bells = new Bells(...curves, width - 8, height);
    this.text = svg("text", {
      class: "number",
      x: width / 2,
      y: metrics.chart - 4,
      "text-anchor": "middle",
      "font-size": metrics.rowFont,
      "data-room": width - 8,
    });
    this.element = svg("g", { class: "density" }, svg("g", { transform: "translate(4 2)" }, ...curves), this.text);
  }

  show({ numbers, prior }) {
    if (!numbers) return;
    this.bells.show(numbers, prior);
    this.text.textContent = `${quantity(numbers[0])} ± ${quantity(numbers[1])}`;
  }
}
