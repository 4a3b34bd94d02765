/** Colours are pairs for light and dark; every text has a contrast of 4.5 or more with its background. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#fbfbf9, #16181b);
  --card: light-dark(#ffffff, #1e2125);
  --line: light-dark(#dedfd9, #363b41);
  --text: light-dark(#1d2125, #e6e8ea);
  --soft: light-dark(#5b6269, #a3abb3);
  --link: light-dark(#14539a, #86b8f2);
  --good: light-dark(#17663a, #7fd19d);
  --good-ground: light-dark(#e3f3e8, #16301f);
  --bad: light-dark(#a32018, #ff9e94);
  --bad-ground: light-dark(#fcebe8, #3b1b18);
  --open: light-dark(#7a4a00, #f0bf66);
  --open-ground: light-dark(#fbf0d9, #362813);
  --off: light-dark(#565d64, #aab2ba);
  --off-ground: light-dark(#eceeee, #2b3036);
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, 'DejaVu Sans Mono', monospace;
}
* { box-sizing: border-box; }
html { font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif; }
body { margin: 0; background: var(--ground); color: var(--text); overflow-wrap: anywhere; }
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem 1rem; z-index: 1; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
header, main, footer { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem 1.5rem; padding-top: .9rem; }
.brand { margin: 0; font-weight: 650; letter-spacing: -.01em; }
.brand span { color: var(--soft); font-weight: 400; }
nav ul { display: flex; flex-wrap: wrap; gap: .15rem; list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .4rem .7rem; border-radius: 6px; color: var(--text); text-decoration: none; }
nav a:hover { background: var(--off-ground); }
nav a[aria-current] { background: var(--text); color: var(--ground); }
.link { margin: 0 0 0 auto; color: var(--soft); font-size: .875rem; }
.link:not(:empty)::before { content: '●'; margin-right: .4em; color: var(--good); }
.link[data-tone=bad]::before { color: var(--bad); content: '○'; }
footer { color: var(--soft); font-size: .875rem; padding-top: .75rem; padding-bottom: 2rem; }
h1 { font-size: 1.6rem; line-height: 1.25; letter-spacing: -.015em; margin: 1.5rem 0 .75rem; font-weight: 650; }
h2 { font-size: 1.1rem; margin: 0 0 .5rem; font-weight: 650; }
h3 { font-size: 1rem; margin: 0 0 .25rem; font-weight: 600; }
p { margin: 0 0 .75rem; max-width: 46rem; }
.soft { color: var(--soft); }
.said { padding: .6rem .9rem; border-radius: 8px; border-left: 4px solid var(--line); background: var(--off-ground); max-width: none; margin: 1rem 0 0; }
.said[data-tone=good] { background: var(--good-ground); color: var(--good); border-color: var(--good); }
.said[data-tone=bad] { background: var(--bad-ground); color: var(--bad); border-color: var(--bad); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.1rem 1.25rem; margin: 0 0 1.25rem; }
.card > :last-child { margin-bottom: 0; }
.columns { display: grid; gap: 1.25rem; align-items: start; }
.columns { margin-bottom: 1.25rem; }
.columns > * { min-width: 0; }
.columns > .card, .columns > div > :last-child { margin-bottom: 0; }
code, pre, kbd, .id { font-family: var(--mono); font-size: .875em; }
pre { margin: 0 0 .75rem; padding: .7rem .9rem; background: var(--off-ground); border-radius: 6px; white-space: pre-wrap; }
pre code { font-size: .8125rem; user-select: all; }
table { width: 100%; border-collapse: separate; overflow: hidden; background: var(--card); border: 1px solid var(--line); border-radius: 10px; border-spacing: 0; margin-bottom: 1.25rem; }
th, td { text-align: left; padding: .5rem .75rem; vertical-align: top; }
th { color: var(--soft); font-weight: 500; font-size: .875rem; }
tbody td { border-top: 1px solid var(--line); }
tbody tr:hover { background: light-dark(#f5f6f3, #23272c); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.number { text-align: right; }
td.number { font-weight: 550; }
time, .tabular { font-variant-numeric: tabular-nums; white-space: nowrap; }
.pill > span { display: inline-block; padding: .05rem .6rem; border-radius: 99rem; white-space: nowrap; font-size: .875rem; background: var(--off-ground); color: var(--off); }
.pill > [data-tone=good] { background: var(--good-ground); color: var(--good); }
.pill > [data-tone=bad] { background: var(--bad-ground); color: var(--bad); }
.pill > [data-tone=open] { background: var(--open-ground); color: var(--open); }
.facts { display: grid; gap: .35rem 1rem; margin: 0 0 .75rem; }
.facts p { margin: 0; }
.facts > div { display: grid; grid-template-columns: 9rem 1fr; gap: .75rem; }
dt { color: var(--soft); }
dd { margin: 0; min-width: 0; }
form { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin: 0; min-width: 0; max-width: 100%; }
form p { margin: 0; align-self: center; }
label { min-width: 0; max-width: 100%; display: grid; grid-template-columns: minmax(0, 1fr); gap: .15rem; font-size: .875rem; color: var(--soft); }
label.tick { display: flex; gap: .5rem; align-items: center; color: var(--text); font-size: 1rem; min-height: 2.5rem; }
input, select, button { font: inherit; font-size: 1rem; color: var(--text); min-height: 2.5rem; border-radius: 7px; }
input:not([type=checkbox]), select { background: var(--card); border: 1px solid light-dark(#85898d, #7c848c); padding: .35rem .6rem; max-width: 100%; }
input[type=checkbox] { min-height: 0; width: 1.15rem; height: 1.15rem; }
input[inputmode] { width: 9rem; }
input[type=url] { width: 21rem; }
button { border: 1px solid light-dark(#85898d, #7c848c); background: var(--card); padding: .35rem 1rem; font-weight: 550; cursor: pointer; white-space: nowrap; }
button:hover { background: var(--off-ground); }
button[data-tone=good] { background: light-dark(#17663a, #7fd19d); border-color: transparent; color: light-dark(#ffffff, #0f1f15); }
button[data-tone=bad] { color: var(--bad); border-color: var(--bad); }
button[role=switch] { display: inline-flex; align-items: center; gap: .6rem; min-width: 6.5rem; padding-left: .7rem; }
button[role=switch]::before { content: ''; width: 2.1rem; height: 1.2rem; border-radius: 1rem; background: radial-gradient(circle at .6rem 50%, var(--card) .4rem, transparent .44rem), var(--off); }
button[aria-checked=true] { background: var(--bad-ground); color: var(--bad); border-color: var(--bad); }
button[aria-checked=true]::before { background: radial-gradient(circle at 1.5rem 50%, var(--card) .4rem, transparent .44rem), var(--bad); }
.search { margin-bottom: 1rem; }
.search label { flex: 1 1 14rem; max-width: 26rem; }
.search label + label { flex: 0 1 12rem; }
.search input, .search select { width: 100%; }
.buttons { display: flex; flex-wrap: wrap; gap: .6rem .75rem; align-items: end; margin-bottom: .6rem; }
.lines + .card, .lines + section { margin-top: 1.1rem; }
.lines summary { color: var(--soft); font-size: .875rem; cursor: pointer; width: fit-content; }
.lines h3 { margin: .9rem 0 0; font-size: .9375rem; }
.lines p { margin: .4rem 0 .2rem; font-size: .8125rem; color: var(--soft); }
.timeline { list-style: none; margin: 0; padding: 0; }
.timeline li { position: relative; padding: 0 0 1rem 1.5rem; }
.timeline li::before { content: ''; position: absolute; left: .3rem; top: .5rem; width: .6rem; height: .6rem; border-radius: 50%; background: var(--off); }
.timeline li::after { content: ''; position: absolute; left: .56rem; top: 1.2rem; bottom: -.4rem; border-left: 1px solid var(--line); }
.timeline li:last-child { padding-bottom: 0; }
.timeline li:last-child::after { content: none; }
.timeline [data-tone=good]::before { background: var(--good); }
.timeline [data-tone=bad]::before { background: var(--bad); }
.timeline [data-tone=open]::before { background: var(--open); }
.timeline p { margin: 0; }
.phone { border: 1px solid var(--line); border-radius: 18px; background: var(--card); padding: 1.25rem; max-width: 26rem; }
.phone > :last-child, .phone .facts:last-child { margin-bottom: 0; }
.phone + h3 { margin-top: 1.1rem; }
.phone .sum { font-size: 1.7rem; font-weight: 650; letter-spacing: -.01em; font-variant-numeric: tabular-nums; margin: 0 0 .5rem; line-height: 1.2; }
.copy { font-size: 1.35rem; font-weight: 600; letter-spacing: .04em; font-variant-numeric: tabular-nums; user-select: all; }
.qr { display: block; width: 11rem; height: 11rem; border-radius: 8px; margin: 0 0 .75rem; }
.fresh { animation: fresh 1.6s ease-out; }
@keyframes fresh { from { background: var(--open-ground); } }
.then { margin-top: 1.1rem; }
.switches { list-style: none; margin: 0; padding: 0; display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); }
.switches .card { margin: 0; }
.switches form { margin-bottom: .6rem; }
.switches + h2 { margin-top: 1.75rem; }
.lines + h2 { margin-top: 1.5rem; }
.more { display: flex; gap: 1.5rem; margin-bottom: 1.25rem; }
@media (min-width: 60rem) {
  #requests td.id { min-width: 25rem; }
  .columns { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  .request { grid-template-rows: auto 1fr; }
  .beside { grid-column: 2; grid-row: 1 / span 2; }
}
@media (max-width: 44rem) {
  header, main, footer { padding-left: 1rem; padding-right: 1rem; }
  h1 { font-size: 1.35rem; }
  thead { display: none; }
  table, tbody { display: block; }
  tbody tr { border-top: 1px solid var(--line); display: grid; grid-template-columns: 1fr auto; gap: .1rem .75rem; padding: .7rem .9rem; }
  tbody tr:first-child { border-top: 0; }
  tbody td { display: block; padding: 0; min-width: 0; border-top: 0; }
  td.number { text-align: left; }
  td.end { justify-self: end; }
  td.wide { justify-self: start; text-align: left; }
  nav { order: 1; }
  td.wide { grid-column: 1 / -1; }
  .facts p { margin: 0; }
.facts > div { grid-template-columns: 1fr; gap: 0; }
  button { min-height: 2.75rem; }
}
@media (prefers-reduced-motion: reduce) {
  .fresh { animation: none; }
}
@media (forced-colors: active) {
  .pill > span, button { border: 1px solid; }
}
`;

/** A naira sign in a square. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#17663a"/><path d="M9 25V7l14 18V7M6 13.5h20M6 18.5h20" fill="none" stroke="#fff" stroke-width="2.6"/></svg>
`;
