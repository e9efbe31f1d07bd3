"""The style of the console: type scale, colours, light and dark. Pages use these class names."""

from __future__ import annotations

CSS = """
:root {
  --ground: #f6f7f8; --surface: #ffffff; --sunken: #eef0f2; --line: #dfe3e7; --outline: #848f99; --ink: #1d2329;
  --quiet: #5b6670;
  --accent: #1f5f8b; --accent-soft: #e3eef5; --good: #23713f; --good-soft: #e2f1e7; --warn: #8a5a00;
  --warn-soft: #fbefd5; --bad: #b3261e; --bad-soft: #fbe6e4; --edge: rgb(20 30 40 / 18%);
  --shadow: 0 1px 2px rgb(20 30 40 / 6%); --float: 0 8px 32px rgb(0 0 0 / 25%);
  --text-s: 0.8125rem; --text-m: 0.9375rem; --text-l: 1.125rem; --text-xl: 1.5rem;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "DejaVu Sans Mono", monospace;
}
.body--dark {
  --ground: #13171a; --surface: #1b2024; --sunken: #242a2f; --line: #313940; --outline: #6c7882; --ink: #e6eaed;
  --quiet: #9aa7b1;
  --accent: #7cbce8; --accent-soft: #1d3342; --good: #7fd29a; --good-soft: #1c3325; --warn: #e5b45a;
  --warn-soft: #3a2f18; --bad: #f2938c; --bad-soft: #3f2321; --edge: rgb(160 190 215 / 26%); --shadow: none;
  --q-primary: var(--accent) !important; --q-positive: var(--good) !important;
  --q-negative: var(--bad) !important; --q-warning: var(--warn) !important;
}
@layer overrides { /* what is filled with a colour: in the dark that colour is light, and what stands on it is dark */
  .body--dark :is(.bg-primary, .bg-positive, .bg-negative, .bg-warning) { color: var(--ground) !important; }
  :is(.q-btn, .q-tab, .q-item, .q-checkbox, .q-toggle, pre, summary, th):focus-visible {
    outline: 2px solid var(--accent) !important; outline-offset: 2px !important; }
  :is(.q-tab, .q-item, th):focus-visible { outline-offset: -3px !important; }
  .q-focusable:focus:not(:hover) > .q-focus-helper { opacity: 0 !important; }
}
.body--dark :is(.q-checkbox__svg, .q-timeline__dot .q-icon) { color: var(--ground); }
.q-dark, .q-timeline--dark, .q-item--dark:not(.q-item--active) { color: var(--ink); }
body, .q-layout, .q-page-container, .nicegui-content { background: var(--ground); color: var(--ink); }
body { font-family: system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; font-size: var(--text-m);
  line-height: 1.5; overflow-wrap: break-word; -webkit-font-smoothing: antialiased; }
.nicegui-content { padding: 1.5rem 2rem 4rem; gap: 1.25rem; align-items: stretch; max-width: 84rem; margin: 0 auto;
  width: 100%; }
h1, h2, h3 { margin: 0; letter-spacing: -0.01em; color: var(--ink); }
h1 { font-size: var(--text-xl); font-weight: 650; line-height: 1.25; }
h2 { font-size: var(--text-l); font-weight: 600; line-height: 1.35; }
h3 { font-size: var(--text-m); font-weight: 600; line-height: 1.5; }
.q-header { background: var(--surface) !important; color: var(--ink) !important;
  border-bottom: 1px solid var(--line); box-shadow: none !important; }
.q-drawer { background: var(--surface) !important; border-right: 1px solid var(--line) !important; }
.sk-quiet { color: var(--quiet); } .sk-small { font-size: var(--text-s); }
.sk-mono { font-family: var(--mono); font-size: var(--text-s); overflow-wrap: anywhere; }
.sk-card { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 1.1rem 1.25rem;
  box-shadow: var(--shadow); width: 100%; }
.sk-open { text-decoration: none; color: inherit; transition: border-color 0.15s; }
.sk-open:hover { border-color: var(--accent); } .sk-open:hover h2 { color: var(--accent); }
.sk-grid { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(19rem, 100%), 1fr));
  width: 100%; }
.sk-row { display: flex; gap: 0.75rem; align-items: center; flex-wrap: wrap; width: 100%; }
.sk-row > * { max-width: 100%; }
.sk-tagged { display: flex; gap: 0.15rem 0.75rem; align-items: flex-start; width: 100%; }
.sk-tagged > :not(.sk-stack) { flex: none; width: 4.5rem; }
.sk-stack { display: flex; flex-direction: column; gap: 0.35rem; width: 100%; min-width: 0; }
.sk-spread { justify-content: space-between; }
.sk-nav { display: flex; gap: 0.75rem; align-items: center; padding: 0.5rem 0.75rem; border-radius: 8px;
  color: var(--ink) !important; text-decoration: none; font-size: var(--text-m); }
.sk-nav:hover { background: var(--sunken); }
.sk-nav[aria-current="page"] { background: var(--accent-soft); color: var(--accent) !important; font-weight: 600; }
.sk-nav .q-icon { font-size: 1.2rem; color: inherit; }
.sk-caption { font-size: 0.72rem; font-weight: 600; letter-spacing: 0.06em; text-transform: uppercase;
  color: var(--quiet); padding: 1rem 0.75rem 0.25rem; }
.sk-chip { display: inline-block; padding: 0.05rem 0.55rem; border-radius: 999px; font-size: var(--text-s);
  background: var(--sunken); color: var(--quiet); white-space: nowrap; }
.sk-good { background: var(--good-soft); color: var(--good); } .sk-warn { background: var(--warn-soft);
  color: var(--warn); } .sk-bad { background: var(--bad-soft); color: var(--bad); }
.sk-note { background: var(--accent-soft); color: var(--accent); }
kbd { font-family: inherit; font-size: 0.72rem; color: var(--quiet); background: var(--sunken); border-radius: 4px;
  padding: 0.1rem 0.35rem; } .sk-jump .q-btn__content { gap: 0.6rem; font-weight: 400; }
.sk-jump { margin-right: 0.5rem; padding: 0.15rem 0.6rem; }
.sk-jump-box { width: min(36rem, 94vw); margin: 4rem auto auto; padding: 0.75rem; border: 1px solid var(--line);
  border-radius: 10px; background: var(--surface); color: var(--ink); box-shadow: var(--float); }
.sk-jump-box::backdrop { background: rgb(0 0 0 / 40%); }
.sk-jump-box input { width: 100%; font: inherit; color: inherit; background: var(--ground); padding: 0.6rem 0.85rem;
  border: 1px solid var(--line); border-radius: 8px; outline: none; }
.sk-jump-box input:focus { border-color: var(--accent); } .sk-jump-box input::placeholder { color: var(--quiet); }
.sk-jump-box ul { list-style: none; margin: 0.5rem 0 0; padding: 0; max-height: min(24rem, 55vh); overflow: auto; }
.sk-jump-box p { margin: 0; color: var(--quiet); } .sk-jump-box p:not(:empty) { margin: 0.75rem 0.85rem 0.25rem; }
.sk-jump-box li { padding: 0.4rem 0.85rem; border-radius: 6px; cursor: pointer; color: var(--ink); }
.sk-jump-box li:hover { background: var(--sunken); }
.sk-jump-box li[aria-selected="true"] { background: var(--accent-soft); color: var(--accent); }
.sk-refused { background: var(--bad-soft); color: var(--bad); border-radius: 8px; padding: 0.5rem 0.85rem;
  font-size: var(--text-s); overflow-wrap: anywhere; width: 100%; }
.sk-copy { all: unset; cursor: copy; color: var(--ink); font-family: var(--mono); font-size: var(--text-s);
  border-bottom: 1px dotted var(--quiet); white-space: nowrap; }
.sk-copy:hover { color: var(--accent); } .sk-copy:focus-visible { outline: 2px solid var(--accent); }
.sk-snippet { position: relative; width: 100%; } .sk-snippet pre { padding-right: 5rem; }
.sk-snippet-copy { position: absolute; top: 0.5rem; right: 0.5rem; }
.sk-copy-button { all: unset; cursor: pointer; font-size: var(--text-s); font-weight: 550;
  padding: 0.15rem 0.7rem;
  border: 1px solid var(--outline); border-radius: 8px; background: var(--surface); color: var(--ink); }
.sk-copy-button:hover { border-color: var(--accent); color: var(--accent); }
.sk-copy-button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.sk-figure { font-size: 1.6rem; font-weight: 600; font-variant-numeric: tabular-nums; line-height: 1.2; }
.sk-empty { text-align: center; padding: 2.5rem 1rem; color: var(--quiet); border-radius: 10px; width: 100%;
  border: 1px dashed color-mix(in srgb, var(--outline) 65%, transparent); }
.sk-scroll { overflow-x: auto; width: 100%; }
.sk-scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.sk-scroll, .q-table__middle { background: linear-gradient(to right, var(--surface) 40%, transparent) left / 3rem 100%,
  linear-gradient(to left, var(--surface) 40%, transparent) right / 3rem 100%,
  radial-gradient(farthest-side at 0 50%, var(--edge), transparent) left / 1.1rem 100%,
  radial-gradient(farthest-side at 100% 50%, var(--edge), transparent) right / 1.1rem 100%;
  background-repeat: no-repeat; background-attachment: local, local, scroll, scroll; }
table.sk-table { border-collapse: collapse; width: 100%; font-size: var(--text-s); }
table.sk-table th { text-align: left; font-weight: 600; color: var(--quiet); padding: 0.45rem 0.75rem;
  border-bottom: 1px solid var(--line); white-space: nowrap; }
table.sk-table td { padding: 0.45rem 0.75rem; border-bottom: 1px solid var(--line); vertical-align: top; }
table.sk-table td:is(.short, .num) { white-space: nowrap; } table.sk-table td:not(.short, .num) { min-width: 11rem; }
table.sk-table tr:last-child td { border-bottom: none; }
table.sk-table tbody tr:hover { background: rgb(120 135 150 / 11%); }
table.sk-table td.num, table.sk-table th.num { text-align: right; font-variant-numeric: tabular-nums; }
.q-table { background: transparent !important; }
.q-table__card, .q-card, .q-menu, .q-dialog__inner > div { background: var(--surface) !important;
  color: var(--ink); }
.q-dialog__inner > .q-card, .q-menu { border: 1px solid var(--line); border-radius: 10px; box-shadow: var(--float); }
.q-dialog pre.sk-code { max-height: 40vh; }
.q-tooltip { background: var(--sunken); color: var(--ink); border: 1px solid var(--outline); border-radius: 6px;
  font-size: var(--text-s); padding: 0.2rem 0.5rem; }
.q-table__card { border: 1px solid var(--line); border-radius: 10px; box-shadow: var(--shadow); }
.q-table th { color: var(--quiet); font-weight: 600; font-size: var(--text-s); }
.q-table td { font-size: var(--text-s); font-variant-numeric: tabular-nums; border-color: var(--line) !important; }
.q-table tbody td { white-space: nowrap; max-width: 24rem; overflow: hidden; text-overflow: ellipsis; }
.q-table tbody tr:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.q-field--outlined .q-field__control { border-radius: 8px; background: var(--surface); }
.q-field--outlined .q-field__control:before { border-color: var(--outline); }
.q-field--outlined .q-field__control:hover:before { border-color: var(--ink); }
.q-field__label, .q-field__native, .q-field__input { color: var(--ink) !important; }
.sk-fields { gap: 0.75rem; max-height: min(44rem, 62vh); overflow: auto; padding: 0.4rem 0; }
.q-table tr.sk-guard td { color: var(--quiet); font-style: italic; }
.sk-editor textarea { font-family: var(--mono); font-size: var(--text-s); line-height: 1.5; }
@layer overrides { .q-btn.sk-second { color: var(--ink) !important; } }
.q-btn.sk-second:before { border-color: var(--outline); }
.q-btn--dense.q-btn--outline { padding: 0.2rem 0.6rem; }
.q-btn-group { background: var(--sunken); border-radius: 8px; box-shadow: none; }
.q-header a { color: var(--accent) !important; }
.q-btn { border-radius: 8px; text-transform: none; font-weight: 550; }
.q-tab { text-transform: none; padding: 0 1rem; } .q-tab-panels { background: transparent !important; }
.q-tab-panel.q-tab-panel { padding: 0.25rem 0 0; } .q-tabs { border-bottom: 1px solid var(--line);
  align-self: stretch; }
.q-tab--active { color: var(--accent); } .q-tab__icon { font-size: 1.2rem; }
.q-expansion-item { border: 1px solid var(--line); border-radius: 10px; background: var(--surface); width: 100%; }
.q-expansion-item .q-item { border-radius: 9px; } .q-expansion-item .q-item .sk-row { gap: 0.15rem 0.75rem; }
a { color: var(--accent); } a:focus-visible, button:focus-visible, .sk-nav:focus-visible {
  outline: 2px solid var(--accent); outline-offset: 2px; }
pre.sk-code { margin: 0; padding: 0.85rem 1rem; background: var(--sunken); border-radius: 8px; overflow: auto;
  font-family: var(--mono); font-size: var(--text-s); line-height: 1.5; color: var(--ink); max-height: 32rem; }
summary { cursor: pointer; color: var(--accent); } td pre.sk-code { max-width: 44rem; max-height: 20rem; }
.sk-live { display: inline-block; width: 0.5rem; height: 0.5rem; border-radius: 50%; background: var(--good);
  margin-right: 0.4rem; vertical-align: middle; }
.sk-change .sk-row { display: grid; grid-template-columns: 4.25rem 5.5rem 15rem minmax(0, 1fr); gap: 0.15rem 0.75rem; }
.sk-line { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; min-width: 0; }
.sk-line.sk-mono { overflow-wrap: normal; } .sk-change .q-item { padding: 0.5rem 1rem; min-height: 2.75rem; }
.sk-change .q-expansion-item__content { padding: 0 1rem 0.75rem; }
.sk-paper { background: var(--surface); }
.sk-paper svg .node :is(rect, path) { fill: var(--sunken) !important; stroke: var(--outline) !important; }
.sk-paper svg .cluster rect { fill: var(--ground) !important; stroke: var(--line) !important; rx: 8px; }
.sk-paper svg :is(.label, .nodeLabel, .cluster-label, .edgeLabel, .edgeLabel p) { color: var(--ink) !important; }
.sk-paper svg :is(.edgeLabel p, .labelBkg) { background: var(--surface) !important; }
.sk-paper svg .flowchart-link { stroke: var(--quiet) !important; }
.sk-paper svg marker path { fill: var(--quiet) !important; stroke: var(--quiet) !important; }
.sk-paper:not(:has(svg))::before { content: "drawing …"; color: var(--quiet); }
.q-timeline__title.q-timeline__title { font-size: var(--text-m); font-weight: 600; margin: 0 0 0.15rem; padding: 0; }
.q-timeline__subtitle.q-timeline__subtitle { text-transform: none; letter-spacing: 0; opacity: 1; color: var(--quiet);
  font-size: var(--text-s); font-weight: 400; margin: 0; }
.q-timeline__content.q-timeline__content { padding-bottom: 1.5rem; gap: 0.3rem; }
.sk-paper svg { max-width: 100%; height: auto; }
code { font-family: var(--mono); font-size: 0.92em; background: var(--sunken); border-radius: 4px;
  padding: 0.05em 0.3em; }
table.sk-table td .sk-mono { overflow-wrap: break-word; word-break: normal; }
#popup.nicegui-error-popup { background: var(--surface); color: var(--ink); border: 1px solid var(--warn);
  border-radius: 10px; max-width: min(26rem, 90vw); }
#popup span:last-child::after { content: " If it does not come back, start sortkey up again. No data is lost."; }
@media (max-width: 640px) { .sk-wide { display: none; } .nicegui-content { padding: 1rem 1rem 3rem; }
  .sk-card { padding: 1rem; } .sk-row > .q-field { flex-grow: 1; }
  .sk-tagged { flex-wrap: wrap; padding-bottom: 0.4rem; } .sk-tagged > :not(.sk-stack) { width: auto; }
  .sk-paper svg { max-width: none; }
  .sk-change .sk-row { grid-template-columns: auto auto minmax(0, 1fr); } .sk-change .sk-mono { grid-column: 1 / -1; }
  .q-tab { padding: 0 0.45rem; } .q-tab__label { font-size: var(--text-s); }
  .q-tab__icon { display: none; } .q-btn-group .q-btn { padding: 0.3rem 0.6rem; } }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
"""

COLOURS = {
    "primary": "#1f5f8b",
    "positive": "#23713f",
    "negative": "#b3261e",
    "warning": "#8a5a00",
    "dark": "#13171a",
}
