// Asking: one request at a time, the last question wins, and the answer becomes a view, from which everything is drawn.

import * as api from "./api.js";

/** What to say after a delay, in milliseconds. */
const PATIENCE = [[300, "answering…"]];

export class Conversation {
  /** The marginals before any evidence, of variables whose marginals were requested. */
  #priors = new Map();
  #isAsking = false;
  #isStale = false;

  /** `shown()` returns the variables whose marginals are shown; `answered(view)` and `waiting(text)` are called. */
  constructor(question, { shown, answered, waiting }) {
    Object.assign(this, { question, shown, answered, waiting });
  }

  /** Ask again; while an answer is pending, only once more after it. */
  async refresh() {
    this.#isStale = true;
    if (this.#isAsking) return;
    this.#isAsking = true;
    const timers = PATIENCE.map(([wait, said]) => setTimeout(() => this.waiting(said), wait));
    try {
      while (this.#isStale) {
        this.#isStale = false;
        await this.#ask();
      }
    } finally {
      timers.forEach(clearTimeout);
      this.waiting("");
      this.#isAsking = false;
    }
  }

  /** The answer as CSV. */
  table() {
    return api.table(this.question.wantsMostProbable ? "most-probable" : "answer", this.question.request());
  }

  async #ask() {
    try {
      const view = await this.#answer();
      if (!this.#isStale) await this.answered(view);
    } catch (problem) {
      if (!(problem instanceof api.Problem)) throw problem;
      if (!this.#isStale) await this.answered(this.#failed(problem));
    }
  }

  async #answer() {
    const request = this.question.request(this.shown());
    const [answer, best] = await Promise.all([
      api.ask("answer", request),
      this.question.wantsMostProbable ? api.ask("most-probable", request) : null,
    ]);
    await this.#learnPriors(answer);
    return this.#view(answer, best);
  }

  /** A view without numbers that marks the evidence to blame. */
  #failed(problem) {
    const nothing = { marginals: {}, question: null, evidence: {}, python: "" };
    return { ...this.#view(nothing, null), message: problem.message, conflict: new Set(problem.conflict) };
  }

  async #learnPriors({ marginals }) {
    const numbers = marginals.numbers ?? [];
    const missing = numbers.map(([index]) => index).filter((index) => !this.#priors.has(index));
    if (!missing.length) return;
    const before = this.question.knowsAnything ? (await api.ask("answer", { shown: missing })).marginals.numbers : numbers;
    for (const [index, prior] of before ?? []) this.#priors.set(index, prior);
  }

  #view({ marginals, question: answer, evidence, python }, best) {
    const plan = answer?.plan ?? null;
    return {
      question: this.question,
      marginals: new Map(marginals.numbers),
      marginalsSeconds: marginals.seconds,
      priors: this.#priors,
      plan,
      lit: plan && new Set([...plan.variables, ...this.question.targets]),
      joint: answer?.joint ?? null,
      /** Parts of the answer that are too large; the others are there. */
      refusals: [marginals, answer, answer?.joint, best].flatMap((part) => part?.problem ?? []),
      best: best?.states && new Map(best.states),
      bestLog: best?.logProbability,
      bestSeconds: best?.seconds,
      conflict: new Set(),
      logEvidence: evidence.log,
      python: best?.python ?? python,
    };
  }
}
