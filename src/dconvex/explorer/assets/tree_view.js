// The cluster tree: a box for each cluster; those that answer are lit, the others grey.

import { curve, mark, squeeze, svg } from "./elements.js";
import { counted } from "./format.js";
import { Pane } from "./pane.js";

export class TreeView {
  #names = [];

  /** `acts` are `open(cluster)` and `hover(cluster)`. */
  constructor(section, overview, acts) {
    Object.assign(this, { overview, acts, tree: overview.tree });
    this.pane = new Pane(section, "Cluster tree", "arrow keys go on, Enter shows the variables in the network");
    this.pane.explain({ answers: "answers" });
    const { tree } = this;
    this.lines = tree.edges.map((ends, edge) => this.#line(ends, edge));
    this.clusters = tree.clusters.map((members, cluster) => this.#cluster(members, cluster));
    this.pane.content.append(...this.lines.map(({ element }) => element), ...this.clusters.map(({ element }) => element));
    this.pane.items = this.clusters;
    squeeze(this.pane.content);
    const largest = tree.clusters.reduce((best, { length }, index) => (length > tree.clusters[best].length ? index : best), 0);
    this.pane.open(tree.size, tree.boxes, tree.boxes[largest]);
  }

  get size() {
    return this.tree.size;
  }

  /** Show marks: `{ question, plan, conflict, opened }`. */
  show({ question, plan, conflict, opened }) {
    const kept = plan && new Set(plan.kept);
    const isTarget = (index) => question.targets.includes(index);
    const isKnown = (index) => question.knows(index);
    this.clusters.forEach(({ element }, cluster) => {
      const members = this.tree.clusters[cluster];
      mark(element, {
        lit: kept?.has(cluster),
        opened: opened.has(cluster),
        "holds-target": this.tree.compact && members.some(isTarget),
        "holds-observed": this.tree.compact && members.some(isKnown),
      });
      element.setAttribute("aria-label", this.#spoken(cluster, kept));
    });
    for (const { element, ends } of this.lines) mark(element, { lit: kept && ends.every((end) => kept.has(end)) });
    if (kept?.size) this.#bring([...kept]);
    for (const { text, indices } of this.#names) {
      const isBlamed = (index) => conflict.has(index);
      mark(text, { target: indices.some(isTarget), observed: indices.some(isKnown), conflict: indices.some(isBlamed) });
    }
  }

  /** Move to what answers, if none of it is on screen. */
  #bring(kept) {
    const [fromX, fromY, toX, toY] = this.pane.camera.window;
    const boxes = kept.map((cluster) => this.tree.boxes[cluster]);
    const isSeen = ([x, y, width, height]) => x + width > fromX && x < toX && y + height > fromY && y < toY;
    if (toX > fromX && !boxes.some(isSeen)) this.pane.camera.reveal(boxes[0]);
  }

  /** Point out these clusters, and no others. */
  highlight(clusters) {
    this.clusters.forEach(({ element }, cluster) => mark(element, { highlighted: clusters.has(cluster) }));
  }

  #cluster(members, cluster) {
    const box = this.tree.boxes[cluster];
    const [left, top, width, height] = box;
    const frame = svg("rect", { class: "frame", width, height, rx: 5, fill: this.tree.colours[cluster] });
    const title = svg("title", {}, `cluster ${cluster}: ${this.#listed(members)}`);
    const element = svg(
      "g",
      { class: "cluster", transform: `translate(${left} ${top})`, "data-cluster": cluster, role: "button" },
      title,
      frame,
      ...(this.tree.compact ? [this.#number(members, box)] : this.#members(members, cluster, box)),
    );
    element.addEventListener("click", () => this.acts.open(cluster));
    element.addEventListener("pointerenter", () => this.acts.hover(cluster));
    element.addEventListener("pointerleave", () => this.acts.hover(null));
    const press = (event) => (event.key === "Enter" || event.key === " ") && (this.acts.open(cluster), true);
    return { element, box, press };
  }

  #members(members, cluster, [, , width]) {
    const { cell, rowFont } = this.overview.metrics;
    const columns = this.tree.columns[cluster];
    const room = (width - 9) / columns;
    const listed = members.length > this.tree.listed ? members.slice(0, this.tree.listed - 1) : members;
    const at = (number) => ({
      x: 7 + (number % columns) * room,
      y: 4 + (Math.floor(number / columns) + 0.76) * cell,
      "font-size": rowFont,
      "data-room": room - 7,
    });
    const names = listed.map((index, number) => ({
      text: svg("text", at(number), this.overview.variables[index].name),
      indices: [index],
    }));
    const rest = members.slice(listed.length);
    if (rest.length)
      names.push({ text: svg("text", { class: "more", ...at(listed.length) }, `+ ${rest.length} more`), indices: rest });
    this.#names.push(...names);
    return names.map(({ text }) => text);
  }

  #number(members, [, , width, height]) {
    const middle = { x: width / 2, y: height / 2 + 3, "text-anchor": "middle", "font-size": this.overview.metrics.rowFont };
    return svg("text", { class: "count", ...middle }, members.length);
  }

  #line(ends, edge) {
    const { tree } = this;
    const element = svg("g", { class: "joint" }, svg("path", { d: curve(tree.routes[edge], tree.flowsDown) }));
    if (!tree.compact) element.append(...this.#separator(tree.labels[edge], tree.labelBoxes[edge]));
    element.append(svg("title", {}, `shared: ${tree.separators[edge].join(", ") || "nothing"}`));
    return { element, ends };
  }

  #separator(lines, [left, top, width, height]) {
    const font = this.overview.metrics.rowFont;
    const pitch = this.overview.metrics.cell - 1;
    const common = { x: left + width / 2, "text-anchor": "middle", "font-size": font, "data-room": width - 4 };
    const texts = lines.map((line, number) => svg("text", { ...common, y: top + 2 + (number + 0.76) * pitch }, line));
    return [svg("rect", { x: left, y: top, width, height, rx: 3 }), ...texts];
  }

  #listed(members, most = 40) {
    const names = members.slice(0, most).map((index) => this.overview.variables[index].name);
    return members.length > most ? `${names.join(", ")}, … (${counted(members.length, "variable")})` : names.join(", ");
  }

  #spoken(cluster, kept) {
    const part = kept && (kept.has(cluster) ? ", answers" : "");
    return `cluster ${cluster}${part ?? ""}: ${this.#listed(this.tree.clusters[cluster], 12)}`;
  }
}
