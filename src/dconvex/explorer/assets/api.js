// The requests of the page to the server. A refusal becomes a Problem, with a message for people.

export class Problem extends Error {
  /** `conflict` has the indices of the variables whose evidence is to blame. */
  constructor(message, conflict = []) {
    super(message);
    this.conflict = conflict;
  }
}

export const overview = async () => (await call("overview")).json();

/** The answer to a question: `name` is layout, answer or most-probable. */
export const ask = async (name, question) => (await call(name, question)).json();

/** The answer as CSV: `name` is answer or most-probable. */
export const table = async (name, question) => (await call(`${name}.csv`, question)).text();

async function call(name, question) {
  const sent = question && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) };
  let reply;
  try {
    reply = await fetch(`api/${name}`, sent);
  } catch {
    throw new Problem("No answer: the explorer has ended. Start it again with dconvex explore.");
  }
  if (!reply.ok) {
    const { problem = reply.statusText, conflict } = await reply.json().catch(() => ({}));
    throw new Problem(problem, conflict);
  }
  return reply;
}
