// The network: a card for each variable, arrows between them.

import { cardBody } from "./cards.js";
import { change } from "./change.js";
import { button, curve, mark, squeeze, svg } from "./elements.js";
import { percent, quantity } from "./format.js";
import { Pane } from "./pane.js";

/** With more cards on screen they are too small to read; they show their names only. */
const READABLE = 200;
const CORNER = 5;

export class NetworkView {
  #cards = new Map();
  #arrows = [];
  #view = null;
  #frame = null;
  #isByCluster = false;

  /** `acts` are `ask(index, event)`, `press(index, state, event)`, `forget(index)`, `hover(index)` and `moved()`, by index. */
  constructor(section, overview, acts) {
    Object.assign(this, { overview, acts });
    const hint = "arrow keys go on, Enter asks, 1 to 9 observe a state, with Alt set it, Backspace forgets it";
    this.pane = new Pane(section, "Network", hint, () => this.#moved());
    this.holders = overview.variables.map(() => []);
    overview.tree.clusters.forEach((members, cluster) => members.forEach((index) => this.holders[index].push(cluster)));
    this.pane.defs.append(arrowHead("arrow"), arrowHead("lit-arrow"));
    this.byCluster = button("Clusters", () => this.#colour(!this.#isByCluster), {
      id: "colours",
      title: "Colour by cluster instead of by change",
      "aria-pressed": "false",
    });
    this.pane.tools.prepend(this.byCluster);
    this.#colour(false);
  }

