// What moved most: all variables by how far their answer is from the case to compare with, and the targets side by side.

import { change, movedMost } from "./change.js";
import { button, faint, html, mark } from "./elements.js";
import { percent, quantity } from "./format.js";

const LISTED = 60;

export class MovedTab {
  #asked = 0;

  constructor(page) {
    this.page = page;
    this.heading = html("p", { className: "faint" });
    this.sides = html("div", { id: "sides" });
    this.list = html("div", { id: "moved" });
    this.elements = [html("section", {}, this.heading, this.sides, this.list)];
  }

  async show(view) {
    const { question, bar } = this.page;
    this.heading.textContent = question.pinned
      ? `Compared with the pinned case: ${bar.spell(question.pinned)}.`
      : "Compared with what holds before any evidence.";
    this.sides.replaceChildren(...this.#sides(view));
    if (!question.isCompared || view.message) {
      const why = view.message ?? "Nothing to compare yet: observe a state, or pin this case and change it.";
      this.list.replaceChildren(faint(why));
      return;
    }
    const asked = ++this.#asked;
    try {
      const rows = await this.#rows();
      if (asked === this.#asked) this.list.replaceChildren(...this.#table(rows));
    } catch (problem) {
      if (asked === this.#asked) this.list.replaceChildren(faint(problem.message));
    }
  }

  /** Variables that are not observed, those that moved most first. */
  async #rows() {
    const { overview, conversation, question } = this.page;
    const isDiscrete = overview.kind === "discrete";
    const { marginals, baseline } = await conversation.both([...overview.variables.keys()]);
    const moved = (index) => change(marginals.get(index), baseline.get(index), isDiscrete);
    return [...marginals.keys()]
      .filter((index) => !question.knows(index))
      .map((index) => ({ index, now: marginals.get(index), before: baseline.get(index), moved: moved(index) }))
      .filter((row) => row.before && row.moved > 5e-7)
      .sort((one, other) => other.moved - one.moved || one.index - other.index);
  }

  #table(rows) {
    if (!rows.length) return [faint("Nothing else moved.")];
    const rest = rows.length > LISTED ? [faint(`${rows.length - LISTED} more moved less.`)] : [];
    const list = html("ol", { className: "ranking" }, ...rows.slice(0, LISTED).map((row) => this.#row(row)));
    return [list, ...rest];
  }

  #row({ index, now, before, moved }) {
    const { overview, acts } = this.page;
    const { name, states } = overview.variables[index];
    const state = states.length ? movedMost(now, before) : 0;
    const write = states.length ? percent : quantity;
    const said = `${write(before[state])} → ${write(now[state])}`;
    const bar = html("span", { className: "bar" });
    bar.style.width = `${100 * moved}%`;
    const row = html(
      "li",
      { "data-variable": name },
      bar,
      button(name, () => acts.begin(index), { className: "link" }),
      html("span", { className: "state-name" }, states[state] ?? ""),
      html("span", { className: "number" }, said),
    );
    mark(row, { gained: now[state] > before[state] });
    return row;
  }

  /** The targets in both cases. */
  #sides({ marginals, baseline }) {
    const { overview, question } = this.page;
    return question.targets
      .filter((index) => marginals.has(index) && baseline.has(index))
      .map((index) => {
        const { name, states } = overview.variables[index];
        const [now, before] = [marginals.get(index), baseline.get(index)];
        const labels = states.length ? states : ["mean", "deviation"];
        const write = states.length ? percent : quantity;
        const cells = labels.map((label, state) => [label, write(before[state]), write(now[state])]);
        const order = states.length > 12 ? [...cells.keys()].sort((a, b) => now[b] - now[a]).slice(0, 12) : [...cells.keys()];
        const head = [name, question.pinned ? "pinned" : "before", "now"];
        const row = (tag, each) => html("tr", {}, ...each.map((cell) => html(tag, {}, cell)));
        const body = order.map((state) => row("td", cells[state]));
        return html("table", { className: "sides" }, html("thead", {}, row("th", head)), html("tbody", {}, ...body));
      });
  }
}
