// The parts of the page: the drawer with the tree, and the handles between the parts.

import { button, mark } from "./elements.js";
import { icon } from "./icons.js";
import { remember, remembered } from "./memory.js";
import { Splitter } from "./splitters.js";

/** The drawer opens by itself where there is room; a folded network begins with its tree. */
const WIDE = 1700;
const WIDE_ENOUGH = 1150;

export class Layout {
  constructor(overview, tree, network) {
    const isFoldable = overview.network === null;
    this.key = isFoldable ? "tree.folded" : "tree";
    this.toggle = button("", () => this.open(!this.isTreeOpen, true), { id: "drawer", title: "Show the cluster tree" });
    this.toggle.append(icon("tree"), "Tree");
    network.tools.prepend(this.toggle);
    const close = button("", () => this.open(false, true), { className: "tool", title: "Close the tree", "aria-label": "close the tree" });
    close.append(icon("close"));
    tree.tools.append(close);
    const find = (selector) => document.querySelector(selector);
    new Splitter(find("#split-tree"), find("#tree"), "tree-size", { least: 180, most: () => 0.7 * innerWidth });
    new Splitter(find("#split-panel"), find("#panel"), "panel-size", { least: 260, most: () => 0.6 * innerWidth });
    this.open(remembered(this.key, innerWidth >= (isFoldable ? WIDE_ENOUGH : WIDE)));
  }

  /** Open the drawer or close it. */
  open(isOpen, isChosen = false) {
    this.isTreeOpen = isOpen;
    mark(document.body, { "tree-open": isOpen });
    this.toggle.setAttribute("aria-pressed", isOpen);
    if (isChosen) remember(this.key, isOpen);
  }
}
