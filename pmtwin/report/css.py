"""How the report looks."""

CSS = """
:root { --ink: #1d2733; --soft: #5b6875; --line: #dfe4ea; --paper: #ffffff; --wash: #f5f7f9; --accent: #0b5c91;
  --good: #00734f; --bad: #b34700; }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
body { margin: 0; color: var(--ink); background: var(--paper);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
.page { max-width: 66rem; margin: 0 auto; padding: 0 1.5rem 4rem; }
header { border-bottom: 1px solid var(--line); padding: 2.6rem 0 1.4rem; margin-bottom: 1.4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.01em; }
h2 { font-size: 1.35rem; margin: 3rem 0 .6rem; padding-top: .4rem; border-top: 2px solid var(--ink); }
h3 { font-size: 1.05rem; margin: 2rem 0 .4rem; }
p { margin: .5rem 0 .8rem; max-width: 50rem; }
.lead { font-size: 1.1rem; }
.soft, .note, figcaption { color: var(--soft); font-size: .88rem; line-height: 1.45; }
nav { font-size: .92rem; }
nav a { margin-right: 1.1rem; white-space: nowrap; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
.badge { display: inline-block; padding: .1rem .6rem; border-radius: 1rem; background: var(--accent); color: #fff;
  font-size: .82rem; vertical-align: .12em; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: .9rem; margin: 1.2rem 0; }
.card { border: 1px solid var(--line); border-radius: .5rem; padding: .9rem 1.1rem; background: var(--wash); }
.card b { display: block; font-size: 1.7rem; line-height: 1.15; letter-spacing: -.01em; margin: .1rem 0 .3rem; }
.card .what { font-weight: 600; font-size: .9rem; }
.card .more { color: var(--soft); font-size: .84rem; line-height: 1.4; }
figure { margin: 1.2rem 0 1.6rem; }
figure img { width: 100%; height: auto; display: block; }
figure.narrow img { max-width: 33rem; }
figcaption { margin-top: .5rem; max-width: 58rem; }
.scroll { overflow-x: auto; margin: .6rem 0 .3rem; }
table { border-collapse: collapse; font-size: .84rem; line-height: 1.35; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; border-bottom: 1.5px solid var(--ink); padding: .3rem .8rem .3rem 0;
  vertical-align: bottom; }
td { border-bottom: 1px solid var(--line); padding: .28rem .8rem .28rem 0; vertical-align: top; }
td.n, th.n { text-align: right; }
td.n { white-space: nowrap; }
tr:hover td { background: var(--wash); }
table.statements td:nth-child(1) { white-space: nowrap; }
table.statements td:nth-child(2) { min-width: 19rem; }
.mark { display: inline-block; min-width: 3.4rem; font-weight: 600; }
.mark.yes { color: var(--good); } .mark.no { color: var(--bad); } .mark.open { color: var(--soft); }
code { font: .84em ui-monospace, "SF Mono", Menlo, Consolas, monospace; background: var(--wash); padding: .1em .35em;
  border-radius: .25em; overflow-wrap: anywhere; }
details { margin: .6rem 0; }
summary { cursor: pointer; color: var(--accent); font-size: .92rem; }
.misses { border-left: 3px solid var(--bad); padding: .1rem 0 .1rem 1rem; margin: 1rem 0; }
footer { margin-top: 3.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
@media print { .page { max-width: none; } nav { display: none; } section, figure { break-inside: avoid; } }
"""
