// How sure an answer is: a tornado of the numbers in the tables that it hangs on.

import * as api from "./api.js";
import { button, faint, html } from "./elements.js";
import { percent, quantity } from "./format.js";

/** More are folded. */
const SHOWN = 8;

export class SureView {
  #asked = 0;
  #target = null;

  constructor(page) {
    this.page = page;
    this.choice = html("select", { id: "judged", "aria-label": "The state whose probability is judged" });
    this.choice.onchange = () => this.#answer();
    this.answer = html("div", { id: "tornado" });
    this.element = html("section", {}, html("h3", {}, "How sure is this?"), this.choice, this.answer);
  }

  show({ message }) {
    const { overview, question } = this.page;
    const [target] = question.targets;
    const refusal =
      message ??
      (overview.kind !== "discrete"
        ? "This is about probabilities of states; here variables are numbers."
        : question.targets.length !== 1
          ? "Ask for one variable: then this shows which numbers of the network the answer hangs on."
          : null);
    this.choice.hidden = refusal !== null;
    if (refusal !== null) {
      this.#asked += 1;
      this.answer.replaceChildren(faint(refusal));
      return;
    }
    if (target !== this.#target) {
      this.#target = target;
      const { name, states } = overview.variables[target];
      const options = states.map((state, index) => html("option", { value: index }, `P(${name} = ${state})`));
      this.choice.replaceChildren(html("option", { value: "" }, "the most probable state"), ...options);
      this.answer.replaceChildren(faint("One moment…")); // of a large network seconds
    }
    this.#answer();
  }

  async #answer() {
    const { question } = this.page;
    const asked = ++this.#asked;
    const state = this.choice.value === "" ? null : Number(this.choice.value);
    const parts = await api.ask("sensitivity", { ...question.request(), state }).then(
      (found) => this.#parts(found),
      (problem) => [faint(problem.message)],
    );
    if (asked === this.#asked) this.answer.replaceChildren(...parts);
  }

  #parts({ rows, state, now, decision, count, step }) {
    const { name, states } = this.page.overview.variables[this.#target];
    const said = html("p", {}, `P(${name} = ${states[state]}) is ${percent(now)}.`);
    if (!rows.length) return [said, faint("It hangs on no number of the network.")];
    const scale = new Scale(now, rows);
    const drawn = rows.map((row) => this.#row(row, now, decision, scale));
    const rest = drawn.length > SHOWN ? [html("details", {}, html("summary", {}, `${drawn.length - SHOWN} more`), list(drawn.slice(SHOWN)))] : [];
    const more = count > rows.length ? [faint(`the first ${rows.length} of ${count} numbers`)] : [];
    return [said, legend(step), scale.element, list(drawn.slice(0, SHOWN)), ...rest, ...more];
  }

  #row({ index, title, value, moved, ends, admissible: [low, high] }, now, decision, scale) {
    const [lower, higher] = moved.map((probability) => probability ?? now);
    const [first, last] = ends.map((probability) => probability ?? now);
    const track = html(
      "div",
      { className: "track", role: "img", "aria-label": `lower: ${percent(lower)}, higher: ${percent(higher)}` },
      scale.span("reach", first, last),
      scale.span("lower", now, lower),
      scale.span("higher", now, higher),
      scale.span("now", now, now),
    );
    track.title = `lower: ${percent(lower)}, higher: ${percent(higher)}; from ${percent(Math.min(first, last))} to ${percent(Math.max(first, last))}`;
    const reveal = button(title, () => this.page.acts.reveal(index), { className: "link", title: "Show the variable in the network" });
    const isFree = low <= 0 && high >= 1;
    const bound = isFree ? "" : `${decision} ${range(low, high)}`;
    return html("li", { "data-parameter": title }, html("span", {}, reveal, ` = ${quantity(value)}`), track, ...(bound ? [faint(bound)] : []));
  }
}

/** The probabilities that the bars reach, and a little more, over the width of the panel. */
class Scale {
  constructor(now, rows) {
    const reached = [now, ...rows.flatMap(({ moved }) => moved.filter((probability) => probability !== null))];
    const margin = 0.15 * (Math.max(...reached) - Math.min(...reached)) || 0.05;
    this.low = Math.max(0, Math.min(...reached) - margin);
    this.high = Math.min(1, Math.max(...reached) + margin);
    this.element = html("p", { className: "scale faint" }, html("span", {}, percent(this.low)), html("span", {}, percent(this.high)));
  }

  /** A part of the track; what lies outside is cut. */
  span(kind, from, to) {
    const [left, right] = [Math.min(from, to), Math.max(from, to)].map((probability) => this.#at(probability));
    const element = html("span", { className: kind });
    element.style.left = `${left}%`;
    if (kind !== "now") element.style.width = `${right - left}%`;
    return element;
  }

  #at(probability) {
    return (100 * (Math.min(Math.max(probability, this.low), this.high) - this.low)) / (this.high - this.low);
  }
}

function list(rows) {
  return html("ol", { className: "tornado" }, ...rows);
}

function legend(step) {
  const entry = (kind, words) => html("span", {}, html("span", { className: `sample ${kind}` }), words);
  return html(
    "p",
    { className: "faint tornado-legend" },
    entry("lower", `the number is ${step} lower`),
    entry("higher", `${step} higher`),
    entry("reach", "anything from 0 to 1"),
  );
}

function range(low, high) {
  if (low <= 0) return `up to ${quantity(high)}`;
  return high >= 1 ? `from ${quantity(low)}` : `from ${quantity(low)} to ${quantity(high)}`;
}
