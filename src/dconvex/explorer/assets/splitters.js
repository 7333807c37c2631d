// Handles between the parts of the page: dragged, or moved with the arrow keys; their place is remembered.

import { remember, remembered } from "./memory.js";

const STEP = 24;

export class Splitter {
  /**
   * Sets the size of `part` (a CSS length `--name` of the page) between `least` and `most()` pixels. The part is after the handle.
   */
  constructor(handle, part, name, { least, most }) {
    Object.assign(this, { handle, part, name, least, most });
    const stored = remembered(`size.${name}`);
    if (Number.isFinite(stored)) this.#set(stored);
    handle.tabIndex = 0;
    handle.addEventListener("pointerdown", (event) => this.#down(event));
    handle.addEventListener("keydown", (event) => this.#key(event));
    handle.addEventListener("dblclick", () => this.#reset());
  }

  /** Parts lie next to each other or, on narrow screens, below each other. */
  get #isUpright() {
    const { width, height } = this.handle.getBoundingClientRect();
    return height > width;
  }

  #size() {
    const { width, height } = this.part.getBoundingClientRect();
    return this.#isUpright ? width : height;
  }

  #set(size) {
    this.size = Math.round(Math.min(Math.max(size, this.least), this.most()));
    document.documentElement.style.setProperty(`--${this.name}`, `${this.size}px`);
    this.handle.setAttribute("aria-valuenow", this.size);
  }

  #down(event) {
    event.preventDefault();
    this.handle.setPointerCapture(event.pointerId);
    const isUpright = this.#isUpright;
    const at = (each) => (isUpright ? each.clientX : each.clientY);
    const [from, size] = [at(event), this.#size()];
    const move = (each) => this.#set(size + from - at(each));
    const end = () => {
      this.handle.removeEventListener("pointermove", move);
      if (this.size) remember(`size.${this.name}`, this.size);
    };
    this.handle.addEventListener("pointermove", move);
    this.handle.addEventListener("pointerup", end, { once: true });
    this.handle.addEventListener("pointercancel", end, { once: true });
  }

  #key(event) {
    const direction = { ArrowLeft: 1, ArrowUp: 1, ArrowRight: -1, ArrowDown: -1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    this.#set(this.#size() + direction * STEP);
    remember(`size.${this.name}`, this.size);
  }

  #reset() {
    document.documentElement.style.removeProperty(`--${this.name}`);
    remember(`size.${this.name}`, null);
  }
}
