// What setting a variable does to the one that is asked for, next to what seeing it there says.

import * as api from "./api.js";
import { faint, html, table } from "./elements.js";
import { percent, quantity } from "./format.js";

export class EffectView {
  #asked = 0;

  constructor(page) {
    this.page = page;
    this.choice = html("select", { id: "treatment", "aria-label": "The variable to set" });
    this.choice.onchange = () => this.#answer();
    this.answer = html("div", { id: "effect" });
    const title = html("h3", {}, "What would setting a variable do?");
    this.element = html("section", {}, title, this.choice, this.answer);
  }

  show({ message }) {
    const { overview, question } = this.page;
    const isPossible = !message && question.targets.length === 1;
    this.choice.hidden = !isPossible;
    if (!isPossible) {
      this.#asked += 1;
      this.answer.replaceChildren(faint("Ask for one variable: then choose another to set."));
      return;
    }
    const [target] = question.targets;
    const causes = ancestors(overview.variables, target).filter((index) => !question.knows(index));
    const key = `${target}:${causes.join()}`;
    if (key !== this.key) {
      this.key = key;
      const options = causes.map((index) => html("option", { value: index }, overview.variables[index].name));
      this.choice.replaceChildren(html("option", { value: "" }, causes.length ? "choose a cause…" : "no cause is unknown"), ...options);
    }
    this.#answer();
  }

  async #answer() {
    const { question } = this.page;
    const asked = ++this.#asked;
    if (this.choice.value === "") return this.answer.replaceChildren();
    const request = { ...question.request(), asked: [Number(this.choice.value), question.targets[0]] };
    const parts = await api.ask("effect", request).then(
      (found) => this.#parts(found),
      (problem) => [faint(problem.message)],
    );
    if (asked === this.#asked) this.answer.replaceChildren(...parts);
  }

  #parts({ rows, state, slope, seeingSlope, after }) {
    const { variables, kind } = this.page.overview;
    const target = variables[this.page.question.targets[0]];
    const treatment = variables[Number(this.choice.value)];
    const isDiscrete = kind === "discrete";
    const write = (number) => (number === null ? "–" : isDiscrete ? percent(number) : quantity(number));
    const what = isDiscrete ? `P(${target.name} = ${target.states[state]})` : `mean of ${target.name}`;
    const cells = rows.map(([value, doing, seeing]) => [isDiscrete ? treatment.states[value] : quantity(value), write(doing), write(seeing)]);
    const notes = [
      ...(slope === null ? [] : [`each unit moves the mean by ${quantity(slope)} where it is set, by ${quantity(seeingSlope)} where it is seen`]),
      ...(after.length ? [`seen once it is set: ${after.map((index) => variables[index].name).join(", ")}`] : []),
    ];
    return [faint(what), table([treatment.name, "set (do)", "seen"], cells), ...notes.map(faint)];
  }
}

/** All causes of a variable, near ones first. */
function ancestors(variables, index) {
  const found = new Set();
  let front = [index];
  while (front.length) {
    front = [...new Set(front.flatMap((each) => variables[each].parents))].filter((each) => !found.has(each));
    front.forEach((each) => found.add(each));
  }
  return [...found];
}
