// Asking: one request at a time, the last question wins, and the answer becomes a view, from which everything is drawn.

import * as api from "./api.js";

/** What to say after a delay, in milliseconds. */
const PATIENCE = [[300, "answering…"]];

export class Conversation {
  /** The marginals of the case to compare with, of variables whose marginals were requested, and which case it is. */
  #baseline = new Map();
  #baselineCase = null;
  #isAsking = false;
  #isStale = false;

  /** `shown()` returns the variables whose marginals are shown; `answered(view)` and `waiting(text)` are called. */
  constructor(question, { shown, answered, waiting }) {
    Object.assign(this, { question, shown, answered, waiting });
  }

  /** Whether the question has changed since the answer that is shown or being shown. */
  get isStale() {
    return this.#isStale;
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
    return api.text(this.question.wantsMostProbable ? "most-probable.csv" : "answer.csv", this.question.request());
  }

  /** The marginals of these variables now and in the case to compare with: two maps. */
  async both(indices) {
    const { marginals } = await api.ask("answer", this.question.request(indices));
    if (marginals.problem) throw new api.Problem(marginals.problem);
    await this.#learnBaseline(marginals.numbers.map(([index]) => index));
    return { marginals: new Map(marginals.numbers), baseline: this.#baseline };
  }

  async #ask() {
    try {
      const view = await this.#answer();
      if (!this.#isStale) await this.answered(view);
    } catch (problem) {
      if (!(problem instanceof api.Problem)) throw problem;
      if (!this.#isStale) await this.answered(await this.#failed(problem));
    }
  }

  async #answer() {
    const request = this.question.request(this.shown());
    const [answer, best] = await Promise.all([
      api.ask("answer", request),
      this.question.wantsMostProbable ? api.ask("most-probable", request) : null,
    ]);
    const compared = this.question.isCompared ? (answer.marginals.numbers ?? []).map(([index]) => index) : [];
    const problem = await this.#learnBaseline(compared).catch(({ message }) => `The pinned case has no answer: ${message}`);
    return this.#view(answer, best, problem ? [problem] : []);
  }

  /** A view without numbers that marks the evidence to blame; the script is there all the same. */
  async #failed(problem) {
    const { python } = await api.ask("script", this.question.request()).catch(() => ({ python: "" }));
    const nothing = { marginals: {}, question: null, evidence: {}, python };
    return { ...this.#view(nothing, null), message: problem.message, conflict: new Set(problem.conflict) };
  }

  async #learnBaseline(indices) {
    const wanted = JSON.stringify(this.question.baseline);
    if (wanted !== this.#baselineCase) {
      this.#baseline = new Map();
      this.#baselineCase = wanted;
    }
    const missing = indices.filter((index) => !this.#baseline.has(index));
    if (!missing.length) return;
    const { marginals } = await api.ask("answer", { ...this.question.baseline, shown: missing });
    for (const [index, numbers] of marginals.numbers ?? []) this.#baseline.set(index, numbers);
  }

  #view({ marginals, question: answer, evidence, python }, best, problems = []) {
    const plan = answer?.plan ?? null;
    return {
      question: this.question,
      marginals: new Map(marginals.numbers),
      marginalsSeconds: marginals.seconds,
      /** What to compare with; empty if there is nothing to compare. */
      baseline: this.question.isCompared ? this.#baseline : new Map(),
      plan,
      lit: plan && new Set([...plan.variables, ...this.question.targets]),
      joint: answer?.joint ?? null,
      /** Parts of the answer that are too large; the others are there. */
      refusals: [...problems, ...[marginals, answer, answer?.joint, best].flatMap((part) => part?.problem ?? [])],
      best: best?.states && new Map(best.states),
      bestLog: best?.logProbability,
      bestSeconds: best?.seconds,
      conflict: new Set(),
      logEvidence: evidence.log,
      python: best?.python ?? python,
    };
  }
}
