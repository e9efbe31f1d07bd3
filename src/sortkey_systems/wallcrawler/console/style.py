"""How the pages of Wallcrawler look, in the colours of the console."""

from __future__ import annotations

CSS = """
.wc-grid { display: grid; gap: 1rem; width: 100%;
  grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); }
.wc-session { padding: 0 !important; overflow: hidden; display: flex; flex-direction: column; }
.wc-screen { position: relative; aspect-ratio: 16 / 9; background: var(--sunken);
  border-bottom: 1px solid var(--line); overflow: hidden; display: grid; place-items: center; }
.wc-screen img { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover;
  object-position: top; }
.wc-screen .q-icon { font-size: 2.6rem; color: var(--outline); }
.wc-badge { position: absolute; left: 0.6rem; bottom: 0.6rem; display: flex; gap: 0.35rem;
  align-items: center; padding: 0.1rem 0.6rem; border-radius: 999px; font-size: var(--text-s);
  background: var(--surface); color: var(--ink); box-shadow: 0 1px 4px rgb(0 0 0 / 30%); }
.wc-dot { width: 0.5rem; height: 0.5rem; border-radius: 50%; background: var(--good); }
.wc-dot.wc-idle { background: var(--outline); }
.wc-about { padding: 0.7rem 0.9rem 0.8rem; min-width: 0; display: flex; flex-direction: column;
  gap: 0.1rem; }
.wc-line { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0;
  max-width: 100%; }
.wc-name { font-weight: 600; color: var(--ink); }
.wc-frame { width: 100%; border: 1px solid var(--line); border-radius: 10px; display: block;
  background: var(--surface); height: min(46rem, calc(100vh - 19.5rem)); min-height: 26rem; }
.wc-key { display: flex; gap: 0.75rem; align-items: center; width: 100%; border-radius: 8px;
  background: var(--good-soft); padding: 0.6rem 0.85rem; }
.wc-key code { background: none; flex: 1; overflow-wrap: anywhere; }
.wc-used { height: 6px; border-radius: 3px; background: var(--sunken); overflow: hidden; }
.wc-used i { display: block; height: 100%; background: var(--accent); border-radius: 3px; }
table.sk-table td .wc-broken { word-break: break-all; }
.wc-facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.35rem 1.25rem;
  font-size: var(--text-s); width: 100%; }
.wc-facts > :nth-child(odd) { color: var(--quiet); }
.wc-facts .sk-copy { white-space: normal; overflow-wrap: anywhere; }
.wc-facts > * { overflow-wrap: anywhere; }
@media (max-width: 640px) { .wc-frame { height: 25rem; min-height: 0; } }
"""
