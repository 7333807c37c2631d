// The panel: the question, its answer, the evidence, the plan, and files to download.

import { button, html } from "./elements.js";
import { count, counted, duration, known, probability, quantity } from "./format.js";
import { VariableCard } from "./variable_card.js";

const LISTED = 200;

export class Panel {
  #cards = new Map();

  /** `acts` are `ask(index, event)`, `reveal(index)`, by index, and `export(what)`: a picture, table, script or copy. */
  constructor(aside, overview, question, acts) {
    Object.assign(this, { overview, question, acts });
    this.message = html("div", { id: "message", role: "alert", hidden: true });
    this.heading = html("h2", { id: "question" });
    const hint = "Click a variable to ask for it, with Shift for several together. Click a state to observe it.";
    this.hint = faint(hint);
    this.cards = html("div", { className: "variables" });
    this.joint = html("div", { id: "joint" });
    const toggle = () => question.askMostProbable(!question.wantsMostProbable);
    this.toggle = button("Most probable states", toggle, { id: "most-probable", "aria-pressed": "false" });
    this.best = html("div", { id: "best" });
    this.evidence = html("div", { id: "evidence" });
    this.plan = html("div", { id: "plan" });
    this.script = html("code", { id: "python" });
    aside.replaceChildren(
      this.message,
      html("section", {}, this.heading, this.hint, this.cards, this.joint, this.toggle, this.best),
      html("section", {}, html("h2", {}, "Evidence"), this.evidence),
      html("section", { "aria-live": "polite" }, html("h2", {}, "Plan"), this.plan),
      html("section", {}, html("h2", {}, "Export"), this.#exports(), html("pre", {}, this.script)),
    );
  }

  #exports() {
    const kinds = { picture: "Picture (SVG)", table: "Answer (CSV)", script: "Python (.py)", copy: "Copy Python" };
    const buttons = Object.entries(kinds).map(([what, label]) =>
      button(label, () => this.acts.export(what), { "data-export": what }),
    );
    return html("div", { className: "buttons" }, ...buttons);
  }

