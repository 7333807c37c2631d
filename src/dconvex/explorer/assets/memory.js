// What the browser remembers of this page, on this machine alone.

const PREFIX = "dconvex.";

export function remembered(name, otherwise = null) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name)) ?? otherwise;
  } catch {
    return otherwise; // nothing may be stored here, or not by us
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // the page works without
  }
}
