// The current question: targets and evidence. Variables and states are indices.

export class Question {
  /** The targets, by index. */
  targets = [];
  /** By variable the set of states of which one was observed, or the number that was observed. */
  evidence = new Map();
  /** Soft evidence: by variable a likelihood for each state. */
  soft = new Map();
  /** Whether to ask for the most probable states too. */
  wantsMostProbable = false;

  /** `changed` is called after every change. */
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
  measure(index, number) {
    this.#know(index, number);
  }

  /** Set soft evidence: the likelihood of the observation in each state. */
  weigh(index, likelihood) {
    this.evidence.delete(index);
    this.soft.set(index, likelihood);
    this.changed();
  }

  forget(index) {
    this.#know(index, null);
  }

  forgetAll() {
    this.evidence.clear();
    this.soft.clear();
    this.changed();
  }

  askMostProbable(wanted) {
    this.wantsMostProbable = wanted;
    this.changed();
  }

  knows(index) {
    return this.evidence.has(index) || this.soft.has(index);
  }

  get knowsAnything() {
    return this.evidence.size + this.soft.size > 0;
  }

  /** The question as the server reads it; `shown` are further variables whose marginals are shown. */
  request(shown = []) {
    const evidence = [...this.evidence].map(([index, observed]) => [index, observed instanceof Set ? [...observed] : observed]);
    return { asked: this.targets, evidence, soft: [...this.soft], shown };
  }

  #know(index, observed) {
    this.soft.delete(index);
    if (observed === null) this.evidence.delete(index);
    else this.evidence.set(index, observed);
    this.changed();
  }
}
