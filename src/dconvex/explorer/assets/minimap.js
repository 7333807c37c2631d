// The whole drawing, small, in a corner: a frame shows what is on screen, and a click or a drag goes there.

import { svg } from "./elements.js";

const WIDEST = 168;
const HIGHEST = 110;

export class Minimap {
  /** Shows what `camera` looks at, and moves it. */
  constructor(camera) {
    this.camera = camera;
    this.boxes = svg("path", { class: "map-boxes" });
    this.frame = svg("rect", { class: "map-frame" });
    this.element = svg("svg", { class: "minimap", hidden: "", "aria-hidden": "true" }, this.boxes, this.frame);
    for (const kind of ["pointerdown", "pointermove"]) this.element.addEventListener(kind, (event) => this.#go(event));
  }

  /** Show these boxes of a drawing of this size. */
  draw([width, height], boxes) {
    this.size = [width, height];
    this.scale = Math.min(WIDEST / width, HIGHEST / height);
    const least = 1.5 / this.scale;
    const d = boxes.map(([x, y, w, h]) => `M${x} ${y}h${Math.max(w, least)}v${Math.max(h, least)}h${-Math.max(w, least)}z`);
    this.boxes.setAttribute("d", d.join(""));
    this.element.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.element.setAttribute("width", Math.max(this.scale * width, 24));
    this.element.setAttribute("height", Math.max(this.scale * height, 24));
  }

  /** Follow the camera; a drawing that is all on screen needs no map. */
  follow() {
    if (!this.size) return;
    this.element.toggleAttribute("hidden", this.camera.showsAll);
    const [left, top, right, bottom] = this.camera.window;
    const [x, y] = [Math.max(left, 0), Math.max(top, 0)];
    const box = { x, y, width: Math.min(right, this.size[0]) - x, height: Math.min(bottom, this.size[1]) - y };
    for (const [name, value] of Object.entries(box)) this.frame.setAttribute(name, Math.max(value, 0));
    this.frame.setAttribute("stroke-width", 2 / this.scale);
  }

  #go(event) {
    if (!(event.buttons & 1)) return;
    event.preventDefault();
    event.stopPropagation();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.element.getScreenCTM().inverse());
    this.camera.center(at.x, at.y);
  }
}
