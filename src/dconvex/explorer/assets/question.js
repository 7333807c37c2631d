// The current question: targets and evidence. Variables and states are indices.

export class Question {
  /** The targets, by index. */
  asked = [];
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
  askOnly(place) {
    const isAlone = this.asked.length === 1 && this.asked[0] === place;
    this.asked = isAlone ? [] : [place];
    this.changed();
  }

  /** Add this variable to the targets, or remove it. */
  askAlso(place) {
    this.asked = this.asked.includes(place) ? this.asked.filter((other) => other !== place) : [...this.asked, place];
    this.changed();
  }

  /** Observe this state, or forget it. */
  see(place, state) {
    const seen = this.evidence.get(place);
    const isSeen = seen?.size === 1 && seen.has(state);
    this.#know(place, isSeen ? null : new Set([state]));
  }

  /** Add this state to those of which one was observed, or remove it. */
  seeAlso(place, state) {
    const states = new Set(this.evidence.get(place));
    if (!states.delete(state)) states.add(state);
    this.#know(place, states.size ? states : null);
  }

  /** Observe a continuous variable at this number; null forgets it. */
  measure(place, number) {
    this.#know(place, number);
  }

  /** Set soft evidence: the likelihood of the observation in each state. */
  weigh(place, likelihood) {
    this.evidence.delete(place);
    this.soft.set(place, likelihood);
    this.changed();
  }

  forget(place) {
    this.#know(place, null);
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

  knows(place) {
    return this.evidence.has(place) || this.soft.has(place);
  }

  get knowsAnything() {
    return this.evidence.size + this.soft.size > 0;
  }

  /** The question as the server reads it; `shown` are further variables whose marginals are shown. */
  request(shown = []) {
    const evidence = [...this.evidence].map(([place, seen]) => [place, seen instanceof Set ? [...seen] : seen]);
    return { asked: this.asked, evidence, soft: [...this.soft], shown };
  }

  #know(place, seen) {
    this.soft.delete(place);
    if (seen === null) this.evidence.delete(place);
    else this.evidence.set(place, seen);
    this.changed();
  }
}
