// Zooming and panning of a drawing: wheel, drag, two fingers, and the keys + - 0.

const CLOSEST = 3;
const SLOP = 4;
/** A drawing opens at no less than this, so that its text of 12 has at least 11 pixels. */
export const READABLE = 0.95;
const LARGEST_FIT = 1.25;

export class Camera {
  #size = [1, 1];
  #focus = null;
  #opens = true;
  #at = { x: 0, y: 0, scale: 1 };
  #pointers = new Map();
  #hasMoved = false;

  /** Looks at `content`, a group in `screen`; `moved` is called after every movement. */
  constructor(screen, content, moved = () => {}) {
    Object.assign(this, { screen, content, moved });
    screen.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    screen.addEventListener("pointerdown", (event) => this.#down(event));
    screen.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel"]) screen.addEventListener(end, (event) => this.#up(event));
    screen.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.#resized()).observe(screen);
  }

  /** Show a drawing of this size: the whole where its text can be read, else the part around the box `focus`. */
  open(size = this.#size, focus = this.#focus) {
    const [width, height] = this.#room(size, focus);
    const fitting = this.#fitting();
    if (!(fitting > 0)) return;
    const scale = Math.max(fitting, READABLE);
    const [left, top, boxWidth, boxHeight] = focus ?? [0, 0, ...size];
    this.#opens = true;
    this.#look(
      placed(width, scale * size[0], scale * (left + boxWidth / 2)),
      placed(height, scale * size[1], scale * (top + boxHeight / 2)),
      scale,
    );
  }

  /** Show the whole drawing, however small. */
  fit(size = this.#size) {
    const [width, height] = this.#room(size, this.#focus);
    const scale = this.#fitting();
    this.#opens = false;
    this.#hasMoved = false;
    if (scale > 0) this.#look((width - scale * size[0]) / 2, (height - scale * size[1]) / 2, scale);
  }

  #room(size, focus) {
    this.#size = size;
    this.#focus = focus;
    this.#hasMoved = false;
    const { width, height } = this.screen.getBoundingClientRect();
    return [width, height];
  }

  #fitting() {
    const { width, height } = this.screen.getBoundingClientRect();
    const margin = 14;
    return Math.min((width - 2 * margin) / this.#size[0], (height - 2 * margin) / this.#size[1], LARGEST_FIT);
  }

  /** Whether all of the drawing is on screen. */
  get showsAll() {
    const [left, top, right, bottom] = this.window;
    return left <= 1 && top <= 1 && right >= this.#size[0] - 1 && bottom >= this.#size[1] - 1;
  }

  /** Move so that this point of the drawing is in the middle. */
  center(x, y) {
    const [middleX, middleY] = this.#middle();
    const { scale } = this.#at;
    this.#hasMoved = true;
    this.#look(middleX - scale * x, middleY - scale * y, scale);
  }

  zoom(factor, center = this.#middle()) {
    this.#hasMoved = true;
    const { x, y, scale } = this.#at;
    const next = Math.min(Math.max(scale * factor, 0.02), CLOSEST);
    const [px, py] = center;
    this.#look(px - ((px - x) * next) / scale, py - ((py - y) * next) / scale, next);
  }

  /** Move so that a box of the drawing is on screen, and large enough to read. */
  reveal([left, top, width, height], { readable = false } = {}) {
    const screen = this.screen.getBoundingClientRect();
    const [fromX, fromY, toX, toY] = this.window;
    const { scale } = this.#at;
    const isInside = left >= fromX && top >= fromY && left + width <= toX && top + height <= toY;
    const isReadable = !readable || scale >= 0.9;
    if (isInside && isReadable) return;
    const next = isReadable ? scale : READABLE;
    this.#hasMoved = true;
    this.#look(screen.width / 2 - next * (left + width / 2), screen.height / 2 - next * (top + height / 2), next);
  }

  /** Move so that these boxes are on screen, large enough to read. */
  frame(boxes) {
    const left = Math.min(...boxes.map((box) => box[0]));
    const top = Math.min(...boxes.map((box) => box[1]));
    const width = Math.max(...boxes.map((box) => box[0] + box[2])) - left;
    const height = Math.max(...boxes.map((box) => box[1] + box[3])) - top;
    const screen = this.screen.getBoundingClientRect();
    const scale = Math.max(Math.min(screen.width / (width + 60), screen.height / (height + 60), 1.2), READABLE);
    this.#hasMoved = true;
    this.#look(screen.width / 2 - scale * (left + width / 2), screen.height / 2 - scale * (top + height / 2), scale);
  }

  /** The part of the drawing that is on screen: left, top, right, bottom. */
  get window() {
    const { width, height } = this.screen.getBoundingClientRect();
    const { x, y, scale } = this.#at;
    return [-x / scale, -y / scale, (width - x) / scale, (height - y) / scale];
  }

  #resized() {
    if (this.#hasMoved) this.moved();
    else if (this.#opens) this.open();
    else this.fit();
  }

  #look(x, y, scale) {
    this.#at = { x, y, scale };
    this.content.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${scale.toFixed(4)})`);
    this.moved();
  }

  #middle() {
    const { width, height } = this.screen.getBoundingClientRect();
    return [width / 2, height / 2];
  }

  #point(event) {
    const { left, top } = this.screen.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }

  #wheel(event) {
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 20 : 1;
    this.zoom(Math.exp(-event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.0016)), this.#point(event));
  }

  #down(event) {
    if (event.button === 0) this.#pointers.set(event.pointerId, { from: this.#point(event), at: this.#point(event) });
  }

  #move(event) {
    const pointer = this.#pointers.get(event.pointerId);
    if (!pointer) return;
    const [x, y] = this.#point(event);
    const isClick = Math.hypot(x - pointer.from[0], y - pointer.from[1]) < SLOP;
    if (isClick && !this.screen.hasPointerCapture(event.pointerId)) return;
    this.screen.setPointerCapture(event.pointerId); // from here on it is not a click on what is below
    const before = this.#spread();
    const [dx, dy] = [x - pointer.at[0], y - pointer.at[1]];
    pointer.at = [x, y];
    this.#hasMoved = true;
    if (this.#pointers.size === 2) this.zoom(this.#spread() / before, [x, y]);
    else this.#look(this.#at.x + dx, this.#at.y + dy, this.#at.scale);
  }

  #up(event) {
    this.#pointers.delete(event.pointerId);
  }

  #spread() {
    const [one, other] = [...this.#pointers.values()].map((pointer) => pointer.at);
    return other ? Math.hypot(one[0] - other[0], one[1] - other[1]) || 1 : 1;
  }

  #key(event) {
    const act = { "+": () => this.zoom(1.25), "=": () => this.zoom(1.25), "-": () => this.zoom(0.8), 0: () => this.fit() }[
      event.key
    ];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  }
}

/** Where a drawing of this extent begins on a screen of this extent: in the middle, or so that the focus is. */
function placed(screen, extent, focus) {
  const margin = 14;
  if (extent + 2 * margin <= screen) return (screen - extent) / 2;
  return Math.min(Math.max(screen / 2 - focus, screen - extent - margin), margin);
}
