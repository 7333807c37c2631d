// The bar that is always visible: what is known and set, undo and redo, and the case to compare with.

import { button, html } from "./elements.js";
import { known, quantity } from "./format.js";
import { icon } from "./icons.js";
import { copy } from "./notices.js";

export class EvidenceBar {
  /** `acts` are `ask(index, event)` and `complain(text)`. */
  constructor(element, overview, question, timeline, acts) {
    Object.assign(this, { overview, question, timeline, acts });
    this.undo = tool("undo", "Undo (Ctrl-Z)", () => timeline.undo());
    this.redo = tool("redo", "Redo (Ctrl-Shift-Z)", () => timeline.redo());
    this.chips = html("div", { className: "chips", role: "list", "aria-label": "What is known" });
    this.chance = html("span", { id: "chance", className: "faint" });
    this.forget = button("Forget all", () => question.forgetAll(), { id: "forget-all" });
    const hint = "Keep this case, and compare with it what you do next";
    this.pin = button("", () => question.pin(!question.pinned), { id: "pin", title: hint });
    this.link = button("", () => this.#share(), { id: "share", title: "Copy a link to this question" });
    this.link.append(icon("link"), html("span", { className: "wide" }, "Copy link"));
    this.cases = html("span", { id: "cases", hidden: true });
    element.replaceChildren(this.undo, this.redo, this.chips, this.cases, this.chance, this.forget, this.pin, this.link);
  }

  /** Show the question, before it is answered. */
  show({ conflict = new Set(), logEvidence } = {}) {
    const { question, timeline } = this;
    this.undo.disabled = !timeline.canUndo;
    this.redo.disabled = !timeline.canRedo;
    const chips = [
      ...question.known.map((index) => this.#chip(index, conflict.has(index))),
      ...[...question.tables.keys()].map((index) => this.#rewritten(index)),
    ];
    const nothing = html(
      "span",
      { className: "faint" },
      "Nothing observed yet",
      html("span", { className: "wide" }, ": click a state to observe it."),
    );
    this.chips.replaceChildren(...(chips.length ? chips : [nothing]));
    this.forget.hidden = !question.knowsAnything;
    this.chance.hidden = logEvidence === undefined || question.evidence.size + question.soft.size === 0;
    if (logEvidence !== undefined) this.#showChance(logEvidence);
    const isPinned = question.pinned !== null;
    this.pin.replaceChildren(icon("pin"), html("span", { className: "wide" }, isPinned ? "Pinned" : "Pin case"));
    this.pin.setAttribute("aria-pressed", isPinned);
    this.pin.hidden = !isPinned && !question.knowsAnything && !question.tables.size;
  }

  /** The question in the usual notation: P(HR | BP = LOW). */
  get title() {
    const { targets, evidence, soft, settings } = this.question;
    const { variables, kind } = this.overview;
    const given = [
      ...[...evidence].map(([index, observed]) => `${variables[index].name} ${known(variables[index], observed)}`),
      ...[...soft.keys()].map((index) => `${variables[index].name} (soft)`),
      ...[...settings.keys()].map((index) => this.#setting(index)),
    ];
    const wanted = targets.length ? shortened(targets.map((index) => variables[index].name)) : "each variable";
    return `${kind === "discrete" ? "P" : "p"}(${wanted}${given.length ? ` | ${shortened(given)}` : ""})`;
  }

  /** A case in words. */
  spell({ evidence, soft, do: settings, tables }) {
    const { variables } = this.overview;
    const parts = [
      ...evidence.map(([index, value]) => `${variables[index].name} ${known(variables[index], [value].flat())}`),
      ...soft.map(([index]) => `${variables[index].name} (soft)`),
      ...settings.map(([index, value]) => `do(${variables[index].name} = ${variables[index].states[value] ?? value})`),
      ...tables.map(([index]) => `another table of ${variables[index].name}`),
    ];
    return parts.length ? shortened(parts) : "nothing observed";
  }

  #setting(index) {
    const { name, states } = this.overview.variables[index];
    const value = this.question.settings.get(index);
    return `do(${name} = ${states.length ? states[value] : value})`;
  }

  #showChance(log) {
    const isDiscrete = this.overview.kind === "discrete";
    this.chance.textContent = isDiscrete ? `P(evidence) = ${quantity(Math.exp(log))}` : `log density ${quantity(log)}`;
    this.chance.title = `The logarithm is ${quantity(log)}.`;
  }

  #chip(index, isConflict) {
    const { question } = this;
    const variable = this.overview.variables[index];
    const isSet = question.settings.has(index);
    const isSoft = question.soft.has(index);
    const said = isSet
      ? this.#setting(index)
      : `${variable.name} ${known(variable, question.evidence.get(index), question.soft.get(index))}`;
    const marks = [isSet && "set", isSoft && "soft", isConflict && "conflict"];
    return this.#removable(variable.name, said, marks, index, () => question.forget(index), "forget");
  }

  #rewritten(index) {
    const { name } = this.overview.variables[index];
    const restore = () => this.question.restoreTable(index);
    return this.#removable(name, `table of ${name} changed`, ["rewritten"], index, restore, "restore the table of");
  }

  #removable(name, said, marks, index, remove, verb) {
    return html(
      "span",
      { className: ["chip", ...marks.filter(Boolean)].join(" "), role: "listitem", "data-variable": name },
      button(said, (event) => this.acts.ask(index, event), { className: "plain", title: `Ask for ${name}` }),
      button("×", remove, { className: "remove", title: `${verb} ${name}`, "aria-label": `${verb} ${name}` }),
    );
  }

  async #share() {
    try {
      await copy(location.href, "Link");
    } catch {
      this.acts.complain(`The browser does not let the page copy. The link is in its address bar: ${location.href}`);
    }
  }
}

function tool(name, title, press) {
  const made = button("", press, { id: name, className: "tool", title, "aria-label": name });
  made.append(icon(name));
  return made;
}

const shortened = (names) => (names.length > 6 ? [...names.slice(0, 5), `… ${names.length - 5} more`] : names).join(", ");
