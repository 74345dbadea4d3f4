/**
 * The longest text of a response that is shown in full, in characters. Longer ones, such as pictures, are shortened.
 */
const maxTextLength = 400;

/** The script of the reference. Responses are inserted only as text, never as HTML. */
export const referenceScript = `
"use strict";
const byId = (id) => document.getElementById(id);
const operations = [...document.querySelectorAll(".operation")];

function filter() {
  const words = byId("filter").value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const one of operations) {
    const text = one.querySelector("summary").textContent.toLowerCase() + " " + one.id.toLowerCase();
    one.hidden = !words.every((word) => text.includes(word));
  }
  for (const group of document.querySelectorAll(".group")) group.hidden = !group.querySelector(".operation:not([hidden])");
  byId("none").hidden = operations.some((one) => !one.hidden);
}

const shortened = (_key, value) =>
  typeof value === "string" && value.length > ${maxTextLength}
    ? value.slice(0, 60) + "... (" + value.length.toLocaleString("en") + " characters)"
    : value;

function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), shortened, 2);
  } catch {
    return text;
  }
}

function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const field of form.querySelectorAll("[data-in]")) {
    if (field.value === "") continue;
    if (field.dataset.in === "path") path = path.replace("{" + field.name + "}", encodeURIComponent(field.value));
    else query.append(field.name, field.value);
  }
  const key = form.elements.key?.value;
  const body = form.elements.body?.value;
  return {
    url: path + (query.size > 0 ? "?" + query : ""),
    options: {
      method: form.dataset.method,
      headers: {
        accept: "application/json",
        ...(key && { authorization: "Bearer " + key }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      cache: "no-store",
      ...(body !== undefined && { body }),
    },
  };
}

async function send(form) {
  const result = form.querySelector(".result");
  const line = document.createElement("p");
  line.textContent = "Sending...";
  result.replaceChildren(line);
  const started = performance.now();
  try {
    const { url, options } = requestOf(form);
    const response = await fetch(url, options);
    const text = await response.text();
    const status = document.createElement("span");
    status.className = "status s" + String(response.status).slice(0, 1);
    status.textContent = response.status;
    line.replaceChildren(status, " " + Math.round(performance.now() - started) + " ms");
    const body = document.createElement("pre");
    body.tabIndex = 0;
    body.setAttribute("role", "region");
    body.setAttribute("aria-label", "Response body");
    body.textContent = readable(text);
    if (text !== "") result.append(body);
  } catch (error) {
    line.textContent = "No response: " + error.message;
  }
}

function openTarget() {
  const target = byId(location.hash.slice(1));
  if (!target?.matches(".operation")) return;
  target.open = true;
  target.scrollIntoView();
}

byId("filter").addEventListener("input", filter);
document.addEventListener("submit", (event) => {
  event.preventDefault();
  send(event.target);
});
addEventListener("hashchange", openTarget);
openTarget();
`;
