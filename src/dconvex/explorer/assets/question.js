// The question as it stands: what is asked for, and what is known. Variables and states are places.

export class Question {
  /** Places of the variables that are asked for, together. */
  asked = [];
  /** By variable the set of states of which one was seen, or the number that was seen. */
  evidence = new Map();
  /** By variable a likelihood for each state. */
  soft = new Map();
  /** Whether the most probable states are asked for too. */
  wantsMostProbable = false;

  /** `changed` is called after every change. */
  constructor(changed) {
    this.changed = changed;
  }

  /** Ask for this variable alone, or no longer if it is alone already. */
  askOnly(place) {
    const isAlone = this.asked.length === 1 && this.asked[0] === place;
    this.asked = isAlone ? [] : [place];
    this.changed();
  }

  /** Ask for this variable together with the others, or no longer. */
  askAlso(place) {
    this.asked = this.asked.includes(place) ? this.asked.filter((other) => other !== place) : [...this.asked, place];
    this.changed();
  }

  /** It was seen in this state, or no longer. */
  see(place, state) {
    const seen = this.evidence.get(place);
    const isSeen = seen?.size === 1 && seen.has(state);
    this.#know(place, isSeen ? null : new Set([state]));
  }

  /** It was seen in one of several states, of which this is one, or no longer. */
  seeAlso(place, state) {
    const states = new Set(this.evidence.get(place));
    if (!states.delete(state)) states.add(state);
    this.#know(place, states.size ? states : null);
  }

  /** A continuous variable was seen at this number; null forgets it. */
  measure(place, number) {
    this.#know(place, number);
  }

  /** The observation is so likely in each state. */
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

  /** As the server reads it; `shown` are further variables whose marginals are wanted. */
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
