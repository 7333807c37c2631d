// Numbers and evidence as text.

/** A short probability: 12.3 %. */
export function percent(probability) {
  if (probability === 0 || probability === 1) return `${100 * probability} %`;
  if (probability < 0.0005) return "<0.1 %";
  if (probability > 0.9995) return ">99.9 %";
  return `${(100 * probability).toFixed(1)} %`;
}

/** A probability in full: 0.123457, or 1.23e-7 if that would be zero. */
export function probability(number) {
  return number > 0 && number < 1e-4 ? number.toExponential(3) : number.toFixed(6);
}

/** A measured or estimated number, to four digits. */
export function quantity(number) {
  const size = Math.abs(number);
  return size !== 0 && (size >= 1e6 || size < 1e-4) ? number.toExponential(3) : String(Number(number.toPrecision(4)));
}

export const count = (number) => number.toLocaleString("en");

export const counted = (number, thing) => `${count(number)} ${thing}${number === 1 ? "" : "s"}`;

export function duration(seconds) {
  return seconds < 1 ? `${Number((1000 * seconds).toPrecision(2))} ms` : `${seconds.toFixed(1)} s`;
}

/** The evidence on a variable, without its name: "= LOW", "∈ {LOW, NORMAL}", "≈ 1.5" or "~ LOW 0.7, NORMAL 0.2". */
export function known(variable, evidence, likelihood) {
  if (likelihood !== undefined) {
    return `~ ${likelihood.map((number, state) => `${variable.states[state]} ${quantity(number)}`).join(", ")}`;
  }
  if (typeof evidence === "number") return `= ${evidence}`;
  if (!variable.states.length) return `= ${[...evidence][0]}`;
  const states = [...evidence].map((state) => variable.states[state]);
  return states.length === 1 ? `= ${states[0]}` : `∈ {${states.join(", ")}}`;
}

/** A number that someone typed; NaN if it is none, or out of range. */
export function typed(text) {
  const number = text.trim() === "" ? NaN : Number(text.replace(",", "."));
  return Number.isFinite(number) ? number : NaN;
}
