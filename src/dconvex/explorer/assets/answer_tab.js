// The answer: a card for each target, their joint distribution, and the most probable states.

import { button, faint, html, table } from "./elements.js";
import { count, duration, probability, quantity } from "./format.js";
import { VariableCard } from "./variable_card.js";
import { VariableList } from "./variable_list.js";

const LISTED = 200;

export class AnswerTab {
  #cards = new Map();

  constructor(page) {
    this.page = page;
    const { question } = page;
    this.hint = html(
      "div",
      { className: "hint faint" },
      html("p", {}, "Click a variable to ask for it, with Shift (or Several, below) for several together."),
      html("p", {}, "Click a state to observe it, with Alt to set it (do)."),
    );
    this.cards = html("div", { className: "variables" });
    this.joint = html("div", { id: "joint" });
    const toggle = () => question.askMostProbable(!question.wantsMostProbable);
    this.toggle = button("Most probable states", toggle, { id: "most-probable", "aria-pressed": "false" });
    this.best = html("div", { id: "best" });
    const hint = "A click or a tap adds a variable, as one with Shift does";
    this.several = button("Several", () => this.#askSeveral(), { id: "several", title: hint, "aria-pressed": "false" });
    this.list = new VariableList(page);
    const tools = html("div", { className: "buttons" }, this.several, this.toggle);
    const section = html("section", {}, this.hint, this.cards, this.joint, tools, this.best);
    this.elements = [section, this.list.element];
  }

  show(view) {
    this.hint.hidden = this.page.question.targets.length > 0;
    this.#showCards(view);
    this.list.show(view);
    this.joint.replaceChildren(...this.#joint(view));
    this.toggle.setAttribute("aria-pressed", this.page.question.wantsMostProbable);
    this.best.replaceChildren(...this.#best(view));
  }

  #askSeveral() {
    this.page.asksSeveral = !this.page.asksSeveral;
    this.several.setAttribute("aria-pressed", this.page.asksSeveral);
  }

  /** The card of a target stays: someone may be moving a slider in it. */
  #showCards(view) {
    const { targets } = this.page.question;
    for (const index of [...this.#cards.keys()].filter((index) => !targets.includes(index))) {
      this.#cards.get(index).element.remove();
      this.#cards.delete(index);
    }
    for (const index of targets) {
      if (!this.#cards.has(index)) {
        const card = new VariableCard(index, this.page);
        this.#cards.set(index, card);
        this.cards.append(card.element);
      }
      this.#cards.get(index).show(view);
    }
  }

  /** The joint distribution, for several variables. */
  #joint({ joint, refusals }) {
    const said = refusals.map((refusal) => html("p", { className: "refusal" }, refusal));
    const { overview, question } = this.page;
    if (!joint || joint.problem || question.targets.length < 2) return said;
    const variables = question.targets.map((index) => overview.variables[index]);
    const names = variables.map(({ name }) => name);
    const title = html("h3", {}, "Together");
    if (joint.correlation) return [title, table(["correlation", ...names], correlations(names, joint)), ...said];
    const rows = joint.states.map((states, row) => [
      ...states.map((state, index) => variables[index].states[state]),
      probability(joint.probabilities[row]),
    ]);
    const isCut = joint.count > rows.length;
    const rest = isCut ? [faint(`the ${rows.length} most probable of ${count(joint.count)}`)] : [];
    return [title, table([...names, "probability"], rows), ...rest, ...said];
  }

  #best({ best, bestLog, bestSeconds }) {
    if (!best) return [];
    const { variables, kind } = this.page.overview;
    const rows = [...best].map(([index, value]) => [
      variables[index].name,
      kind === "discrete" ? variables[index].states[value] : quantity(value),
    ]);
    const scope = this.page.question.targets.length ? "of what is asked for, together" : "of all that is not observed, together";
    const height =
      kind === "discrete"
        ? `probability ${quantity(Math.exp(bestLog))}, logarithm ${quantity(bestLog)}`
        : `logarithm of the density ${quantity(bestLog)}`;
    const parts = [
      faint(`${scope}: ${height}, ${duration(bestSeconds)}`),
      table(["variable", kind === "discrete" ? "state" : "value"], rows.slice(0, LISTED)),
    ];
    if (rows.length > LISTED) parts.push(faint(`${rows.length - LISTED} more: take the answer as CSV`));
    return parts;
  }
}

/** An observed variable has no correlation, not even with itself. */
function correlations(names, { correlation }) {
  return names.map((name, row) => [name, ...correlation[row].map((number) => (number === null ? "–" : number.toFixed(3)))]);
}
