// The requests of the page to the server. A refusal becomes a Problem, with a message for people.

export class Problem extends Error {
  /** `conflict` has the indices of the variables whose evidence is to blame. */
  constructor(message, conflict = []) {
    super(message);
    this.conflict = conflict;
  }
}

export const overview = async () => (await call("overview")).json();

/** What the start page offers. */
export const networks = async () => (await call("networks")).json();

/** The answer to a question: `name` is layout, answer, most-probable, family, … */
export const ask = async (name, question) => (await call(name, question)).json();

/** A file to download: `name` is answer.csv, most-probable.csv or network.txt. */
export const text = async (name, question) => (await call(name, question)).text();

/** Open a dropped file; the address of its page. */
export async function upload(file) {
  const headers = { "Content-Type": "application/octet-stream", "X-File-Name": encodeURIComponent(file.name) };
  return (await (await send("upload", { method: "POST", headers, body: file })).json()).page;
}

function call(name, question) {
  const headers = { "Content-Type": "application/json" };
  return send(name, question && { method: "POST", headers, body: JSON.stringify(question) });
}

async function send(name, options) {
  let reply;
  try {
    reply = await fetch(`api/${name}`, options);
  } catch {
    throw new Problem("No answer: the explorer has ended. Start it again with dconvex explore.");
  }
  if (!reply.ok) {
    const { problem = reply.statusText, conflict } = await reply.json().catch(() => ({}));
    throw new Problem(problem, conflict);
  }
  return reply;
}
