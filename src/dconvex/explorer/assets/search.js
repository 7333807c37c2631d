// Finding a variable by its name.

import { html } from "./elements.js";

const MOST = 12;

export class Search {
  #found = [];
  #chosen = 0;

  /** `pick(index)` is called for the variable that is chosen. */
  constructor(input, list, overview, pick) {
    Object.assign(this, { input, list, overview, pick });
    input.addEventListener("input", () => this.#look());
    input.addEventListener("focus", () => this.#look());
    input.addEventListener("blur", () => this.#close());
    input.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.target.matches("input")) return;
      event.preventDefault();
      input.focus();
    });
  }

  /** Names that begin with the typed text, then those that contain it. */
  #look() {
    const typed = this.input.value.trim().toLowerCase();
    const indices = this.overview.variables.map(({ name }, index) => ({ index, at: name.toLowerCase().indexOf(typed) }));
    const found = typed ? indices.filter(({ at }) => at >= 0) : [];
    this.#found = [...found.filter(({ at }) => at === 0), ...found.filter(({ at }) => at > 0)].map(({ index }) => index);
    this.#chosen = 0;
    this.#show(typed);
  }

  #show(typed) {
    const options = this.#found.slice(0, MOST).map((index, number) =>
      html(
        "li",
        {
          id: `match-${number}`,
          role: "option",
          "aria-selected": number === this.#chosen,
          onpointerdown: (event) => (event.preventDefault(), this.#take(index)), // before the input loses the focus
        },
        this.overview.variables[index].name,
      ),
    );
    if (typed && !options.length) options.push(html("li", { className: "faint" }, "no such variable"));
    if (this.#found.length > MOST) options.push(html("li", { className: "faint" }, `… ${this.#found.length - MOST} more`));
    this.list.replaceChildren(...options);
    this.list.hidden = !options.length;
    this.input.setAttribute("aria-expanded", String(options.length > 0));
    if (this.#found.length) this.input.setAttribute("aria-activedescendant", `match-${this.#chosen}`);
    else this.input.removeAttribute("aria-activedescendant");
  }

  #key(event) {
    const last = Math.min(this.#found.length, MOST) - 1;
    if (event.key === "ArrowDown") this.#chosen = Math.min(this.#chosen + 1, last);
    else if (event.key === "ArrowUp") this.#chosen = Math.max(this.#chosen - 1, 0);
    else if (event.key === "Enter" && last >= 0) this.#take(this.#found[this.#chosen]);
    else if (event.key === "Escape") this.#close();
    if (!["ArrowDown", "ArrowUp"].includes(event.key)) return;
    event.preventDefault();
    this.#show(this.input.value);
  }

  #take(index) {
    this.input.value = "";
    this.#close();
    this.pick(index);
  }

  #close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
  }
}