  /** Colours show how much an answer has moved, or the clusters. */
  #colour(isByCluster) {
    this.#isByCluster = isByCluster;
    this.byCluster.setAttribute("aria-pressed", isByCluster);
    mark(this.pane.content, { "by-cluster": isByCluster });
    const colours = isByCluster ? { lit: "cluster" } : { change: "moved", gain: "gained", loss: "lost" };
    this.pane.explain({ target: "asked for", observed: "observed", set: "set (do)", answers: "answers", ...colours });
  }

  /** Draw these boxes and routes instead of the old ones. */
  draw(layout) {
    const [focused] = [...this.#cards].find(([, { element }]) => element === document.activeElement) ?? [];
    this.layout = layout;
    this.#arrows = layout.edges.map((ends, index) => ({ ends, line: arrow(layout.routes[index]) }));
    this.#cards = new Map(layout.variables.map((index, number) => [index, this.#card(index, layout.boxes[number])]));
    const cards = [...this.#cards.values()];
    this.pane.content.replaceChildren(
      svg("g", { class: "arrows" }, ...this.#arrows.map(({ line }) => line)),
      ...cards.map(({ element }) => element),
    );
    this.pane.items = cards;
    squeeze(this.pane.content);
    this.pane.open(layout.size, layout.boxes, this.#hub(layout));
    if (this.#view) this.show(this.#view);
    this.#cards.get(focused)?.element.focus();
  }

  get size() {
    return this.layout?.size ?? [0, 0];
  }

  /** The variables that are drawn. */
  get drawn() {
    return new Set(this.#cards.keys());
  }

  /** The variables on screen, if they are few enough to be read. */
  get legible() {
    const [left, top, right, bottom] = this.pane.camera.window;
    const isOnScreen = ({ box: [x, y, width, height] }) => x + width > left && y + height > top && x < right && y < bottom;
    const onScreen = [...this.#cards].filter(([, card]) => isOnScreen(card)).map(([index]) => index);
    return onScreen.length <= READABLE ? onScreen : [];
  }

  /** Show answers and marks, as in `Conversation`. */
  show(view) {
    this.#view = view;
    this.#fillLegible();
    for (const [index, card] of this.#cards) this.#mark(card, index);
    for (const { ends, line } of this.#arrows) {
      const isLit = view.lit && ends.every((end) => view.lit.has(end)) && !view.question.settings.has(ends[1]);
      mark(line, { lit: isLit, cut: view.question.settings.has(ends[1]) });
      line.setAttribute("marker-end", isLit ? "url(#lit-arrow)" : "url(#arrow)");
    }
  }

  /** Point out these variables, and no others. */
  highlight(indices) {
    for (const [index, { element }] of this.#cards) mark(element, { highlighted: indices.has(index) });
  }

  /** Move to a variable, and near enough to read it if that is wanted. */
  reveal(index, readable = true) {
    const card = this.#cards.get(index);
    if (card) this.pane.camera.reveal(card.box, { readable });
  }

  /** Move to several variables, as near as all of them fit. */
  revealAll(indices) {
    this.pane.camera.frame(indices.map((index) => this.#cards.get(index).box));
  }

  /** At most once for each frame, for any number of pointer events. */
  #moved() {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      if (this.#view) this.#fillLegible();
      this.acts.moved();
    });
  }

  /** Cards get their contents when they can first be read; before that they show their names only. */
  #fillLegible() {
    const legible = this.legible;
    mark(this.pane.content, { distant: this.#cards.size && !legible.length });
    const bare = legible.filter((index) => !this.#cards.get(index).body);
    for (const index of bare) {
      this.#fill(this.#cards.get(index), index);
      this.#mark(this.#cards.get(index), index);
    }
  }

  #card(index, box) {
    const [left, top, width, height] = box;
    const { head, nameFont } = this.overview.metrics;
    const variable = this.overview.variables[index];
    const element = svg(
      "g",
      { class: "node", transform: `translate(${left} ${top})`, "data-variable": variable.name, role: "button" },
      svg("rect", { class: "frame", width, height, rx: CORNER }),
      svg("path", { class: "title", d: roundedTop(width, head), fill: this.#stripes(index) }),
      svg(
        "text",
        { class: "name", x: width / 2, y: head - 7, "text-anchor": "middle", "font-size": nameFont, "data-room": width - 10 },
        variable.name,
      ),
    );
    element.addEventListener("click", (event) => this.acts.ask(index, event));
    element.addEventListener("pointerenter", () => this.acts.hover(index));
    element.addEventListener("pointerleave", () => this.acts.hover(null));
    return { element, box, press: (event) => this.#press(index, event) };
  }

  #fill(card, index) {
    const { metrics, variables } = this.overview;
    const [, , width, height] = card.box;
    card.body = cardBody(variables[index], width, metrics, (state, event) => this.acts.press(index, state, event));
    card.element.append(
      svg("g", { class: "body", transform: `translate(0 ${metrics.head + 1})` }, card.body.element),
      svg("rect", { class: "rim", width, height, rx: CORNER }),
    );
    squeeze(card.body.element);
  }

  #mark(card, index) {
    const { question, marginals, baseline, lit, best, conflict } = this.#view;
    const numbers = marginals.get(index);
    const before = numbers && baseline.get(index);
    const observed = question.evidence.get(index);
    card.body?.show({
      numbers,
      before,
      observed: observed instanceof Set ? observed : undefined,
      set: question.settings.get(index),
      best: best?.get(index),
    });
    const moved = change(numbers, before, this.overview.kind === "discrete");
    card.element.style.setProperty("--moved-by", `${Math.round(100 * Math.sqrt(moved))}%`);
    const marks = {
      target: question.targets.includes(index),
      observed: question.evidence.has(index),
      soft: question.soft.has(index),
      set: question.settings.has(index),
      rewritten: question.tables.has(index),
      conflict: conflict.has(index),
      lit: lit?.has(index),
    };
    mark(card.element, marks);
    card.element.setAttribute("aria-pressed", marks.target);
    card.element.setAttribute("aria-label", spoken(this.overview.variables[index], numbers, marks));
  }

  /** Enter asks, with Shift for several variables; 1 to 9 set evidence, Backspace removes it. */
  #press(index, event) {
    const state = Number(/^Digit(\d)$/.exec(event.code)?.[1] ?? event.key) - 1;
    if (event.key === "Enter" || event.key === " ") this.acts.ask(index, event);
    else if (state >= 0 && state < this.overview.variables[index].states.length) this.acts.press(index, state, event);
    else if (event.key === "Backspace" || event.key === "Delete") this.acts.forget(index);
    else return false;
    return true;
  }

  /** Where a drawing that is too large for the screen opens: at the variable with the most neighbours. */
  #hub({ variables, boxes, edges }) {
    const degrees = new Map(variables.map((index) => [index, 0]));
    for (const end of edges.flat()) degrees.set(end, degrees.get(end) + 1);
    const most = Math.max(...degrees.values());
    return boxes[variables.findIndex((index) => degrees.get(index) === most)];
  }

  /** A fill with the colours of the clusters that hold a variable, side by side. */
  #stripes(index) {
    const colours = this.overview.colours[index];
    if (colours.length === 1) return colours[0];
    const id = `stripes${colours.join("").replaceAll("#", "-")}`;
    const defs = this.pane.defs;
    if (!defs.querySelector(`#${id}`)) {
      const stops = colours.flatMap((colour, number) =>
        [number, number + 1].map((edge) => svg("stop", { offset: edge / colours.length, "stop-color": colour })),
      );
      defs.append(svg("linearGradient", { id }, ...stops));
    }
    return `url(#${id})`;
  }
}

function arrow(route) {
  return svg("path", { class: "arrow", d: curve(route, true) });
}

function arrowHead(id) {
  const tip = svg("path", { class: id, d: "M0 0 6 3 0 6Z" });
  return svg("marker", { id, viewBox: "0 0 6 6", refX: 5.5, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto" }, tip);
}

function roundedTop(width, height) {
  return `M0 ${height}V${CORNER}Q0 0 ${CORNER} 0H${width - CORNER}Q${width} 0 ${width} ${CORNER}V${height}Z`;
}

function spoken({ name, states }, numbers, { target, observed, soft, set }) {
  const said = [observed && "observed", soft && "soft evidence", set && "set", target && "asked for"].filter(Boolean);
  if (numbers && states.length) said.push(...states.slice(0, 9).map((state, index) => `${state} ${percent(numbers[index])}`));
  else if (numbers) said.push(`${quantity(numbers[0])} plus or minus ${quantity(numbers[1])}`);
  return [name, ...said].join(", ");
}
