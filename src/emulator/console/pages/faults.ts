import { html } from 'hono/html';
import { shellQuote } from '../../../core/shell.ts';
import type { KeptFault } from '../../store.ts';
import { aboutData, controlCurl, linesBlock, type ShellLines } from '../lines.ts';
import { actionForms, table } from '../parts.ts';
import { faultWords, scopeWords } from '../rules.ts';
import { type Kind, ruleOf, SCOPES, SWITCHES, type Switch, switchOf } from '../switches.ts';
import type { EmulatorPlace, Markup, Page, PageView } from '../view.ts';

/** Commands that replace the rules. */
const setLines = (place: EmulatorPlace, rules: readonly KeptFault['rule'][]): ShellLines => ({
  paycli: `echo ${shellQuote(JSON.stringify({ rules }))} > faults.json\n${aboutData(place, 'faults', 'faults.json')}`,
  curl: controlCurl(place, 'PUT', 'faults', { rules }),
});

const turnOn = (view: PageView, one: Switch, kept: readonly KeptFault[]): Markup => {
  const scopes = Object.entries(SCOPES[one.kind]);
  const rules = [...kept.map(({ rule }) => rule), ruleOf(one, scopes[0]?.[0] ?? '', false) ?? []].flat();
  return html`<form method="post" action="${view.root}faults/on"><input type="hidden" name="switch" value="${one.name}">
<label>${one.kind === 'events' ? 'Events' : 'Requests'}<select name="scope">${scopes.map(
    ([name, { label }]) => html`<option value="${name}">${label}</option>`,
  )}</select></label>
<label>How often<select name="times"><option value="all">each</option><option value="1">only the next one</option></select></label>
<button role="switch" aria-checked="false" aria-label="${one.label}">Off</button></form>${linesBlock([[`${one.label}: on`, setLines(view.place, rules)]])}`;
};

const turnOff = (view: PageView, one: Switch, on: KeptFault, kept: readonly KeptFault[]): Markup => {
  const rules = kept.filter(({ seq }) => seq !== on.seq).map(({ rule }) => rule);
  return html`<form method="post" action="${view.root}faults/off"><input type="hidden" name="seq" value="${on.seq}">
<button role="switch" aria-checked="true" aria-label="${one.label}">On</button>
<p class="soft">${scopeWords(on.rule)} · struck ${view.live(`fired-${on.seq}`, String(on.fired))} of ${view.live(`seen-${on.seq}`, String(on.seen))}</p></form>
${linesBlock([[`${one.label}: off`, setLines(view.place, rules)]])}`;
};

const switchRow = (view: PageView, one: Switch, kept: readonly KeptFault[]): Markup => {
  const on = kept.find(({ rule }) => switchOf(rule) === one);
  return html`<li class="card"><h3>${one.label}</h3><p>${one.about}</p>${
    on === undefined ? turnOn(view, one, kept) : turnOff(view, one, on, kept)
  }</li>`;
};

const ruleRow = (view: PageView, { seq, rule, seen, fired }: KeptFault): Markup => html`<tr>
<td class="wide">${faultWords(rule)}</td><td class="wide id">${scopeWords(rule)}</td>
<td class="number">${view.live(`all-fired-${seq}`, String(fired))} of ${view.live(`all-seen-${seq}`, String(seen))}</td>
<td><form method="post" action="${view.root}faults/off"><input type="hidden" name="seq" value="${seq}"><button>Remove<span class="unseen"> ${faultWords(rule)}</span></button></form></td></tr>`;

const allRules = (view: PageView, kept: readonly KeptFault[]): Markup | string => {
  if (kept.length === 0) return '';
  const clear = { path: 'faults/clear', label: 'Behave again', lines: setLines(view.place, []) };
  return html`<h2>All rules, in their order</h2>${table(
    'Rules for faults',
    ['What happens', 'Which requests', 'Struck', ''],
    kept.map((one) => ruleRow(view, one)),
  )}${actionForms(view, [clear])}`;
};

const group = (view: PageView, title: string, kind: Kind, kept: readonly KeptFault[]): Markup =>
  html`<h2>${title}</h2><ul class="switches">${SWITCHES.filter((one) => one.kind === kind).map((one) =>
    switchRow(view, one, kept),
  )}</ul>`;

/** Renders the fault rules as switches. */
export const faultsPage = (view: PageView): Page => {
  const kept = view.service.store.faults();
  return {
    title: 'Faults',
    section: 'faults',
    body: html`<p>See what your program does when the service misbehaves. Rules stay until they are turned off, and hold for
<code>--local</code>, too.</p>${allRules(view, kept)}${group(view, 'Answers', 'requests', kept)}${group(view, 'Webhooks', 'events', kept)}`,
  };
};
