// The network: a card for each variable, arrows between them.

import { cardBody } from "./cards.js";
import { curve, mark, squeeze, svg } from "./elements.js";
import { percent, quantity } from "./format.js";
import { Pane } from "./pane.js";

/** With more cards on screen nobody can read them; they show their names only. */
const READABLE = 200;
const CORNER = 5;

export class NetworkView {
  #cards = new Map();
  #arrows = [];
  #view = null;
  #frame = null;

  /** `acts` are `ask(place, event)`, `see(place, state, event)`, `forget(place)`, `hover(place)` and `moved()`, by index. */
  constructor(section, overview, acts) {
    Object.assign(this, { overview, acts });
    const hint = "arrow keys go on, Enter asks, 1 to 9 observe a state, Backspace forgets it";
    this.pane = new Pane(section, "Network", hint, () => this.#moved());
    this.holders = overview.variables.map(() => []);
    overview.tree.clusters.forEach((members, cluster) => members.forEach((place) => this.holders[place].push(cluster)));
    this.pane.defs.append(arrowHead("arrow"), arrowHead("faint-arrow"));
    this.pane.explain({
      asked: "asked for",
      seen: "observed",
      dropped: "not needed for the answer",
      prior: "before the evidence",
    });
  }

  /** Draw these boxes and routes instead of the old ones. */
  draw(layout) {
    const [focused] = [...this.#cards].find(([, { element }]) => element === document.activeElement) ?? [];
    this.layout = layout;
    this.#arrows = layout.edges.map((ends, place) => ({ ends, line: arrow(layout.routes[place]) }));
    this.#cards = new Map(layout.variables.map((place, number) => [place, this.#card(place, layout.boxes[number])]));
    const cards = [...this.#cards.values()];
    this.pane.content.replaceChildren(
      svg("g", { class: "arrows" }, ...this.#arrows.map(({ line }) => line)),
      ...cards.map(({ element }) => element),
    );
    this.pane.items = cards;
    squeeze(this.pane.content);
    this.pane.camera.fit(layout.size);
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
    const isSeen = ({ box: [x, y, width, height] }) => x + width > left && y + height > top && x < right && y < bottom;
    const seen = [...this.#cards].filter(([, card]) => isSeen(card)).map(([place]) => place);
    return seen.length <= READABLE ? seen : [];
  }

  /** Show answers and marks, as in `Conversation`. */
  show(view) {
    this.#view = view;
    this.#fillLegible();
    for (const [place, card] of this.#cards) this.#mark(card, place);
    for (const { ends, line } of this.#arrows) {
      const isDropped = view.lit && !ends.every((end) => view.lit.has(end));
      mark(line, { dropped: isDropped });
      line.setAttribute("marker-end", isDropped ? "url(#faint-arrow)" : "url(#arrow)");
    }
  }

  /** Point out these variables, and no others. */
  highlight(places) {
    for (const [place, { element }] of this.#cards) mark(element, { highlighted: places.has(place) });
  }

  /** Move to a variable, near enough to read it. */
  reveal(place) {
    const card = this.#cards.get(place);
    if (card) this.pane.camera.reveal(card.box, { readable: true });
  }

  /** Move to several variables, as near as all of them fit. */
  revealAll(places) {
    this.pane.camera.frame(places.map((place) => this.#cards.get(place).box));
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
    const bare = legible.filter((place) => !this.#cards.get(place).body);
    for (const place of bare) {
      this.#fill(this.#cards.get(place), place);
      this.#mark(this.#cards.get(place), place);
    }
  }

  #card(place, box) {
    const [left, top, width, height] = box;
    const { head, nameFont } = this.overview.metrics;
    const variable = this.overview.variables[place];
    const element = svg(
      "g",
      { class: "node", transform: `translate(${left} ${top})`, "data-variable": variable.name, role: "button" },
      svg("rect", { class: "frame", width, height, rx: CORNER }),
      svg("path", { class: "title", d: roundedTop(width, head), fill: this.#stripes(place) }),
      svg(
        "text",
        { class: "name", x: width / 2, y: head - 5, "text-anchor": "middle", "font-size": nameFont, "data-room": width - 10 },
        variable.name,
      ),
    );
    element.addEventListener("click", (event) => this.acts.ask(place, event));
    element.addEventListener("pointerenter", () => this.acts.hover(place));
    element.addEventListener("pointerleave", () => this.acts.hover(null));
    return { element, box, press: (event) => this.#press(place, event) };
  }

  #fill(card, place) {
    const { metrics, variables } = this.overview;
    const [, , width, height] = card.box;
    card.body = cardBody(variables[place], width, metrics, (state, event) => this.acts.see(place, state, event));
    card.element.append(
      svg("g", { class: "body", transform: `translate(0 ${metrics.head + 1})` }, card.body.element),
      svg("rect", { class: "rim", width, height, rx: CORNER }),
    );
    squeeze(card.body.element);
  }

  #mark(card, place) {
    const { question, marginals, priors, lit, best, conflict } = this.#view;
    const numbers = marginals.get(place);
    const seen = question.evidence.get(place);
    card.body?.show({
      numbers,
      prior: question.knowsAnything && numbers ? priors.get(place) : undefined,
      seen: seen instanceof Set ? seen : undefined,
      best: best?.get(place),
    });
    const marks = {
      asked: question.asked.includes(place),
      seen: question.evidence.has(place),
      soft: question.soft.has(place),
      conflict: conflict.has(place),
      dropped: lit && !lit.has(place),
    };
    mark(card.element, marks);
    card.element.setAttribute("aria-pressed", marks.asked);
    card.element.setAttribute("aria-label", spoken(this.overview.variables[place], numbers, marks));
  }

  /** Enter asks, with Shift for several variables; 1 to 9 set evidence, Backspace removes it. */
  #press(place, event) {
    const state = Number(event.key) - 1;
    if (event.key === "Enter" || event.key === " ") this.acts.ask(place, event);
    else if (state >= 0 && state < this.overview.variables[place].states.length) this.acts.see(place, state, event);
    else if (event.key === "Backspace" || event.key === "Delete") this.acts.forget(place);
    else return false;
    return true;
  }

  /** A fill with the colours of the clusters that hold a variable, side by side. */
  #stripes(place) {
    const colours = this.overview.colours[place];
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

function spoken({ name, states }, numbers, { asked, seen, soft }) {
  const said = [seen && "observed", soft && "soft evidence", asked && "asked for"].filter(Boolean);
  if (numbers && states.length) said.push(...states.slice(0, 9).map((state, place) => `${state} ${percent(numbers[place])}`));
  else if (numbers) said.push(`${quantity(numbers[0])} plus or minus ${quantity(numbers[1])}`);
  return [name, ...said].join(", ");
}
