/** In characters. Longer texts in a response of the API, such as the data of a picture, are shortened. */
const maxTextLength = 400;

/** The script of the API reference page. Responses are inserted as text, pictures or audio, never as HTML. */
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

function readable(text, isWhole) {
  try {
    return JSON.stringify(JSON.parse(text), isWhole ? undefined : shortened, 2);
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
    else if ("list" in field.dataset) {
      for (const one of field.value.split("\\n").filter(Boolean)) query.append(field.name, one);
    } else query.append(field.name, field.value);
  }
  const key = form.querySelector("[data-key]")?.value;
  const body = form.querySelector("[data-body]")?.value;
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

const elements = { image: "img", audio: "audio" };

async function shown(response, url, isWhole) {
  const element = response.ok && elements[(response.headers.get("content-type") ?? "").split("/")[0]];
  if (element) {
    return Object.assign(document.createElement(element), { src: url, controls: true, alt: "The picture" });
  }
  const text = await response.text();
  if (text === "") return "";
  const body = document.createElement("pre");
  body.tabIndex = 0;
  body.setAttribute("role", "region");
  body.setAttribute("aria-label", "Response body");
  body.textContent = readable(text, isWhole);
  return body;
}

async function send(form) {
  const { confirm: question, whole } = form.dataset;
  if (question && !confirm(question)) return;
  const line = form.querySelector(".result p");
  line.textContent = "Sending...";
  while (line.nextSibling) line.nextSibling.remove();
  const started = performance.now();
  try {
    const { url, options } = requestOf(form);
    const response = await fetch(url, options);
    const content = await shown(response, url, whole !== undefined);
    const status = document.createElement("span");
    status.className = "status s" + String(response.status).slice(0, 1);
    status.textContent = response.status;
    line.replaceChildren(status, " " + Math.round(performance.now() - started) + " ms");
    line.after(content);
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
