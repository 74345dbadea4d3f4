import { createHash } from "node:crypto";
import { script } from "./script.ts";
import { style } from "./style.ts";

/** A picture of a gallery. All of its text is untrusted. */
export interface GalleryPicture {
  /** The file name. */
  readonly name: string;
  /** A link to the file, or a `data:` URL with its bytes. */
  readonly url: string;
  /** Empty if it is not known. */
  readonly prompt: string;
  /** The settings that are shown below the picture. */
  readonly summary: readonly string[];
  readonly settings: readonly (readonly [label: string, value: string])[];
  /** The command line that makes the picture again. */
  readonly command: string | undefined;
  /** What the command line cannot repeat. */
  readonly notes: readonly string[];
}

const generator = '<meta name="generator" content="gpuctl image gallery">';

/** Whether a file begins like a page that `galleryPage` wrote. */
export const isGalleryPage = (head: Buffer): boolean => head.toString("utf8").includes(generator);

/**
 * Yields a page of pictures, in chunks. The page loads its pictures and nothing else: its content security policy
 * allows only its own script and style, and no other host. Text from a picture cannot become a script or a style.
 */
export async function* galleryPage(
  pictures: AsyncIterable<GalleryPicture>,
  { title, embeds }: { readonly title: string; readonly embeds: boolean },
): AsyncGenerator<string> {
  const policy = `default-src 'none'; img-src ${embeds ? "data:" : "'self' file:"}; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`;
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${generator}
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escaped(title)}</h1>
<p id="count" role="status"></p>
<search><input id="filter" type="search" placeholder="Filter by prompt, model, seed or file" aria-label="Filter pictures" autocomplete="off" spellcheck="false"></search>
</header>
<main>
<ul id="pictures" role="list">
`;
  for await (const picture of pictures) yield item(picture);
  yield `</ul>
<p id="none" hidden>No picture matches.</p>
</main>
${dialog}
<script>${script}</script>
</body>
</html>
`;
}

/** The settings are in an attribute. Only a quote could end the attribute, and quotes are escaped. */
function item({ name, url, prompt, summary, settings, command, notes }: GalleryPicture): string {
  const title = prompt || name;
  const details = JSON.stringify({ name, prompt, settings, command, notes });
  return `<li data-picture="${escaped(details)}"><button type="button" aria-haspopup="dialog"><img src="${escaped(url)}" alt="" loading="lazy" decoding="async"><span class="title">${escaped(title.slice(0, maxTitle))}</span><span class="summary">${escaped(summary.join(" · ") || "No settings")}</span></button></li>
`;
}

/** In characters. Enough for the two lines below a picture. */
const maxTitle = 160;

const dialog = `<dialog id="dialog" aria-labelledby="title">
<div class="stage"><a id="full" target="_blank" rel="noopener"><img id="large" alt=""></a></div>
<div class="panel">
<div class="bar">
<p id="position"></p>
<button type="button" id="previous" aria-label="Previous picture" title="Previous (left arrow)"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M12 4 6 10l6 6"/></svg></button>
<button type="button" id="next" aria-label="Next picture" title="Next (right arrow)"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="m8 4 6 6-6 6"/></svg></button>
<button type="button" id="close" aria-label="Close" title="Close (Esc)"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="m5 5 10 10M15 5 5 15"/></svg></button>
</div>
<h2 id="title" tabindex="-1"></h2>
<p id="file"></p>
<dl id="settings"></dl>
<section id="again" aria-labelledby="again-title">
<h3 id="again-title">Make it again</h3>
<pre id="command" tabindex="0" role="region" aria-labelledby="again-title"></pre>
<ul id="notes"></ul>
<button type="button" id="copy">Copy command</button><span id="copied" role="status"></span>
</section>
</div>
</dialog>`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "\0": "\ufffd",
};

const escaped = (text: string): string =>
  text.replace(/[&<>"'\0]/g, (character) => entities[character] ?? character);
