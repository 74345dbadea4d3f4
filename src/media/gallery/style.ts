/** The style of a gallery. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #f6f6f4; --card: #fff; --text: #1c1d1f; --quiet: #5d6066; --line: #dcdcd8; --field: #fff;
  --accent: #1f5fbf; --on-accent: #fff; --ground: #e9e9e5; --stage: #e4e4e0; --code: #f1f1ee;
  --shadow: 0 1px 2px rgb(0 0 0 / .08), 0 4px 14px rgb(0 0 0 / .06);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121315; --card: #1b1c1f; --text: #ececee; --quiet: #a3a6ad; --line: #303238; --field: #1b1c1f;
    --accent: #8ab8ff; --on-accent: #0d1b30; --ground: #26282c; --stage: #141518; --code: #121315;
    --shadow: 0 1px 2px rgb(0 0 0 / .5);
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.45 system-ui, sans-serif; }
h1, h2, h3, p, ul, dl, dd, pre { margin: 0; padding: 0; }
button, input { font: inherit; color: inherit; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }

header {
  position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: baseline; gap: 8px 14px;
  padding: 16px clamp(16px, 3vw, 40px); background: color-mix(in srgb, var(--page) 88%, transparent);
  backdrop-filter: blur(14px); border-bottom: 1px solid var(--line);
}
h1 { font-size: 20px; font-weight: 650; letter-spacing: -.01em; overflow-wrap: anywhere; }
#count { color: var(--quiet); font-variant-numeric: tabular-nums; }
search { flex: 1 1 240px; display: flex; justify-content: flex-end; }
#filter {
  width: min(100%, 360px); padding: 8px 14px; border: 1px solid var(--line); border-radius: 999px;
  background: var(--field);
}
#filter::placeholder { color: var(--quiet); opacity: 1; }

main { padding: clamp(16px, 2.4vw, 32px) clamp(16px, 3vw, 40px) 56px; }
#pictures {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(min(220px, 44vw), 1fr));
  gap: clamp(18px, 2.2vw, 30px) clamp(12px, 1.6vw, 22px); list-style: none;
}
#pictures li { content-visibility: auto; contain-intrinsic-size: auto 300px; min-width: 0; }
#pictures button {
  display: block; width: 100%; padding: 0; border: 0; border-radius: 12px; background: none; text-align: left;
  cursor: pointer;
}
#pictures img {
  display: block; width: 100%; aspect-ratio: 1; object-fit: cover; border-radius: 12px; background: var(--ground);
  box-shadow: var(--shadow); transition: filter .15s;
}
#pictures button:hover img { filter: brightness(1.06); }
.title {
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; margin: 10px 2px 2px;
  font-weight: 500; line-height: 1.35; overflow-wrap: anywhere;
}
.summary {
  display: block; margin: 0 2px; color: var(--quiet); font-size: 13px; font-variant-numeric: tabular-nums;
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
}
#none { padding: 64px 0; color: var(--quiet); text-align: center; }

dialog {
  width: min(1240px, calc(100vw - 48px)); height: min(860px, calc(100vh - 48px)); max-width: none; max-height: none;
  padding: 0; border: 0; border-radius: 16px; overflow: hidden; background: var(--card); color: var(--text);
  box-shadow: 0 24px 80px rgb(0 0 0 / .4);
}
dialog[open] { display: grid; grid-template-columns: minmax(0, 1fr) 380px; grid-template-rows: minmax(0, 1fr); }
dialog::backdrop { background: rgb(10 11 13 / .62); }
.stage { display: grid; grid-template: minmax(0, 1fr) / minmax(0, 1fr); background: var(--stage); min-height: 0; }
#full { display: grid; grid-template: minmax(0, 1fr) / minmax(0, 1fr); min-height: 0; outline-offset: -4px; }
#large { width: 100%; height: 100%; object-fit: contain; }
.panel { display: flex; flex-direction: column; gap: 14px; padding: 12px 24px 28px; overflow-y: auto; overflow-wrap: anywhere; }
.bar { display: flex; align-items: center; gap: 2px; margin-right: -10px; }
#position { flex: 1; color: var(--quiet); font-size: 13px; font-variant-numeric: tabular-nums; }
.bar button { display: grid; place-items: center; width: 40px; height: 40px; padding: 0; border: 0; border-radius: 10px; background: none; cursor: pointer; }
.bar button:hover { background: var(--ground); }
svg { width: 20px; height: 20px; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
h2 { font-size: 19px; font-weight: 600; line-height: 1.35; letter-spacing: -.005em; white-space: pre-line; }
h2:focus { outline: none; }
#file { margin-top: -8px; color: var(--quiet); font-size: 13px; }
#settings { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 20px; font-size: 14px; border-top: 1px solid var(--line); }
#settings > div { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; padding: 7px 0; border-bottom: 1px solid var(--line); }
dt { color: var(--quiet); }
dd { font-variant-numeric: tabular-nums; white-space: pre-line; }
#again { display: grid; grid-template-columns: auto 1fr; gap: 10px 12px; align-items: center; margin-top: 4px; }
#again > :not(button, span) { grid-column: 1 / -1; }
h3 { font-size: 14px; font-weight: 600; }
#command {
  max-height: 220px; padding: 12px 14px; overflow: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--code);
  font: 12.5px/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap;
}
#command span { display: inline-block; max-width: 100%; vertical-align: top; }
#notes { padding-left: 18px; color: var(--quiet); font-size: 13px; }
#notes:empty { display: none; }
#copy { padding: 8px 18px; border: 0; border-radius: 999px; background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer; }
#copy:hover { filter: brightness(1.08); }
#copied { color: var(--quiet); font-size: 13px; }

@media (max-width: 820px) {
  search { flex-basis: 100%; }
  #filter { width: 100%; }
  #pictures { gap: 20px 12px; grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .title { font-size: 14px; }
  dialog { width: 100vw; height: 100dvh; border-radius: 0; }
  dialog[open] { display: block; overflow-y: auto; }
  .stage { height: min(62vh, 100vw); }
  .panel { overflow: visible; padding: 8px 18px 32px; }
}
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
`;
