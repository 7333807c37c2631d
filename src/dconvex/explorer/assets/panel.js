// The panel: the question, and below it one of several views of its answer.

import { button, html } from "./elements.js";
import { AnswerTab } from "./answer_tab.js";
import { MovedTab } from "./moved_tab.js";
import { NextTab } from "./next_tab.js";
import { PlanTab } from "./plan_tab.js";
import { WhyTab } from "./why_tab.js";

const TABS = [
  ["answer", "Answer", "The answer, and what is known of each variable", AnswerTab],
  ["moved", "Moved", "What moved most?", MovedTab],
  ["next", "Next", "What should I observe?", NextTab],
  ["why", "Why", "What did each finding do?", WhyTab],
  ["plan", "Files", "How it was answered, and files to take away", PlanTab],
];

export class Panel {
  #view = null;
  #open = "answer";
  #complainedAt = null;

  /** `page` has what the tabs need: overview, question, conversation, bar, and acts. */
  constructor(aside, page) {
    Object.assign(this, { aside, page });
    this.message = html("div", { id: "message", role: "alert", hidden: true });
    this.heading = html("h2", { id: "question" });
    this.handle = button("", () => this.#resize(), { id: "sheet", title: "More or less", "aria-label": "more or less of the answer" });
    this.tabs = TABS.map(([name, label, title, Tab]) => this.#tab(name, label, title, new Tab(page)));
    const list = html("div", { className: "tabs", role: "tablist" }, ...this.tabs.map(({ button: each }) => each));
    list.addEventListener("keydown", (event) => this.#key(event));
    const head = html("div", { className: "panel-head" }, this.handle, this.heading, list);
    aside.replaceChildren(head, this.message, ...this.tabs.map(({ element }) => element));
    this.open("answer");
  }

  show(view) {
    this.#view = view;
    this.heading.textContent = this.page.bar.title;
    if (view.message) this.complain(view.message, view.conflict);
    else if (location.hash !== this.#complainedAt) this.message.hidden = true;
    this.#current.tab.show(view);
  }

  /** Open a tab by its name. */
  open(name) {
    this.#open = name;
    for (const { name: own, button: each, element } of this.tabs) {
      const isOpen = own === name;
      each.setAttribute("aria-selected", isOpen);
      each.tabIndex = isOpen ? 0 : -1;
      element.hidden = !isOpen;
    }
    if (this.#view) this.#current.tab.show(this.#view);
  }

  /** On a phone the panel is a sheet: peeking, half or full. */
  lift(height) {
    this.aside.dataset.height = height;
  }

  /** Show an error, with buttons that remove the evidence to blame. */
  complain(problem, conflict = new Set()) {
    const { overview, question } = this.page;
    const ways = [...conflict].map((index) => {
      const { name } = overview.variables[index];
      return button(`Forget ${name}`, () => question.forget(index), { "data-forget": name });
    });
    const close = button("×", () => (this.message.hidden = true), { className: "remove", "aria-label": "close" });
    this.message.replaceChildren(html("p", {}, problem), ...ways, close);
    this.message.hidden = false;
    this.#complainedAt = conflict.size ? null : location.hash; // it stays until something else is asked
  }

  get #current() {
    return this.tabs.find(({ name }) => name === this.#open);
  }

  #tab(name, label, title, tab) {
    const element = html("div", { id: `tab-${name}`, className: "tab", role: "tabpanel", "aria-label": label }, ...tab.elements);
    const press = () => {
      this.open(name);
      if (this.aside.dataset.height === "peek") this.lift("half");
    };
    const marks = { role: "tab", title, "data-tab": name, "aria-controls": `tab-${name}` };
    return { name, tab, element, button: button(label, press, marks) };
  }

  #key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = this.tabs.findIndex(({ name }) => name === this.#open);
    const next = this.tabs[(at + step + this.tabs.length) % this.tabs.length];
    this.open(next.name);
    next.button.focus();
  }

  #resize() {
    const next = { peek: "half", half: "full", full: "peek" };
    this.lift(next[this.aside.dataset.height] ?? "half");
  }
}
