// The current question: targets, what is known, what is set, changed tables, and a pinned case. Variables and states are indices.

const EMPTY = { evidence: [], soft: [], do: [], tables: [] };

export class Question {
  /** The targets, by index. */
  targets = [];
  /** By variable the set of states of which one was observed, or the number that was observed. */
  evidence = new Map();
  /** Soft evidence: by variable a likelihood for each state. */
  soft = new Map();
  /** Interventions: by variable the state or number it is set to. */
  settings = new Map();
  /** What if: by variable a map from the number of a row to its new numbers. */
  tables = new Map();
  /** Whether to ask for the most probable states too. */
  wantsMostProbable = false;
  /** The case to compare with, as `case` gives it; null compares with what holds before any evidence. */
  pinned = null;

  /** `changed(isPassing)` is called after every change; passing ones come from a slider that still moves. */
  constructor(changed) {
    this.changed = changed;
  }

  /** Make this variable the only target, or remove it if it is already. */
  askOnly(index) {
    const isAlone = this.targets.length === 1 && this.targets[0] === index;
    this.targets = isAlone ? [] : [index];
    this.changed();
  }

  /** Add this variable to the targets, or remove it. */
  askAlso(index) {
    this.targets = this.targets.includes(index) ? this.targets.filter((other) => other !== index) : [...this.targets, index];
    this.changed();
  }

  /** Observe this state, or forget it. */
  see(index, state) {
    const observed = this.evidence.get(index);
    const isObserved = observed?.size === 1 && observed.has(state);
    this.#know(index, isObserved ? null : new Set([state]));
  }

  /** Add this state to those of which one was observed, or remove it. */
  seeAlso(index, state) {
    const states = new Set(this.evidence.get(index));
    if (!states.delete(state)) states.add(state);
    this.#know(index, states.size ? states : null);
  }

  /** Observe a continuous variable at this number; null forgets it. */
  measure(index, number, isPassing = false) {
    this.#know(index, number, isPassing);
  }

  /** Set soft evidence: the likelihood of the observation in each state. */
  weigh(index, likelihood, isPassing = false) {
    this.#drop(index);
    this.soft.set(index, likelihood);
    this.changed(isPassing);
  }

  /** Set a variable to a state or a number, whatever causes it; the same again takes it back. */
  set(index, value) {
    const isSet = this.settings.get(index) === value;
    this.#drop(index);
    if (!isSet) this.settings.set(index, value);
    this.changed();
  }

  forget(index) {
    this.#drop(index);
    this.changed();
  }

  forgetAll() {
    for (const known of [this.evidence, this.soft, this.settings]) known.clear();
    this.changed();
  }

  /** Replace what is known, by pairs as in `case`. */
  know(evidence) {
    this.evidence = new Map(evidence.map(([index, value]) => [index, Array.isArray(value) ? new Set(value) : value]));
    this.soft.clear();
    this.settings.clear();
    this.changed();
  }

  /** Change a row of a variable's table. */
  rewrite(index, row, numbers) {
    const rows = new Map(this.tables.get(index)).set(row, numbers);
    this.tables = new Map(this.tables).set(index, rows);
    this.changed();
  }

  /** Give a variable its own table again; without an index, all variables. */
  restoreTable(index = null) {
    if (index === null) this.tables.clear();
    else this.tables.delete(index);
    this.changed();
  }

  /** Compare with the case as it is now; or with what holds before any evidence. */
  pin(isWanted = true) {
    this.pinned = isWanted ? this.case : null;
    this.changed();
  }

  askMostProbable(wanted) {
    this.wantsMostProbable = wanted;
    this.changed();
  }

  knows(index) {
    return this.evidence.has(index) || this.soft.has(index) || this.settings.has(index);
  }

  /** The variables of which something is known or set. */
  get known() {
    return [...this.evidence.keys(), ...this.soft.keys(), ...this.settings.keys()];
  }

  get knowsAnything() {
    return this.known.length > 0;
  }

  /** Everything but the targets, as plain lists. */
  get case() {
    const listed = (observed) => (observed instanceof Set ? [...observed] : observed);
    return {
      evidence: [...this.evidence].map(([index, observed]) => [index, listed(observed)]),
      soft: [...this.soft],
      do: [...this.settings],
      tables: [...this.tables].map(([index, rows]) => [index, [...rows]]),
    };
  }

  /** The case to compare with. */
  get baseline() {
    return this.pinned ?? EMPTY;
  }

  /** Whether the answers can differ from those of the baseline. */
  get isCompared() {
    return JSON.stringify(this.case) !== JSON.stringify(this.baseline);
  }

  /** The question as the server reads it; `shown` are further variables whose marginals are shown. */
  request(shown = []) {
    return { asked: this.targets, ...this.case, shown };
  }

  /** The whole question as plain data, and back. */
  get plain() {
    return { targets: this.targets, ...this.case, best: this.wantsMostProbable, pinned: this.pinned };
  }

  restore({ targets, evidence, soft, do: settings, tables, best, pinned }) {
    this.targets = [...new Set(targets)];
    this.evidence = new Map(evidence.map(([index, value]) => [index, Array.isArray(value) ? new Set(value) : value]));
    this.soft = new Map(soft);
    this.settings = new Map(settings);
    for (const index of this.settings.keys()) this.soft.delete(index); // one thing is known of a variable at a time
    for (const index of [...this.settings.keys(), ...this.soft.keys()]) this.evidence.delete(index);
    this.tables = new Map(tables.map(([index, rows]) => [index, new Map(rows)]));
    this.wantsMostProbable = best;
    this.pinned = pinned;
  }

  #drop(index) {
    for (const known of [this.evidence, this.soft, this.settings]) known.delete(index);
  }

  #know(index, observed, isPassing = false) {
    this.#drop(index);
    if (observed !== null) this.evidence.set(index, observed);
    this.changed(isPassing);
  }
}
