/** The style of the pages. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #f6f6f4; --card: #fff; --text: #1c1d1f; --quiet: #5b5e64; --line: #e0e0dc; --field: #fff; --edge: #8b8e94;
  --accent: #1f5fbf; --on-accent: #fff; --ground: #efefec; --code: #f4f4f1;
  --good: #1a6b3c; --good-ground: #e2f2e8; --warn: #7d5000; --warn-ground: #fbeed3; --bad: #a3261d; --bad-ground: #fbe5e2;
  --info: #1b54a8; --info-ground: #e4edfb;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121315; --card: #1b1c1f; --text: #ececee; --quiet: #a6a9b0; --line: #303238; --field: #141518; --edge: #70747c;
    --accent: #8ab8ff; --on-accent: #0d1b30; --ground: #26282c; --code: #141518;
    --good: #7fd6a0; --good-ground: #16301f; --warn: #f0c36a; --warn-ground: #352a12; --bad: #ff9d93; --bad-ground: #3b1d1a;
    --info: #9cc3ff; --info-ground: #18273f;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 72px; }
body { margin: 0; background: var(--page); color: var(--text); font: 14px/1.45 system-ui, sans-serif; }
h1, h2, h3, p, ul, ol, dl, dd, pre, figure { margin: 0; padding: 0; }
ul, ol { list-style-type: ""; }
button, input, select, textarea { font: inherit; color: inherit; }
a { color: var(--accent); }
code, pre, .path, .method, textarea { font-family: var(--mono); font-size: 12.5px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
h2:focus, main:focus { outline: none; }
.hidden, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip:focus { position: fixed; top: 8px; left: 8px; z-index: 3; padding: 8px 14px; background: var(--card); border-radius: 8px; }

.top {
  position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: center; gap: 4px 24px;
  padding: 10px clamp(16px, 2.5vw, 32px); background: var(--card); border-bottom: 1px solid var(--line);
}
.brand { font-size: 15px; }
.brand b { font-weight: 650; }
nav[aria-label="Pages"] { display: flex; gap: 4px; }
nav[aria-label="Pages"] a { padding: 6px 12px; border-radius: 8px; color: var(--quiet); text-decoration: none; }
nav[aria-label="Pages"] a:hover { background: var(--ground); }
nav[aria-label="Pages"] a[aria-current] { color: var(--text); background: var(--ground); font-weight: 600; }
.tools { display: flex; align-items: center; gap: 12px; margin-left: auto; }
#connection { display: flex; align-items: center; gap: 7px; color: var(--quiet); font-size: 13px; }
#connection::before { content: ""; width: 8px; height: 8px; border-radius: 50%; background: var(--good); }
#connection.off::before { background: var(--warn); }

main { max-width: 1440px; margin: 0 auto; padding: 20px clamp(16px, 2.5vw, 32px) 72px; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 380px; gap: 16px; align-items: start; }
.columns > div { display: grid; gap: 16px; min-width: 0; }
.panel { padding: 16px 18px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; min-width: 0; }
.panel-head { display: flex; align-items: center; justify-content: space-between; gap: 12px; min-height: 30px; margin-bottom: 10px; }
h2 { font-size: 15px; font-weight: 650; }
.empty, .help, .more, .detail { color: var(--quiet); font-size: 13px; }
.empty code { display: block; margin-top: 8px; padding: 8px 10px; background: var(--code); border-radius: 8px; color: var(--text); overflow-wrap: anywhere; }
.more { margin-top: 10px; }

.summary { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: 1px; margin-bottom: 16px; border: 1px solid var(--line); border-radius: 12px; overflow: hidden; background: var(--line); }
.summary > div { padding: 14px 18px; background: var(--card); }
.summary dt { color: var(--quiet); font-size: 13px; }
.figure { font-size: 22px; font-weight: 600; letter-spacing: -.01em; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.summary .notice { grid-column: 1 / -1; background: var(--bad-ground); }
.summary .notice dt { color: var(--bad); font-weight: 600; }

button { min-height: 32px; padding: 5px 12px; border: 1px solid var(--edge); border-radius: 8px; background: var(--card); cursor: pointer; }
button:hover { background: var(--ground); }
button.quiet { min-height: 28px; padding: 3px 10px; border-color: transparent; color: var(--accent); font-size: 13px; }
button.quiet[aria-pressed="true"] { background: var(--ground); }
button.main { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600; }
button.main:hover { filter: brightness(1.08); }
label { display: grid; gap: 4px; color: var(--quiet); font-size: 13px; min-width: 0; }
input, select, textarea { width: 100%; min-height: 34px; padding: 5px 9px; border: 1px solid var(--edge); border-radius: 8px; background: var(--field); color: var(--text); font-size: 14px; }
textarea { font-size: 12.5px; line-height: 1.5; resize: vertical; }
::placeholder { color: var(--quiet); opacity: 1; }
label.check { display: flex; align-items: center; gap: 8px; color: var(--text); }
label.check input { width: 16px; min-height: 16px; height: 16px; margin: 0; }
.error { color: var(--bad); font-size: 13px; overflow-wrap: anywhere; }
.error:not(:empty) { margin: 8px 0; }

.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
thead th { padding: 0 12px 8px 0; color: var(--quiet); font-size: 13px; font-weight: 400; text-align: left; white-space: nowrap; }
tbody th, tbody td { padding: 9px 12px 9px 0; border-top: 1px solid var(--line); text-align: left; vertical-align: baseline; font-weight: 400; white-space: nowrap; }
tbody th { white-space: normal; overflow-wrap: anywhere; }
tbody .name { font-weight: 550; margin-right: 8px; }
.number { text-align: right !important; }
.narrow { display: none; }
th:last-child, td:last-child { padding-right: 0; }
.state, .status, .faulty { display: inline-block; padding: 1px 8px; border-radius: 999px; font-size: 12.5px; font-weight: 550; background: var(--ground); color: var(--quiet); }
.state.running, .status.s2, .status.s3 { background: var(--good-ground); color: var(--good); }
.state.pending, .status.s4, .state.frozen { background: var(--warn-ground); color: var(--warn); }
.state.failed, .status.s5, .status.s0 { background: var(--bad-ground); color: var(--bad); }
.faulty { margin-left: 8px; background: var(--info-ground); color: var(--info); }

#request-list > li { border-top: 1px solid var(--line); }
#request-list > li:first-child { border-top: 0; }
#request-list summary {
  display: grid; grid-template-columns: 44px 58px minmax(0, 1fr) auto 66px; gap: 2px 8px; align-items: baseline;
  padding: 8px 6px; margin: 0 -6px; border-radius: 8px; cursor: pointer; list-style: none;
}
#request-list summary::-webkit-details-marker { display: none; }
#request-list summary:hover { background: var(--ground); }
#request-list .status { text-align: center; padding: 1px 0; font-variant-numeric: tabular-nums; }
.path { overflow-wrap: anywhere; }
.about { color: var(--quiet); font-size: 13px; }
#request-list time { color: var(--quiet); font-size: 13px; text-align: right; font-variant-numeric: tabular-nums; }
#request-list details[open] > summary { background: var(--ground); }
#request-list figure, #request-list .pairs, #request-list .more { margin: 10px 0; }
.method { font-weight: 600; }
.pairs { display: flex; flex-wrap: wrap; gap: 6px 24px; font-size: 13px; }
.pairs > div { display: flex; gap: 6px; overflow-wrap: anywhere; }
.pairs dt { color: var(--quiet); }
pre { padding: 12px 14px; overflow: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--code); line-height: 1.55; white-space: pre-wrap; overflow-wrap: anywhere; }

.time { margin-bottom: 12px; font-variant-numeric: tabular-nums; color: var(--quiet); }
.time time { font-size: 19px; font-weight: 600; color: var(--text); }
.time .state { margin-left: 8px; }
.buttons { display: grid; grid-template-columns: repeat(4, 1fr); gap: 8px; margin-bottom: 12px; }
.buttons button { width: 100%; padding-inline: 4px; }
.row { display: grid; grid-template-columns: 1fr 1fr auto; gap: 8px; align-items: end; }
.row button { min-height: 34px; }
.entries { display: grid; gap: 0; }
.entries:not(:empty) { margin-bottom: 12px; }
.entries li { display: flex; align-items: center; justify-content: space-between; gap: 8px; padding: 8px 0; border-top: 1px solid var(--line); }
.entries li:first-child { border-top: 0; padding-top: 0; }
.entries li > div { min-width: 0; overflow-wrap: anywhere; }
.entries .name, .entries .detail { display: block; }
.scenarios { display: grid; gap: 8px; margin-top: 10px; }
.scenarios li { display: grid; grid-template-columns: 132px minmax(0, 1fr); gap: 12px; align-items: center; }
.scenarios span { color: var(--quiet); font-size: 13px; line-height: 1.35; }
.scenarios button { padding-inline: 6px; font-size: 13px; }
.add > summary { width: max-content; color: var(--accent); cursor: pointer; }
.add form, .add .help { margin-top: 12px; }
.panel-head button.quiet, .entries button.quiet { margin-right: -10px; }
.fields { display: grid; grid-template-columns: 1fr 1fr; gap: 10px; margin-bottom: 12px; align-items: end; }
.full { grid-column: 1 / -1; }
#picture-list { display: grid; grid-template-columns: repeat(6, minmax(0, 1fr)); gap: 12px; }
#speech-list { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 12px; }
#picture-list:not(:empty) + #speech-list:not(:empty) { margin-top: 16px; }
#picture-list a { display: block; border-radius: 10px; }
#picture-list img { display: block; width: 100%; aspect-ratio: 1; object-fit: cover; border-radius: 10px; background: var(--ground); }
audio { display: block; width: 100%; height: 40px; }
.text { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; margin-top: 6px; overflow-wrap: anywhere; }
#message { position: fixed; left: 50%; bottom: 20px; z-index: 3; max-width: calc(100vw - 32px); padding: 10px 18px; border-radius: 10px; background: var(--text); color: var(--page); translate: -50% 0; overflow-wrap: anywhere; }
#message:empty { padding: 0; }
#message.failed { background: var(--bad-ground); color: var(--bad); }

.reference main { display: grid; grid-template-columns: 220px minmax(0, 1fr); gap: 32px; }
.contents { position: sticky; top: 72px; align-self: start; max-height: calc(100vh - 96px); overflow-y: auto; }
.contents a { display: block; padding: 5px 10px; border-radius: 8px; color: var(--quiet); text-decoration: none; }
.contents a:hover { background: var(--ground); color: var(--text); }
.reference h1 { font-size: 24px; letter-spacing: -.01em; }
.intro { margin: 6px 0 16px; max-width: 70ch; color: var(--quiet); }
.intro code { color: var(--text); }
.group { margin-top: 28px; }
.group > p { margin: 2px 0 10px; color: var(--quiet); }
.operation { margin-top: 8px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.operation > summary { display: grid; grid-template-columns: 62px minmax(0, 1fr) auto; gap: 2px 10px; align-items: baseline; padding: 11px 16px; border-radius: 12px; cursor: pointer; list-style: none; }
.operation > summary::-webkit-details-marker { display: none; }
.operation > summary:hover { background: var(--ground); }
.operation > summary .what { color: var(--quiet); }
.deprecated > summary .path { text-decoration: line-through; }
.operation .body { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 24px; padding: 8px 16px 18px; }
.operation .body > div { min-width: 0; }
.operation .description { margin-bottom: 10px; white-space: pre-line; }
h3 { margin: 14px 0 6px; font-size: 13px; font-weight: 600; }
h3:first-child { margin-top: 0; }
.field-list { border-top: 1px solid var(--line); }
.field-list .field-list { margin: 8px 0 0 14px; }
.field-list li { padding: 7px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.field-list .field-list li:last-child { border-bottom: 0; padding-bottom: 0; }
.field-list code { font-weight: 600; }
.type { margin-left: 8px; color: var(--quiet); font-size: 13px; }
.required { margin-left: 8px; color: var(--warn); font-size: 13px; }
.field-list p { font-size: 13px; color: var(--quiet); }
.responses li { padding: 7px 0; border-top: 1px solid var(--line); }
.responses .status { margin-right: 8px; }
.responses details { margin-top: 6px; }
.responses summary { width: max-content; color: var(--accent); font-size: 13px; cursor: pointer; }
.try { position: sticky; top: 68px; display: grid; gap: 10px; align-self: start; padding: 14px; border-radius: 10px; background: var(--code); }
.try .send { display: flex; gap: 10px; align-items: end; }
.try .send label { flex: 1; }
figcaption { margin-bottom: 4px; color: var(--quiet); font-size: 13px; }
.result pre { max-height: 420px; }
.try pre { background: var(--card); }
.result p { font-size: 13px; }
.result p:not(:last-child) { margin-bottom: 6px; }
.result img { display: block; max-width: 100%; border-radius: 10px; }
#none { padding: 40px 0; color: var(--quiet); text-align: center; }

@media (max-width: 1000px) {
  .columns { grid-template-columns: minmax(0, 1fr); }
  .reference main { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .contents { display: none; }
  .operation .body { grid-template-columns: minmax(0, 1fr); gap: 16px; }
}
@media (max-width: 620px) {
  html { scroll-padding-top: 96px; }
  .summary { grid-template-columns: 1fr 1fr; }
  .summary > div { padding: 10px 14px; }
  .summary > div:nth-child(5):last-child { grid-column: 1 / -1; }
  .figure { font-size: 19px; }
  .tools { margin-left: 0; flex: 1; justify-content: space-between; }
  #picture-list { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  #speech-list { grid-template-columns: minmax(0, 1fr); }
  .wide { display: none; }
  .narrow { display: inline; }
  .narrow::before { content: " · "; }
  .panel { padding: 14px; }
  tbody .name { display: block; }
  tbody th, tbody td, thead th { padding-right: 8px; }
  #request-list summary { grid-template-columns: 44px auto minmax(0, 1fr) 60px; }
  #request-list .about { grid-row: 1; grid-column: 3; display: flex; flex-wrap: wrap; gap: 2px 8px; overflow-wrap: anywhere; }
  #request-list .faulty { margin-left: 0; }
  #request-list .path { grid-row: 2; grid-column: 1 / -1; }
  .try { position: static; }
  .operation > summary { grid-template-columns: 58px minmax(0, 1fr); }
  .operation > summary .what { grid-column: 2; }
  .scenarios li { grid-template-columns: 124px minmax(0, 1fr); }
}
`;
