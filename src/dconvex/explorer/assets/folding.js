// A large network starts folded: only the variables that the question touches and the clusters opened by hand are drawn.

import * as api from "./api.js";
import { button, html } from "./elements.js";
import { count, counted } from "./format.js";

export class Folding {
  /** Clusters that were opened by hand. */
  opened = new Set();

  /** `acts` are `changed()`, to fold or unfold something, and `begin(index)`, at a variable. */
  constructor(overview, network, acts) {
    Object.assign(this, { overview, network, acts });
    this.isFoldable = overview.network === null;
    this.isFolded = this.isFoldable;
    if (!this.isFoldable) {
      network.draw(overview.network);
      return;
    }
    document.body.classList.add("foldable");
    this.button = button("Draw all", () => this.#toggle(), { id: "fold" });
    if (overview.variables.length <= overview.mostDrawn) network.pane.tools.prepend(this.button);
    const all = `${counted(overview.variables.length, "variable")} in ${counted(overview.tree.clusters.length, "cluster")}`;
    network.pane.empty.append(
      html("p", { className: "lead" }, all),
      html("p", {}, "A network of this size starts folded. Find a variable by its name ( / ), or click a cluster of the tree."),
      html("p", {}, "Or begin at one of those with the most neighbours:"),
      html("div", { className: "buttons" }, ...this.#hubs().map((index) => this.#begin(index))),
    );
  }

  #hubs(most = 6) {
    const degree = ({ parents, children }) => parents.length + children.length;
    const { variables } = this.overview;
    const order = [...variables.keys()].sort((one, other) => degree(variables[other]) - degree(variables[one]) || one - other);
    return order.slice(0, most);
  }

  #begin(index) {
    return button(this.overview.variables[index].name, () => this.acts.begin(index));
  }

  /** Open or close a cluster. */
  toggle(cluster) {
    if (!this.opened.delete(cluster)) this.opened.add(cluster);
    this.acts.changed();
  }

  /** Draw the variables of a view; true if others were drawn before. */
  async follow(view) {
    if (!this.isFoldable) return false;
    const { pane, drawn } = this.network;
    const wanted = this.isFolded ? this.#wanted(view) : new Set(this.overview.variables.keys());
    pane.empty.hidden = wanted.size > 0;
    pane.note.textContent = pane.note.title = `${count(wanted.size)} of ${counted(this.overview.variables.length, "variable")}`;
    if (wanted.size === drawn.size && [...wanted].every((index) => drawn.has(index))) return false;
    this.network.draw(await api.ask("layout", { variables: this.isFolded ? [...wanted] : null }));
    return true;
  }

  #toggle() {
    this.isFolded = !this.isFolded;
    this.button.textContent = this.isFolded ? "Draw all" : "Fold";
    this.acts.changed();
  }

  /** Targets and evidence with their neighbours, the clusters that answer unless they are too large, and those opened. */
  #wanted({ question, plan }) {
    const { clusters } = this.overview.tree;
    const touched = [...question.targets, ...question.known];
    const near = touched
      .map((index) => this.overview.variables[index])
      .flatMap(({ parents, children }) => [...parents, ...children]);
    const answering = new Set((plan?.kept ?? []).flatMap((cluster) => clusters[cluster]));
    const opened = [...this.opened].flatMap((cluster) => clusters[cluster]);
    const kept = answering.size <= this.overview.foldedAbove ? answering : [];
    return new Set([...touched, ...near, ...kept, ...opened].sort((one, other) => one - other));
  }
}