  show(view) {
    this.heading.textContent = this.title;
    this.hint.hidden = this.question.targets.length > 0;
    this.#showCards(view);
    this.joint.replaceChildren(...this.#joint(view));
    this.toggle.setAttribute("aria-pressed", this.question.wantsMostProbable);
    this.best.replaceChildren(...this.#best(view));
    this.evidence.replaceChildren(...this.#evidence(view));
    this.plan.replaceChildren(...this.#plan(view));
    this.script.textContent = view.python;
    if (view.message) this.complain(view.message, view.conflict);
    else this.message.hidden = true;
  }

  /** Show an error, with buttons that remove the evidence to blame. */
  complain(problem, conflict = []) {
    const ways = [...conflict].map((index) => {
      const { name } = this.overview.variables[index];
      return button(`Forget ${name}`, () => this.question.forget(index), { "data-forget": name });
    });
    this.message.replaceChildren(html("p", {}, problem), ...ways);
    this.message.hidden = false;
  }

  /** The question in the usual notation: P(HR | BP = LOW). */
  get title() {
    const { targets, evidence, soft } = this.question;
    const { variables, kind } = this.overview;
    const given = [
      ...[...evidence].map(([index, observed]) => `${variables[index].name} ${known(variables[index], observed)}`),
      ...[...soft.keys()].map((index) => `${variables[index].name} (soft)`),
    ];
    const wanted = targets.length ? shortened(targets.map((index) => variables[index].name)) : "each variable";
    return `${kind === "discrete" ? "P" : "p"}(${wanted}${given.length ? ` | ${shortened(given)}` : ""})`;
  }

  #evidence({ conflict, logEvidence }) {
    const indices = [...this.question.evidence.keys(), ...this.question.soft.keys()];
    if (!indices.length) return [faint("nothing observed")];
    return [
      html("div", { className: "chips" }, ...indices.map((index) => this.#chip(index, conflict.has(index)))),
      ...(logEvidence === undefined ? [] : [faint(this.#chance(logEvidence))]),
      button("Forget all", () => this.question.forgetAll(), { id: "forget-all" }),
    ];
  }

  #chance(log) {
    return this.overview.kind === "discrete"
      ? `It has probability ${quantity(Math.exp(log))} (logarithm ${quantity(log)}).`
      : `The logarithm of its density is ${quantity(log)}.`;
  }

  #chip(index, isConflict) {
    const variable = this.overview.variables[index];
    const { name } = variable;
    const said = `${name} ${known(variable, this.question.evidence.get(index), this.question.soft.get(index))}`;
    const ask = { className: "plain", title: `Ask for ${name}` };
    const forget = { className: "remove", title: "Forget", "aria-label": `forget ${name}` };
    const marks = [this.question.soft.has(index) && "soft", isConflict && "conflict"].filter(Boolean);
    return html(
      "span",
      { className: ["chip", ...marks].join(" "), "data-variable": name },
      button(said, (event) => this.acts.ask(index, event), ask),
      button("×", () => this.question.forget(index), forget),
    );
  }

  /** The card of a target stays: someone may be moving a slider in it. */
  #showCards(view) {
    const { targets } = this.question;
    for (const index of [...this.#cards.keys()].filter((index) => !targets.includes(index))) {
      this.#cards.get(index).element.remove();
      this.#cards.delete(index);
    }
    for (const index of targets) {
      if (!this.#cards.has(index)) {
        const card = new VariableCard(index, this.overview, this.question, this.acts);
        this.#cards.set(index, card);
        this.cards.append(card.element);
      }
      this.#cards.get(index).show(view);
    }
  }

  /** The joint distribution, for several variables. */
  #joint({ joint, refusals }) {
    const said = refusals.map((refusal) => html("p", { className: "refusal" }, refusal));
    if (!joint || joint.problem || this.question.targets.length < 2) return said;
    const variables = this.question.targets.map((index) => this.overview.variables[index]);
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
    const { variables, kind } = this.overview;
    const rows = [...best].map(([index, value]) => [
      variables[index].name,
      kind === "discrete" ? variables[index].states[value] : quantity(value),
    ]);
    const scope = this.question.targets.length ? "of what is asked for, together" : "of all that is not observed, together";
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

  #plan({ plan, joint, marginals, marginalsSeconds }) {
    const bars = marginals.size ? [faint(`${counted(marginals.size, "marginal")} in ${duration(marginalsSeconds)}`)] : [];
    if (!plan) return [faint("Ask for a variable to see which clusters answer."), ...bars];
    const total = this.overview.tree.clusters.length;
    const facts = this.#facts(plan, joint).flatMap(([term, fact]) => [html("dt", {}, term), html("dd", {}, fact)]);
    return [
      html(
        "p",
        { className: "lead" },
        html("strong", { "data-part": "kept" }, count(plan.kept.length)),
        ` of ${counted(total, "cluster")} answered`,
      ),
      html("dl", {}, ...facts),
      ...bars,
      html("details", {}, html("summary", {}, "In full"), html("pre", {}, plan.text)),
    ];
  }

  #facts(plan, joint) {
    const { variables } = this.overview;
    const indices = [...this.question.evidence.keys(), ...this.question.soft.keys()];
    const ignored = indices.filter((index) => !plan.requisite.includes(index)).map((index) => variables[index].name);
    return [
      ["how", `${plan.method} on the ${plan.network} network`],
      ["variables", `${count(plan.variables.length)} of ${count(variables.length)}`],
      ["multiplications", count(plan.multiplications)],
      ["peak memory", plan.peakMemory],
      ...(joint?.seconds === undefined ? [] : [["time", duration(joint.seconds)]]),
      ...(ignored.length ? [["does not matter", shortened(ignored)]] : []),
    ];
  }
}

const shortened = (names) => (names.length > 6 ? [...names.slice(0, 5), `… ${names.length - 5} more`] : names).join(", ");

function correlations(names, { correlation }) {
  return names.map((name, row) => [name, ...correlation[row].map((number) => number.toFixed(3))]);
}

const faint = (text) => html("p", { className: "faint" }, text);

function table(head, rows) {
  const cells = (tag, row) => row.map((cell) => html(tag, {}, cell));
  return html(
    "table",
    {},
    html("thead", {}, html("tr", {}, ...cells("th", head))),
    html("tbody", {}, ...rows.map((row) => html("tr", {}, ...cells("td", row)))),
  );
}
