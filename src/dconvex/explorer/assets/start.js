// The start page: networks that are built in, those that were opened before, and files that are dropped here.

import * as api from "./api.js";
import { acceptFiles, isTable } from "./drop.js";
import { html } from "./elements.js";
import { counted } from "./format.js";
import { keepRow, opened } from "./recent.js";
import { offerSchemes } from "./scheme.js";

const find = (selector) => document.querySelector(selector);

function tile(page, title, ...facts) {
  const said = facts.length ? [html("span", { className: "faint" }, facts.join(" · "))] : [];
  return html("li", {}, html("a", { href: page }, html("strong", {}, title), ...said));
}

function complain(text) {
  find("#problem").textContent = text;
  find("#problem").hidden = !text;
}

async function take(file) {
  complain("");
  try {
    if (isTable(file)) {
      keepRow((await file.text()).slice(0, 1e6));
      complain(`${file.name} is kept: open its network now, and its first row becomes the evidence.`);
      return;
    }
    document.body.classList.add("waiting");
    location.href = await api.upload(file);
  } catch (problem) {
    complain(problem.message);
  } finally {
    document.body.classList.remove("waiting");
  }
}

function show({ networks, suffixes, main, takesFiles }) {
  const own = main === null ? [] : [tile("./", main, "what dconvex explore was called with")];
  const before = opened().map(({ title, page }) => tile(page, title));
  find("#recent ul").replaceChildren(...own, ...before);
  find("#recent").hidden = own.length + before.length === 0;
  find("#networks ul").replaceChildren(
    ...networks.map(({ name, kind, variables, edges }) =>
      tile(`network/${encodeURIComponent(name)}/`, name, kind, counted(variables, "variable"), counted(edges, "edge")),
    ),
  );
  find("#takes").textContent = `Drop a network (${suffixes.join(", ")}) anywhere on this page, or a row of a CSV file as evidence.`;
  find("#drop").hidden = !takesFiles;
  if (takesFiles) acceptFiles(take, "Drop a network, or a row of a CSV file");
}

function filter() {
  const wanted = find("#filter").value.trim().toLowerCase();
  for (const item of document.querySelectorAll("#networks li"))
    item.hidden = !item.textContent.toLowerCase().includes(wanted);
}

offerSchemes(find("#scheme"));
find("#filter").oninput = filter;
find("#file").onchange = () => find("#file").files[0] && take(find("#file").files[0]);
try {
  show(await api.networks());
} catch (problem) {
  complain(problem.message);
}
