// What to observe next: the variables that are expected to say most about the one that is asked for.

import * as api from "./api.js";
import { button, faint, html } from "./elements.js";
import { quantity, typed } from "./format.js";

export class NextTab {
  #asked = 0;

  constructor(page) {
    this.page = page;
    this.list = html("div", { id: "next" });
    this.elements = [html("section", {}, html("h3", {}, "What should I observe?"), this.list)];
  }

  async show(view) {
    const { question } = this.page;
    const asked = ++this.#asked;
    if (view.message || question.targets.length !== 1) {
      this.list.replaceChildren(faint(view.message ?? "Ask for one variable: then this lists what would say most about it."));
      return;
    }
    const parts = await api.ask("next", question.request()).then(
      (found) => this.#parts(found),
      (problem) => [faint(problem.message)],
    );
    if (asked === this.#asked) this.list.replaceChildren(...parts);
  }

  #parts({ uncertainty, rows, count }) {
    const { overview, question } = this.page;
    const { name } = overview.variables[question.targets[0]];
    const isDiscrete = overview.kind === "discrete";
    const now = isDiscrete ? `${quantity(uncertainty)} bits` : `a standard deviation of ${quantity(uncertainty)}`;
    const most = Math.max(...rows.map(([, gain]) => gain), 0);
    if (!(most > 1e-9)) return [faint(`${name}: ${now} unknown. No single observation would say more about it.`)];
    const useful = rows.filter(([, gain]) => gain > 1e-9);
    const list = html("ol", { className: "ranking wide" }, ...useful.map((row) => this.#row(row, most, isDiscrete)));
    const rest = count > rows.length ? [faint(`the first ${rows.length} of ${count}`)] : [];
    return [faint(`${name}: ${now} unknown. On average so much would be left after observing:`), list, ...rest];
  }

  /** One click on a state observes it. */
  #row([index, gain, remaining], most, isDiscrete) {
    const { overview, question, acts } = this.page;
    const { name, states } = overview.variables[index];
    const bar = html("span", { className: "bar" });
    bar.style.width = `${(100 * gain) / most}%`;
    const left = html("span", { className: "number" }, `${quantity(remaining)}${isDiscrete ? " bits" : ""}`);
    const choices = states.slice(0, 8).map((state, number) =>
      button(state, () => question.see(index, number), { className: "choice", "data-observe": state, title: `Observe ${state}` }),
    );
    if (!states.length) choices.push(this.#number(index, name));
    return html(
      "li",
      { "data-variable": name },
      bar,
      button(name, () => acts.reveal(index), { className: "link", title: "Show it in the network" }),
      left,
      html("div", { className: "choices" }, ...choices),
    );
  }

  /** A continuous variable is observed at the number that is typed. */
  #number(index, name) {
    const input = html("input", { inputMode: "decimal", placeholder: "observe at…", "aria-label": `observe ${name} at` });
    input.onchange = () => {
      const number = typed(input.value);
      input.setAttribute("aria-invalid", !Number.isFinite(number));
      if (Number.isFinite(number)) this.page.question.measure(index, number);
    };
    return input;
  }
}
