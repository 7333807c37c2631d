// Undo and redo: each question is an entry in the history of the browser, so that Back and Ctrl-Z do the same.

const TOP = "dconvex.top";

export class Timeline {
  /** `moved(text)` is called when the address has changed by itself; `text` is what is after its #. */
  constructor(moved) {
    this.moved = moved;
    if (!Number.isInteger(history.state?.depth)) history.replaceState({ depth: 0 }, "");
    this.depth = history.state.depth;
    const isReloaded = performance.getEntriesByType("navigation")[0]?.type === "reload";
    this.top = isReloaded ? Math.max(this.depth, Number(sessionStorage.getItem(TOP))) : this.depth;
    addEventListener("popstate", () => this.#popped());
    addEventListener("keydown", (event) => this.#key(event));
  }

  get text() {
    return location.hash.slice(1);
  }

  get canUndo() {
    return this.depth > 0;
  }

  get canRedo() {
    return this.depth < this.top;
  }

  /** Go on to this question; a passing one takes the place of the one before. */
  push(text, isPassing = false) {
    if (text === this.text) return;
    const address = `${location.pathname}${location.search}${text ? `#${text}` : ""}`;
    if (isPassing) {
      history.replaceState({ depth: this.depth }, "", address);
      return;
    }
    this.depth += 1;
    this.top = this.depth;
    sessionStorage.setItem(TOP, this.top);
    history.pushState({ depth: this.depth }, "", address);
  }

  undo() {
    if (this.canUndo) history.back();
  }

  redo() {
    if (this.canRedo) history.forward();
  }

  #popped() {
    if (!Number.isInteger(history.state?.depth)) {
      this.top = this.depth + 1; // someone has typed another address
      history.replaceState({ depth: this.top }, "");
    }
    this.depth = history.state.depth;
    this.moved(this.text);
  }

  #key(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.matches("input:not([type=range]), textarea")) return;
    const key = event.key.toLowerCase();
    const act = { z: event.shiftKey ? "redo" : "undo", y: "redo" }[key];
    if (!act) return;
    event.preventDefault();
    this[act]();
  }
}
