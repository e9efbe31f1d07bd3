"""The style of the page /docs: one column with a menu, light and dark."""

STYLE = """
:root { --ground: #fbfbfc; --surface: #fff; --sunken: #f1f3f5; --line: #e0e4e8; --ink: #1d2329; --quiet: #5b6670;
  --accent: #1f5f8b; --get: #23713f; --post: #1f5f8b; --put: #8a5a00; --delete: #b3261e; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --ground: #13171a; --surface: #1b2024; --sunken: #242a2f;
  --line: #313940; --ink: #e6eaed; --quiet: #9aa7b1; --accent: #7cbce8; --get: #7fd29a; --post: #7cbce8;
  --put: #e5b45a; --delete: #f2938c; } }
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); background: var(--ground);
  color: var(--ink); font: 15px/1.55 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem; border-right: 1px solid var(--line);
  font-size: 0.875rem; }
nav p { margin: 0; color: var(--quiet); } nav ul { list-style: none; margin: 0; padding: 0; }
nav li { margin: 0.3rem 0; line-height: 1.35; }
main { padding: 2rem 3rem 6rem; max-width: 62rem; }
h1 { font-size: 1.25rem; margin: 0; } h2 { font-size: 1.375rem; margin: 2.5rem 0 0.5rem; letter-spacing: -0.01em; }
nav h2 { font-size: 0.9375rem; margin: 1.5rem 0 0.25rem; } main > section:first-child h2 { margin-top: 0; }
h4 { font-size: 0.8125rem; margin: 1.25rem 0 0.25rem; color: var(--quiet); font-weight: 600; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
p { margin: 0.5rem 0; } section > p { max-width: 44rem; }
code, pre { font: 0.8125rem/1.5 ui-monospace, "SF Mono", "Cascadia Code", "DejaVu Sans Mono", monospace; }
pre { background: var(--sunken); border-radius: 6px; padding: 0.75rem 1rem; white-space: pre-wrap;
  overflow-wrap: anywhere; margin: 0.75rem 0; }
details { background: var(--surface); border: 1px solid var(--line); border-radius: 8px; margin: 0.5rem 0; }
summary { cursor: pointer; padding: 0.625rem 1rem; display: flex; gap: 0.75rem; align-items: baseline;
  flex-wrap: wrap; list-style: none; }
summary::-webkit-details-marker { display: none; } summary:focus-visible { outline: 2px solid var(--accent); }
summary b { font-size: 0.75rem; width: 3.75rem; letter-spacing: 0.04em; }
summary span { order: 1; font-weight: 500; } summary code { overflow-wrap: anywhere; min-width: 0; }
summary code:has(+ span) { order: 2; margin-left: auto; color: var(--quiet); }
details[open] > summary { border-bottom: 1px solid var(--line); }
details > div { padding: 0.25rem 1rem 1rem; scroll-margin-top: 4rem; }
.get { color: var(--get); } .post { color: var(--post); } .put, .patch { color: var(--put); }
.delete { color: var(--delete); } .needs { color: var(--quiet); }
table { border-collapse: collapse; width: 100%; font-size: 0.875rem; }
td { border-top: 1px solid var(--line); padding: 0.375rem 1rem 0.375rem 0; vertical-align: top; }
tr:first-child td { border-top: 0; } td:first-child { white-space: nowrap; }
@media (max-width: 48rem) { body { display: block; } nav { position: static; height: auto; border: 0; }
  main { padding: 1rem; } td { overflow-wrap: anywhere; } td:first-child { white-space: normal; }
  summary code:has(+ span) { margin-left: 0; flex-basis: 100%; } }
"""
