// The frame around a drawing: heading, zoom buttons, a small map, and keyboard movement from item to item.

import { Camera } from "./camera.js";
import { button, html, svg } from "./elements.js";
import { Minimap } from "./minimap.js";

export class Pane {
  /** Items are `{ element, box, press(event) }`: the arrow keys go to the nearest one in that direction, Enter presses it. */
  #items = [];
  #current = 0;

  constructor(section, title, hint, moved = () => {}) {
    this.content = svg("g", { class: "content" });
    this.defs = svg("defs");
    this.screen = svg("svg", { class: "screen", role: "group", "aria-label": `${title}: ${hint}` }, this.defs, this.content);
    this.note = html("span", { className: "note faint" });
    this.tools = html("div", { className: "tools" });
    this.empty = html("div", { className: "empty", hidden: true });
    this.legend = html("p", { className: "legend faint" });
    const head = html("div", { className: "head" }, html("h2", {}, title), this.note, this.tools);
    this.camera = new Camera(this.screen, this.content, () => {
      this.map?.follow();
      moved();
    });
    this.map = new Minimap(this.camera);
    const stage = html("div", { className: "stage" }, this.screen, this.empty, this.map.element);
    section.replaceChildren(head, stage, this.legend);
    this.tools.append(
      button("−", () => this.camera.zoom(0.8), { title: "Smaller (-)", "aria-label": "smaller" }),
      button("+", () => this.camera.zoom(1.25), { title: "Larger (+)", "aria-label": "larger" }),
      button("Fit", () => this.camera.fit(), { title: "Show the whole (0)" }),
    );
    this.screen.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Open a drawing of this size at the box `focus`; the map shows these boxes. */
  open(size, boxes, focus) {
    if (boxes.length) this.map.draw(size, boxes);
    this.camera.open(size, focus);
  }

  /** A legend: `{ mark: meaning }`. */
  explain(marks) {
    const entries = Object.entries(marks).map(([mark, meaning]) =>
      html("span", {}, html("i", { className: `swatch ${mark}` }), meaning),
    );
    this.legend.replaceChildren(...entries);
  }

  /** The items that the keyboard can reach. */
  set items(items) {
    this.#items = items;
    this.#current = 0;
    items.forEach((item, index) => {
      item.element.setAttribute("tabindex", index === 0 ? 0 : -1);
      item.element.addEventListener("focus", () => this.#enter(index));
    });
  }

  #enter(index) {
    this.#items[this.#current]?.element.setAttribute("tabindex", -1);
    this.#current = index;
    this.#items[index].element.setAttribute("tabindex", 0);
    if (this.#items[index].element.matches(":focus-visible")) this.camera.reveal(this.#items[index].box);
  }

  #key(event) {
    const item = this.#items[this.#current];
    if (!item || event.target !== item.element || event.ctrlKey || event.metaKey) return;
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const isHandled = direction ? this.#go(item, direction) : item.press(event);
    if (isHandled) event.preventDefault();
  }

  #go(from, [dx, dy]) {
    const middle = ({ box: [left, top, width, height] }) => [left + width / 2, top + height / 2];
    const [x, y] = middle(from);
    let nearest = null;
    for (const item of this.#items) {
      const [along, across] = ((at) => [(at[0] - x) * dx + (at[1] - y) * dy, (at[0] - x) * dy + (at[1] - y) * dx])(
        middle(item),
      );
      const distance = along > 1 ? along + 2 * Math.abs(across) : Infinity;
      if (distance < (nearest?.distance ?? Infinity)) nearest = { item, distance };
    }
    nearest?.item.element.focus();
    return true;
  }
}
