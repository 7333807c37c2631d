// A variable in the panel: its posterior in full, evidence on it, its table, and its neighbours in the network.

import { Continuous } from "./continuous.js";
import { button, html } from "./elements.js";
import { FamilyTable } from "./family_table.js";
import { States } from "./states.js";

/** With more parents or children they are folded. */
const SHOWN_AT_ONCE = 12;

export class VariableCard {
  constructor(index, page) {
    const { overview, question, acts } = page;
    Object.assign(this, { index, question });
    const variable = overview.variables[index];
    const reveal = button(variable.name, () => acts.reveal(index), { className: "plain", title: "Show it in the network" });
    const remove = { className: "remove", title: "Stop asking", "aria-label": `stop asking for ${variable.name}` };
    const forget = button("forget", () => question.forget(index), { className: "link" });
    this.said = html("span");
    this.status = html("p", { className: "status" }, this.said, forget);
    this.answer = variable.states.length ? new States(index, page) : new Continuous(index, page);
    this.family = new FamilyTable(index, page);
    this.element = html(
      "article",
      { className: "variable", "data-variable": variable.name },
      html(
        "header",
        {},
        html("h3", {}, reveal),
        ...this.answer.tools,
        button("×", () => question.askAlso(index), remove),
      ),
      this.status,
      ...this.answer.elements,
      this.family.element,
      ...neighbours(overview, variable, acts),
    );
  }

  show(view) {
    const { index, question } = this;
    const { marginals, baseline, best } = view;
    const said = { observed: question.evidence, "soft evidence": question.soft, "set (do)": question.settings };
    const [kind] = Object.entries(said).find(([, known]) => known.has(index)) ?? [];
    this.said.textContent = `${kind} `;
    this.status.hidden = !kind;
    this.answer.show(marginals.get(index), marginals.has(index) ? baseline.get(index) : undefined, best?.get(index));
    this.family.show();
  }
}

/** Parents and children, all of them, to go on from here. */
function neighbours(overview, { parents, children }, acts) {
  const link = (index) => {
    const { name } = overview.variables[index];
    const press = (event) => acts.ask(index, event);
    return button(name, press, { className: "link", title: `Ask for ${name}`, "data-neighbour": name });
  };
  const line = (what, indices) => {
    if (!indices.length) return [];
    const links = indices.flatMap((index) => [link(index), " "]);
    if (indices.length <= SHOWN_AT_ONCE) return [html("p", { className: "neighbours faint" }, `${what}: `, ...links)];
    return [html("details", { className: "neighbours" }, html("summary", {}, `${indices.length} ${what}`), html("p", {}, ...links))];
  };
  return [...line("parents", parents), ...line("children", children)];
}
