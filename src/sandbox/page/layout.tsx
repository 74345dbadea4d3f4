import { raw } from "hono/html";
import type { Child, PropsWithChildren } from "hono/jsx";
import { servedControls } from "../../core/sandbox.ts";
import { style } from "./style.ts";

/** The icon of the pages: a square with a dot. If there were none, browsers would request one from the service. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%232f6fdb'/%3E%3Ccircle cx='8' cy='8' r='3' fill='%23fff'/%3E%3C/svg%3E";

const names = { overview: "Overview", reference: "API reference" } as const;

type PageName = keyof typeof names;

interface LayoutOptions {
  readonly current: PageName;
  readonly script: string;
  /** The elements to the right of the navigation. */
  readonly tools?: Child;
}

/** A whole page. */
export const Layout = ({ current, script, tools, children }: PropsWithChildren<LayoutOptions>) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${names[current]} · gpuctl sandbox`}</title>
      <link rel="icon" href={icon} />
      <style>{raw(style)}</style>
    </head>
    <body class={current}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <p class="brand">
          gpuctl <b>sandbox</b>
        </p>
        <nav aria-label="Pages">
          {(Object.keys(names) as PageName[]).map((name) => (
            <a href={servedControls.pages[name]} aria-current={name === current ? "page" : undefined}>
              {names[name]}
            </a>
          ))}
        </nav>
        <div class="tools">{tools}</div>
      </header>
      <main id="main" tabindex={-1}>
        {children}
      </main>
      <p id="message" role="status" />
      <script>{raw(script)}</script>
    </body>
  </html>
);

interface PanelOptions {
  readonly id: string;
  readonly title: string;
  /** The elements to the right of the title. */
  readonly tools?: Child;
}

/** A section with a title. If the focused element in it is removed, the section's title gets the focus. */
export const Panel = ({ id, title, tools, children }: PropsWithChildren<PanelOptions>) => (
  <section class="panel" id={id} aria-labelledby={`${id}-title`}>
    <div class="panel-head">
      <h2 id={`${id}-title`} tabindex={-1}>
        {title}
      </h2>
      {tools}
    </div>
    {children}
  </section>
);

/** The name of an HTTP method. */
export const Method = ({ name }: { readonly name: string }) => (
  <span class={`method ${name.toLowerCase()}`}>{name.toUpperCase()}</span>
);
