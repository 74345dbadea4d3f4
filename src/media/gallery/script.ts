/** The script of a gallery. It inserts text from pictures only as text, never as HTML. */
export const script = `
"use strict";
const byId = (id) => document.getElementById(id);
const dialog = byId("dialog");
const items = [...document.querySelectorAll("#pictures > li")];
const detailsOf = (item) => JSON.parse(item.dataset.picture);
let shown = items;
let current;

const searched = new Map();
const textOf = (item) => {
  if (!searched.has(item)) {
    const { name, prompt, settings } = detailsOf(item);
    searched.set(item, [name, prompt, ...settings.flat()].join("\\n").toLowerCase());
  }
  return searched.get(item);
};

function filter() {
  const words = byId("filter").value.toLowerCase().split(/\\s+/).filter(Boolean);
  shown = items.filter((item) => words.every((word) => textOf(item).includes(word)));
  const visible = new Set(shown);
  for (const item of items) item.hidden = !visible.has(item);
  byId("none").hidden = shown.length > 0;
  const all = items.length + (items.length === 1 ? " picture" : " pictures");
  byId("count").textContent = words.length === 0 ? all : shown.length + " of " + all;
}

function show(item) {
  current = item;
  const { name, prompt, settings, command, notes } = detailsOf(item);
  const source = item.querySelector("img").getAttribute("src");
  byId("large").src = source;
  byId("large").alt = prompt || name;
  // Browsers do not open data: URLs from a link.
  if (source.startsWith("data:")) byId("full").removeAttribute("href");
  else {
    byId("full").href = source;
    byId("full").title = "Open " + name;
  }
  byId("title").textContent = prompt || name;
  byId("file").textContent = prompt ? name : settings.length === 0 ? "This picture contains no settings." : "";
  byId("position").textContent = shown.indexOf(item) + 1 + " of " + shown.length;
  byId("settings").hidden = settings.length === 0;
  byId("settings").replaceChildren(...settings.map(([label, value]) => {
    const row = document.createElement("div");
    row.append(element("dt", label), element("dd", value));
    return row;
  }));
  byId("again").hidden = command === undefined;
  // A flag stays together with its value where the line is wrapped.
  byId("command").replaceChildren(...(command ?? "").split(/(?= --)/).map((part) => element("span", part)));
  byId("notes").replaceChildren(...notes.map((note) => element("li", note)));
  byId("copied").textContent = "";
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  dialog.querySelector(".panel").scrollTop = 0;
  byId("title").focus();
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function step(by) {
  const next = shown[(shown.indexOf(current) + by + shown.length) % shown.length];
  if (next) show(next);
}

async function copy() {
  const text = byId("command").textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    getSelection().selectAllChildren(byId("command"));
    if (!document.execCommand("copy")) {
      byId("copied").textContent = "Not copied: copy the selected text with the keyboard";
      return;
    }
  }
  byId("copied").textContent = "Copied";
}

byId("filter").addEventListener("input", filter);
byId("pictures").addEventListener("click", (event) => {
  const item = event.target.closest("li");
  if (item && event.target.closest("button")) show(item);
});
byId("previous").addEventListener("click", () => step(-1));
byId("next").addEventListener("click", () => step(1));
byId("close").addEventListener("click", () => dialog.close());
byId("copy").addEventListener("click", copy);
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});
dialog.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("pre")) return;
  if (event.key === "ArrowLeft") step(-1);
  if (event.key === "ArrowRight") step(1);
});
dialog.addEventListener("close", () => {
  current?.querySelector("button").focus();
  byId("large").removeAttribute("src");
});
filter();
`;
