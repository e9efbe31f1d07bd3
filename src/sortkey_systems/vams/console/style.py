"""How the pages of VAMS look, in the colours of the console."""

from __future__ import annotations

CSS = """
.va-top { display: flex; gap: 0.75rem 1rem; align-items: flex-start; flex-wrap: wrap; width: 100%; }
.va-top > :first-child { flex: 1 1 18rem; min-width: 0; }
.va-actions { display: flex; gap: 0.5rem; align-items: center; flex-wrap: wrap; }
.va-as { min-width: 15rem; }
.va-looking { display: flex; gap: 0.4rem 0.75rem; align-items: center; flex-wrap: wrap; width: 100%;
  padding: 0.45rem 0.9rem; border-radius: 10px; background: var(--warn-soft); color: var(--warn);
  font-size: var(--text-s); }
.va-looking .q-icon { font-size: 1.2rem; }
@layer overrides { .va-looking .q-btn { color: var(--warn) !important; text-decoration: underline;
  } }

.va-library { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 1.5rem;
  align-items: start; width: 100%; }
.va-facets { display: flex; flex-direction: column; gap: 1rem; min-width: 0; }
.va-facet h3 { font-size: var(--text-s); color: var(--quiet); margin-bottom: 0.25rem; }
.va-facet button { display: flex; justify-content: space-between; gap: 0.5rem; width: 100%;
  padding: 0.2rem 0.55rem; border-radius: 6px; font-size: var(--text-s); color: var(--ink);
  text-align: left; cursor: pointer; background: none; border: none; font-family: inherit; }
.va-facet button:hover { background: var(--sunken); }
.va-facet button[aria-pressed="true"] { background: var(--accent-soft); color: var(--accent);
  font-weight: 600; }
.va-facet button span:first-child { overflow: hidden; text-overflow: ellipsis; white-space:
  nowrap; }
.va-facet button span:last-child { color: var(--quiet); font-variant-numeric: tabular-nums; }

.va-wall { display: grid; gap: 1rem; width: 100%;
  grid-template-columns: repeat(auto-fill, minmax(min(14rem, 100%), 1fr)); }
.va-tile { padding: 0 !important; overflow: hidden; display: flex; flex-direction: column;
  text-decoration: none; color: inherit; }
.va-picture { position: relative; aspect-ratio: 4 / 3; background: var(--sunken); overflow: hidden;
  border-bottom: 1px solid var(--line); display: grid; place-items: center; }
.va-picture img { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover; }
.va-picture .q-icon { font-size: 3rem; color: var(--outline); }
.va-kind { position: absolute; right: 0.55rem; top: 0.55rem; padding: 0 0.5rem; border-radius:
  999px;
  font-size: 0.72rem; line-height: 1.5; background: var(--surface); color: var(--ink);
  box-shadow: 0 1px 4px rgb(0 0 0 / 25%); }
.va-gone { opacity: 0.72; } .va-gone .va-picture img { filter: grayscale(1); }
.va-about { padding: 0.65rem 0.85rem 0.75rem; min-width: 0; display: flex; flex-direction: column;
  gap: 0.15rem; }
.va-line { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 100%; }
.va-name { font-weight: 600; color: var(--ink); }
.va-tags { display: flex; flex-wrap: wrap; gap: 0.3rem; margin-top: 0.3rem; }
.va-found mark { background: var(--warn-soft); color: var(--warn); border-radius: 3px; }

.va-files { display: grid; grid-template-columns: minmax(15rem, 20rem) minmax(0, 1fr); gap: 1.25rem;
  align-items: start; width: 100%; }
.va-side { display: flex; flex-direction: column; gap: 0.75rem; min-width: 0; }
.va-tree { max-height: 34rem; overflow: auto; width: 100%; padding: 0.4rem 0.3rem;
  border: 1px solid var(--line); border-radius: 10px; background: var(--surface); }
.va-tree .q-tree__node-header { padding: 0.15rem 0.4rem; margin-top: 0; border-radius: 6px; }
.va-tree .q-tree__node { padding-bottom: 0; } .va-tree .q-tree__node--selected { color:
  var(--accent); }
.va-tree .q-tree__node-header-content { color: var(--ink); font-size: var(--text-s); min-width: 0; }
.va-tree .q-tree__node--selected .q-tree__node-header-content { color: var(--accent); font-weight:
  600; }
.va-tree .q-tree__icon { color: var(--quiet); font-size: 1.1rem; }
.va-detail { display: flex; flex-direction: column; gap: 1rem; min-width: 0; }

.va-viewer { margin: 0; width: 100%; border: 1px solid var(--line); border-radius: 10px;
  overflow: hidden; background: var(--surface); position: relative; display: flex;
  flex-direction: column; }
.va-stage { width: 100%; height: min(34rem, 62vh); position: relative; overflow: hidden;
  background: radial-gradient(circle at 50% 35%, var(--surface), var(--sunken)); display: grid;
  place-items: center; }
.va-stage.va-image { cursor: grab; touch-action: none; background-color: var(--sunken);
  background-image: conic-gradient(rgb(128 128 128 / 9%) 25%, transparent 0 50%,
  rgb(128 128 128 / 9%) 0 75%, transparent 0); background-size: 20px 20px; }
.va-stage.va-image img { max-width: none; transform-origin: center; user-select: none;
  grid-area: 1 / 1; }
.va-stage.va-model canvas { width: 100%; height: 100%; display: block; touch-action: none; }
.va-stage.va-video { background: #000; } .va-stage.va-video video { max-width: 100%; max-height:
  100%; }
.va-stage.va-audio { height: 9rem; } .va-stage.va-audio audio { width: min(34rem, 90%); }
.va-stage iframe { width: 100%; height: 100%; border: 0; background: var(--surface); }
.va-viewer:fullscreen .va-stage { flex: 1; height: auto; }
.va-viewer figcaption { display: flex; justify-content: space-between; align-items: center;
  gap: 0.5rem; min-height: 2.5rem; padding: 0.2rem 0.4rem 0.2rem 0.9rem;
  border-top: 1px solid var(--line); font-size: var(--text-s); color: var(--quiet); flex-wrap:
  wrap; }
.va-tools { display: flex; margin-left: auto; }
.va-tools button { width: 2.1rem; height: 2.1rem; border-radius: 8px; color: var(--ink); border: 0;
  background: none; cursor: pointer; font-size: 1.2rem; }
.va-tools button:hover { background: var(--sunken); }
.va-problem { position: absolute; inset: 0 0 2.5rem; display: grid; place-items: center;
  padding: 1.5rem; text-align: center; color: var(--quiet); pointer-events: none; }
.va-text { width: 100%; max-height: 36rem; overflow: auto; border: 1px solid var(--line);
  border-radius: 10px; background: var(--surface); }
.va-text pre.sk-code { max-height: none; background: none; white-space: pre-wrap; }
.va-markdown { padding: 1rem 1.25rem; }
.va-markdown :is(h1, h2, h3) { margin: 1rem 0 0.4rem; } .va-markdown :first-child { margin-top: 0; }
.va-nothing { display: grid; place-items: center; gap: 0.35rem; padding: 3rem 1rem; width: 100%;
  border: 1px dashed var(--line); border-radius: 10px; color: var(--quiet); text-align: center; }
.va-nothing .q-icon { font-size: 3rem; }

.va-drop { width: 100%; border: 1.5px dashed var(--outline); border-radius: 10px; color:
  var(--quiet);
  padding: 0.9rem; display: flex; gap: 0.75rem; align-items: center; font-size: var(--text-s); }
.va-drop > .q-icon { font-size: 1.6rem; } .va-drop-text { flex: 1; min-width: 0; }
.va-drop.va-over { border-color: var(--accent); background: var(--accent-soft); color:
  var(--accent); }
.va-drop button { color: var(--accent); text-decoration: underline; border: 0; background: none;
  padding: 0; cursor: pointer; font: inherit; }
.va-bar { height: 6px; border-radius: 3px; background: var(--sunken); overflow: hidden;
  margin-top: 0.35rem; } .va-bar i { display: block; height: 100%; background: var(--accent); }

.va-pairs { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.3rem 1.25rem;
  font-size: var(--text-s); width: 100%; margin: 0; }
.va-pairs dt { color: var(--quiet); } .va-pairs dd { margin: 0; overflow-wrap: anywhere; }
.va-value { display: grid; gap: 0.35rem 1rem; align-items: start; width: 100%;
  grid-template-columns: minmax(8rem, 15rem) minmax(0, 1fr) 2.2rem; padding: 0.5rem 0;
  border-bottom: 1px solid var(--line); }
.va-value:last-child { border-bottom: 0; }
.va-value-name { padding-top: 0.45rem; min-width: 0; overflow-wrap: anywhere; }
.va-numbers { display: flex; gap: 0.5rem; width: 100%; } .va-numbers > * { flex: 1; min-width: 0; }
.va-version { display: flex; gap: 0.9rem; align-items: flex-start; width: 100%; padding: 0.8rem 0;
  border-bottom: 1px solid var(--line); } .va-version:last-child { border-bottom: 0; }
.va-number { flex: none; width: 2.9rem; height: 2.1rem; border-radius: 8px; display: grid;
  place-items: center; background: var(--sunken); color: var(--ink); font-weight: 650; }
.va-number.va-now { background: var(--accent); color: var(--ground); }
.va-comment { display: flex; gap: 0.75rem; width: 100%; }
.va-face { flex: none; width: 2.1rem; height: 2.1rem; border-radius: 50%; display: grid;
  place-items: center; background: var(--accent-soft); color: var(--accent); font-weight: 650; }
.va-why { padding: 0.8rem 1rem; border-radius: 10px; width: 100%; }
.va-why.va-yes { background: var(--good-soft); color: var(--good); }
.va-why.va-no { background: var(--bad-soft); color: var(--bad); }
.va-key { display: flex; gap: 0.75rem; align-items: center; width: 100%; border-radius: 8px;
  background: var(--good-soft); padding: 0.6rem 0.85rem; }
.va-key code { background: none; flex: 1; overflow-wrap: anywhere; }
.va-rule { display: grid; grid-template-columns: 1fr 1fr 1.4fr 2.2rem; gap: 0.5rem; width: 100%; }
.body--dark input[type="date"] { color-scheme: dark; }
.va-branch { list-style: none; margin: 0; padding: 0 0 0 1.1rem; border-left: 1px solid
  var(--line); }
.va-branch li { padding: 0.15rem 0; }
@media (max-width: 900px) { .va-library, .va-files { grid-template-columns: minmax(0, 1fr); }
  .va-facets { flex-direction: row; overflow-x: auto; padding-bottom: 0.25rem; gap: 0.75rem; }
  .va-facet { flex: none; width: 11rem; max-height: 9.5rem; overflow-y: auto; }
  .va-tree { max-height: 16rem; } }
@media (max-width: 640px) { .va-wall { grid-template-columns: repeat(2, minmax(0, 1fr)); gap:
  0.75rem; }
  .va-stage { height: 20rem; } .va-as, .va-actions { width: 100%; }
  .va-rule { grid-template-columns: 1fr 1fr; }
  .va-value { grid-template-columns: minmax(0, 1fr) 2.2rem; } .va-value-name { padding-top: 0; }
  .va-value > :nth-child(2) { grid-column: 1; } }
"""
