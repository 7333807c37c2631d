// The page: one question, two drawings and a panel that show its answer.

import * as address from "./address.js";
import * as api from "./api.js";
import { CaseFile } from "./case_file.js";
import { Conversation } from "./conversation.js";
import { acceptFiles } from "./drop.js";
import { html, mark } from "./elements.js";
import { EvidenceBar } from "./evidence_bar.js";
import { download, picture, pixels } from "./exports.js";
import { Folding } from "./folding.js";
import { counted } from "./format.js";
import { Layout } from "./layout.js";
import { NetworkView } from "./network_view.js";
import { copy } from "./notices.js";
import { Panel } from "./panel.js";
import { Question } from "./question.js";
import { rememberOpened, takeRow } from "./recent.js";
import { offerSchemes } from "./scheme.js";
import { Search } from "./search.js";
import { Timeline } from "./timeline.js";
import { TreeView } from "./tree_view.js";

const find = (selector) => document.querySelector(selector);

class Page {
  #view = null;
  #moving = null;
  #sought = null;
  #wasPassing = false;
  /** Whether a click adds to the targets, as one with Shift does. */
  asksSeveral = false;

  constructor(overview) {
    this.overview = overview;
    this.question = new Question((isPassing) => this.#changed(isPassing));
    this.timeline = new Timeline((text) => this.#returned(text));
    this.question.restore(address.read(this.timeline.text, overview.variables));
    this.conversation = new Conversation(this.question, {
      shown: () => (this.overview.network ? [...this.overview.variables.keys()] : this.network.legible),
      answered: (view) => this.#answered(view),
      waiting: (said) => showWaiting(said),
    });
    this.acts = {
      ask: (index, event) => this.#ask(index, event),
      reveal: (index) => this.network.reveal(index),
      begin: (index) => this.#begin(index),
      export: (what) => this.export(what),
      complain: (text) => this.panel.complain(text),
    };
    this.bar = new EvidenceBar(find("#evidence"), overview, this.question, this.timeline, this.acts);
    this.#makeViews(overview);
    new Search(find("#search"), find("#matches"), overview, (index) => {
      this.panel.open("answer");
      this.#begin(index);
    });
    this.cases = new CaseFile(this.bar.cases, this.question, this.acts);
    acceptFiles((file) => this.cases.open(file), "Drop a row of a CSV file: its cells become evidence");
    this.bar.show();
    if (this.question.targets.length) {
      this.panel.lift("half");
      this.#sought = { index: this.question.targets[0], readable: true };
    }
    const row = takeRow();
    if (row) this.cases.take(row);
    else this.conversation.refresh();
  }

  #makeViews(overview) {
    this.network = new NetworkView(find("#network"), overview, {
      ask: this.acts.ask,
      press: (index, state, event) => this.#press(index, state, event),
      forget: (index) => this.question.forget(index),
      hover: (index) => this.tree.highlight(new Set(index === null ? [] : this.network.holders[index])),
      moved: () => this.#moved(),
    });
    this.tree = new TreeView(find("#tree"), overview, {
      open: (cluster) => this.#open(cluster),
      hover: (cluster) => this.network.highlight(new Set(cluster === null ? [] : overview.tree.clusters[cluster])),
    });
    this.panel = new Panel(find("#panel"), this);
    this.layout = new Layout(overview, this.tree.pane, this.network.pane);
    this.folding = new Folding(overview, this.network, {
      changed: () => this.conversation.refresh(),
      begin: this.acts.begin,
    });
  }

  /** A change of the question: a new entry in the history, and a new answer. */
  #changed(isPassing) {
    this.timeline.push(address.written(this.question.plain, this.overview.variables), isPassing && this.#wasPassing);
    this.#wasPassing = Boolean(isPassing);
    this.bar.show();
    this.conversation.refresh();
  }

  /** Back, forward, or an address that was typed. */
  #returned(text) {
    this.#wasPassing = false;
    this.question.restore(address.read(text, this.overview.variables));
    this.bar.show();
    this.conversation.refresh();
  }

  #ask(index, event) {
    if (this.asksSeveral || event?.shiftKey || event?.ctrlKey || event?.metaKey) this.question.askAlso(index);
    else this.question.askOnly(index);
    this.panel.open("answer");
    if (this.question.targets.length) this.panel.lift("half");
    this.#sought = { index, readable: false };
  }

  /** Ask for a variable that is not on screen perhaps, and move to it with the answer. */
  #begin(index) {
    this.#sought = { index, readable: true };
    this.panel.lift("half");
    if (this.question.targets.includes(index)) this.conversation.refresh();
    else this.question.askOnly(index);
  }

  #press(index, state, event) {
    if (event.altKey) this.question.set(index, state);
    else if (event.shiftKey) this.question.seeAlso(index, state);
    else this.question.see(index, state);
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
    if (this.conversation.isStale) return; // the next answer is on its way
    for (const part of [this.network, this.tree, this.panel, this.bar]) part.show(this.#view);
    if (this.#sought !== null) this.network.reveal(this.#sought.index, this.#sought.readable);
    if (isRedrawn) return this.conversation.refresh(); // for the numbers of what came on screen
    this.#sought = null;
  }

  async export(what) {
    const { title, kind } = this.overview;
    const views = this.layout.isTreeOpen ? [this.network, this.tree] : [this.network];
    const drawn = () => picture(this.bar.title, views);
    const act = {
      picture: () => download(`${title}.svg`, "image/svg+xml", drawn()),
      pixels: async () => download(`${title}.png`, "image/png", await pixels(drawn())),
      table: async () => download(`${title}.csv`, "text/csv", await this.conversation.table()),
      network: async () =>
        download(
          `${title}-changed.${kind === "discrete" ? "bif" : "json"}`,
          "text/plain",
          await api.text("network.txt", this.question.request()),
        ),
      script: () => download(`${title}.py`, "text/x-python", this.#view.python),
      copy: () => copy(this.#view.python, "Python"),
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
  rememberOpened(title);
}

function showWaiting(said) {
  mark(document.body, { waiting: said });
  find("#status").textContent = said;
}

/** Add the children, which follow from the parents. */
function withChildren(overview) {
  for (const variable of overview.variables) variable.children = [];
  overview.variables.forEach(({ parents }, index) => {
    for (const parent of parents) overview.variables[parent].children.push(index);
  });
  return overview;
}

offerSchemes(find("#scheme"));
if (/\/(network|file)\/[^/]+\/$/.test(location.pathname)) find("#home").href = "../../start";
try {
  const overview = withChildren(await api.overview());
  introduce(overview);
  new Page(overview);
} catch (problem) {
  find("main").replaceChildren(html("p", { className: "empty", role: "alert" }, problem.message));
  throw problem;
}
