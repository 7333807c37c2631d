// How the question was answered, and files to take away.

import { button, faint, html } from "./elements.js";
import { count, counted, duration } from "./format.js";

const FILES = {
  picture: "Picture (SVG)",
  pixels: "Picture (PNG)",
  table: "Answer (CSV)",
  network: "Network",
  script: "Python (.py)",
  copy: "Copy Python",
};

export class PlanTab {
  constructor(page) {
    this.page = page;
    this.plan = html("div", { id: "plan", "aria-live": "polite" });
    this.script = html("code", { id: "python" });
    const buttons = Object.entries(FILES).map(([what, label]) => button(label, () => page.export(what), { "data-export": what }));
    this.elements = [
      html("section", {}, html("h3", {}, "Plan"), this.plan),
      html("section", {}, html("h3", {}, "Take away"), html("div", { className: "buttons" }, ...buttons)),
      html("section", {}, html("h3", {}, "The same in Python"), html("pre", {}, this.script)),
    ];
  }

  show(view) {
    this.plan.replaceChildren(...this.#plan(view));
    this.script.textContent = view.python;
  }

  #plan({ plan, joint, marginals, marginalsSeconds }) {
    const bars = marginals.size ? [faint(`${counted(marginals.size, "marginal")} in ${duration(marginalsSeconds)}`)] : [];
    if (!plan) return [faint("Ask for a variable to see which clusters answer."), ...bars];
    const facts = this.#facts(plan, joint).flatMap(([term, fact]) => [html("dt", {}, term), html("dd", {}, fact)]);
    return [
      html(
        "p",
        { className: "lead" },
        html("strong", { "data-part": "kept" }, count(plan.answering)),
        ` of ${counted(plan.clusters, "cluster")} answered`,
      ),
      html("dl", {}, ...facts),
      ...bars,
      html("details", {}, html("summary", {}, "In full"), html("pre", {}, plan.text)),
    ];
  }

  #facts(plan, joint) {
    const { overview, question } = this.page;
    const { variables } = overview;
    const indices = [...question.evidence.keys(), ...question.soft.keys()];
    const ignored = indices.filter((index) => !plan.requisite.includes(index)).map((index) => variables[index].name);
    return [
      ["how", `${plan.method} on the ${plan.network} network`],
      ["variables", `${count(plan.variables.length)} of ${count(variables.length)}`],
      ["multiplications", count(plan.multiplications)],
      ["peak memory", plan.peakMemory],
      ...(joint?.seconds === undefined ? [] : [["time", duration(joint.seconds)]]),
      ...(ignored.length ? [["does not matter", ignored.slice(0, 6).join(", ")]] : []),
    ];
  }
}
