// The page: one question, two drawings and a panel that show its answer.

import * as api from "./api.js";
import { Conversation } from "./conversation.js";
import { html, mark } from "./elements.js";
import { download, picture } from "./exports.js";
import { Folding } from "./folding.js";
import { counted } from "./format.js";
import { NetworkView } from "./network_view.js";
import { Panel } from "./panel.js";
import { Question } from "./question.js";
import { Search } from "./search.js";
import { TreeView } from "./tree_view.js";

const find = (selector) => document.querySelector(selector);

class Page {
  #view = null;
  #moving = null;
  #searched = null;

  constructor(overview) {
    this.overview = overview;
    const refresh = () => this.conversation.refresh();
    this.question = new Question(refresh);
    this.conversation = new Conversation(this.question, {
      shown: () => this.network.legible,
      answered: (view) => this.#answered(view),
      waiting: (said) => showWaiting(said),
    });
    const ask = (index, event) => this.#ask(index, event);
    this.network = new NetworkView(find("#network"), overview, {
      ask,
      see: (index, state, event) => (event.shiftKey ? this.question.seeAlso(index, state) : this.question.see(index, state)),
      forget: (index) => this.question.forget(index),
      hover: (index) => this.tree.highlight(new Set(index === null ? [] : this.network.holders[index])),
      moved: () => this.#moved(),
    });
    this.tree = new TreeView(find("#tree"), overview, {
      open: (cluster) => this.#open(cluster),
      hover: (cluster) => this.network.highlight(new Set(cluster === null ? [] : overview.tree.clusters[cluster])),
    });
    this.panel = new Panel(find("#panel"), overview, this.question, {
      ask,
      reveal: (index) => this.network.reveal(index),
      export: (what) => this.#export(what),
    });
    new Search(find("#search"), find("#matches"), overview, (index) => this.#search(index));
    this.folding = new Folding(overview, this.network, refresh);
    refresh();
  }

  #ask(index, event) {
    if (event.shiftKey || event.ctrlKey || event.metaKey) this.question.askAlso(index);
    else this.question.askOnly(index);
  }

  /** Ask for a variable that was searched for, and move to it with the answer. */
  #search(index) {
    this.#searched = index;
    if (this.question.targets.includes(index)) this.conversation.refresh();
    else this.question.askOnly(index);
  }

  #open(cluster) {
    if (this.folding.isFolded) this.folding.toggle(cluster);
    else this.network.revealAll(this.overview.tree.clusters[cluster]);
  }

  /** Request the numbers of variables that come on screen, as soon as the movement ends. */
  #moved() {
    clearTimeout(this.#moving);
    this.#moving = setTimeout(() => {
      if (!this.#view || this.#view.message) return;
      if (this.network.legible.some((index) => !this.#view.marginals.has(index))) this.conversation.refresh();
    }, 150);
  }

  async #answered(view) {
    this.#view = { ...view, opened: this.folding.opened };
    const isRedrawn = await this.folding.follow(view);
    for (const part of [this.network, this.tree, this.panel]) part.show(this.#view);
    if (isRedrawn) return this.conversation.refresh(); // for the numbers of what came on screen
    if (this.#searched !== null) this.network.reveal(this.#searched);
    this.#searched = null;
  }

  async #export(what) {
    const { python } = this.#view;
    const { title } = this.overview;
    const act = {
      picture: () => download(`${title}.svg`, "image/svg+xml", picture(this.panel.title, [this.network, this.tree])),
      table: async () => download(`${title}.csv`, "text/csv", await this.conversation.table()),
      script: () => download(`${title}.py`, "text/x-python", python),
      copy: () => navigator.clipboard.writeText(python),
    }[what];
    try {
      await act();
    } catch (problem) {
      this.panel.complain(problem.message);
    }
  }
}

function introduce({ title, kind, variables, edgeCount, tree, coherent }) {
  document.title = `${title} – dconvex`;
  find("#title").textContent = title;
  const largest = Math.max(0, ...tree.clusters.map((members) => members.length));
  const facts = [
    kind,
    counted(variables.length, "variable"),
    counted(edgeCount, "edge"),
    `${counted(tree.clusters.length, "cluster")}, the largest of ${largest}`,
    ...(coherent ? [] : ["clusters learned on their own"]),
  ];
  find("#facts").textContent = facts.join(" · ");
}

function showWaiting(said) {
  mark(document.body, { waiting: said });
  find("#status").textContent = said;
}

/** Light or dark as in the system, until the button is pressed. */
function offerSchemes() {
  find("#scheme").onclick = () => {
    const { style } = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    style.colorScheme = (style.colorScheme || system) === "dark" ? "light" : "dark";
  };
}

/** Add the children, which follow from the parents. */
function withChildren(overview) {
  for (const variable of overview.variables) variable.children = [];
  overview.variables.forEach(({ parents }, index) => {
    for (const parent of parents) overview.variables[parent].children.push(index);
  });
  return overview;
}

offerSchemes();
try {
  const overview = withChildren(await api.overview());
  introduce(overview);
  new Page(overview);
} catch (problem) {
  find("main").replaceChildren(html("p", { className: "empty", role: "alert" }, problem.message));
  throw problem;
}
