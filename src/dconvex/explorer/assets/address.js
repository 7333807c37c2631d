// The question in the address of the page: ask=HR&see=BP:LOW&do=smoke:no, with names as they are spelled.

const PARTS = { evidence: "see", soft: "soft", do: "do", tables: "table" };

/** The question, as `Question.plain` has it, as the text after the # of an address. */
export function written(plain, variables) {
  const name = speller(variables.map((variable) => variable.name));
  const value = (index, number) => {
    const { states } = variables[index];
    return states.length ? speller(states)(number) : String(number);
  };
  const parts = plain.targets?.map((index) => `ask=${name(index)}`) ?? [];
  for (const [index, known] of plain.evidence)
    parts.push(`see=${name(index)}:${[known].flat().map((each) => value(index, each)).join(",")}`);
  for (const [index, weights] of plain.soft) parts.push(`soft=${name(index)}:${weights.join(",")}`);
  for (const [index, set] of plain.do) parts.push(`do=${name(index)}:${value(index, set)}`);
  for (const [index, rows] of plain.tables)
    for (const [row, numbers] of rows) parts.push(`table=${name(index)}:${row}:${numbers.join(",")}`);
  if (plain.best) parts.push("best=1");
  if (plain.pinned) parts.push(`with=${encodeURIComponent(written(plain.pinned, variables) || "nothing")}`);
  return parts.join("&");
}

/** The question in the text; what the network does not have is left out. */
export function read(text, variables) {
  const plain = { targets: [], evidence: [], soft: [], do: [], tables: [], best: false, pinned: null };
  for (const part of text.split("&")) {
    const [kind, rest = ""] = split(part, "=");
    if (kind === "best") plain.best = true;
    else if (kind === "with") plain.pinned = withoutTargets(read(decoded(rest), variables));
    else if (kind === "ask") plain.targets.push(...known(find(rest, names(variables))));
    else readKnown(plain, kind, rest, variables);
  }
  return plain;
}

function readKnown(plain, kind, text, variables) {
  const [spelled, rest = ""] = split(text, ":");
  const index = find(spelled, names(variables));
  if (index < 0 || !Object.values(PARTS).includes(kind)) return;
  const { states } = variables[index];
  const number = (word) => (states.length ? find(word, states) : numeric(word));
  if (kind === "table") return readRow(plain, index, rest);
  const numbers = rest.split(",").map(kind === "soft" ? numeric : number);
  if (numbers.some((each) => !Number.isFinite(each) || (each < 0 && (states.length || kind === "soft")))) return;
  if (kind === "soft" && states.length && numbers.length === states.length) plain.soft.push([index, numbers]);
  if (kind === "see") plain.evidence.push([index, states.length ? numbers : numbers[0]]);
  if (kind === "do") plain.do.push([index, numbers[0]]);
}

function readRow(plain, index, text) {
  const [row, rest = ""] = split(text, ":");
  const numbers = rest.split(",").map(numeric);
  if (!/^\d+$/.test(row) || numbers.some((each) => !Number.isFinite(each))) return;
  let own = plain.tables.find(([other]) => other === index);
  if (!own) plain.tables.push((own = [index, []]));
  own[1].push([Number(row), numbers]);
}

/** Names are spelled as they are, and by number where two are spelled alike. */
function speller(names) {
  return (index) => {
    const isUnique = names.indexOf(names[index]) === names.lastIndexOf(names[index]);
    return isUnique ? encodeURIComponent(names[index]) : `@${index}`;
  };
}

function find(word, names) {
  if (/^@\d+$/.test(word)) return Number(word.slice(1)) < names.length ? Number(word.slice(1)) : -1;
  return names.indexOf(decoded(word));
}

const names = (variables) => variables.map((variable) => variable.name);
const known = (index) => (index < 0 ? [] : [index]);
const numeric = (word) => (word.trim() === "" ? NaN : Number(word));
const withoutTargets = ({ evidence, soft, do: settings, tables }) => ({ evidence, soft, do: settings, tables });

function split(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(word) {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
