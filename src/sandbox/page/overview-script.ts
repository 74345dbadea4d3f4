import { servedControls } from "../../core/sandbox.ts";

/** Milliseconds from one update of the overview to the next. */
const updateMs = 1000;

/** The script of the overview. It inserts HTML that the sandbox rendered. It inserts values from JSON only as text. */
export const overviewScript = `
"use strict";
const byId = (id) => document.getElementById(id);
const sent = new WeakMap();
let paused = false;
let timer;
let updating;

function remember(root) {
  for (const live of root.querySelectorAll("[data-live]")) {
    sent.set(live, live.innerHTML);
    for (const child of live.children) if (child.id) sent.set(child, child.outerHTML);
  }
}

function updateList(list, next) {
  const before = new Map([...list.children].map((child) => [child.id, child]));
  const children = [...next.children].map((child) => {
    const known = before.get(child.id);
    return known && sent.get(known) === sent.get(child) ? known : child;
  });
  const kept = new Set(children);
  for (const child of [...list.children]) if (!kept.has(child)) child.remove();
  children.forEach((child, at) => {
    if (list.children[at] !== child) list.insertBefore(child, list.children[at] ?? null);
  });
}

function show(html) {
  const next = new DOMParser().parseFromString(html, "text/html");
  remember(next);
  const focused = document.activeElement;
  const section = focused?.closest("section");
  for (const live of next.querySelectorAll("[data-live]")) {
    const current = byId(live.id);
    const text = sent.get(live);
    if (!current || sent.get(current) === text) continue;
    if (current.matches("ol, ul")) updateList(current, live);
    else current.replaceChildren(...live.childNodes);
    sent.set(current, text);
  }
  if (focused && focused !== document.body && !focused.isConnected) {
    const again = (focused.id && byId(focused.id)) || section?.querySelector("h2");
    again?.focus({ preventScroll: true });
  }
}

function connection(text) {
  if (byId("connection").textContent !== text) byId("connection").textContent = text;
  byId("connection").classList.toggle("off", text !== "Live");
}

async function update() {
  clearTimeout(timer);
  try {
    const response = await fetch(location.pathname, { headers: { accept: "text/html" }, cache: "no-store" });
    if (!response.ok) throw new Error(String(response.status));
    show(await response.text());
    connection(paused ? "Paused" : "Live");
  } catch {
    connection("Not reachable");
  }
  clearTimeout(timer);
  if (!paused && !document.hidden) timer = setTimeout(refresh, ${updateMs});
}

function refresh() {
  updating = (updating ?? Promise.resolve()).then(update);
  return updating;
}

async function send(method, path, body) {
  const response = await fetch("${servedControls.path}" + path, { method, ...(body && { body: JSON.stringify(body) }) });
  const result = await response.json();
  if (response.ok) return;
  const issues = (result.issues ?? []).map(({ path, message }) => [path.join("."), message].filter(Boolean).join(" "));
  throw new Error(issues.join("; ") || result.message);
}

let hiding;
function message(text, failed = false) {
  clearTimeout(hiding);
  byId("message").textContent = text;
  byId("message").classList.toggle("failed", failed);
  hiding = setTimeout(() => (byId("message").textContent = ""), 6000);
}

async function act(button) {
  const { method, path, body, done } = button.dataset;
  try {
    await send(method, path, body && JSON.parse(body));
    if (done) message(done);
  } catch (error) {
    message(error.message, true);
  }
  await refresh();
}

function bodyOf(form) {
  const body = {};
  for (const field of form.elements) {
    if (field.type === "checkbox" ? !field.checked : field.value === "") continue;
    if (field.name) body[field.name] = field.type === "checkbox" || ("number" in field.dataset ? Number(field.value) : field.value);
  }
  const { unit, amount, ...rest } = body;
  return unit ? { [unit]: amount } : rest;
}

async function submit(form) {
  const failure = form.querySelector(".error");
  failure.textContent = "";
  try {
    await send("POST", form.dataset.path, bodyOf(form));
    message(form.dataset.done);
  } catch (error) {
    failure.textContent = error.message;
  }
  await refresh();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-method]");
  if (button) act(button);
});
document.addEventListener("submit", (event) => {
  event.preventDefault();
  submit(event.target);
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && !paused) refresh();
});
byId("pause").addEventListener("click", () => {
  paused = !paused;
  byId("pause").setAttribute("aria-pressed", String(paused));
  connection(paused ? "Paused" : "Live");
  clearTimeout(timer);
  if (!paused) refresh();
});
remember(document);
timer = setTimeout(refresh, ${updateMs});
`;
