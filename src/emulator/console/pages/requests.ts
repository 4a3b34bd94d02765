import { STATUS_CODES } from 'node:http';
import { html } from 'hono/html';
import { attempt } from '../../../core/async.ts';
import { parseExact, parseIfJson, printExact } from '../../../core/json.ts';
import { shellQuote } from '../../../core/shell.ts';
import { visibleLines } from '../../../core/text.ts';
import type { SeenRequest } from '../../request-log.ts';
import { aboutService, linesBlock, serviceCurl } from '../lines.ts';
import { clockText, facts, pill, table, text } from '../parts.ts';
import { faultWords, refusedBy, scopeWords } from '../rules.ts';
import type { State } from '../states.ts';
import type { Markup, Page, PageView } from '../view.ts';

/** Short titles of statuses whose title in Node is too long for a table. */
const SHORT: Readonly<Record<number, string>> = { 413: 'Too Large', 422: 'Unprocessable' };

const statusText = (status: number): string => `${status} ${SHORT[status] ?? STATUS_CODES[status] ?? ''}`.trim();

/** Identifiers by their beginning: what follows tells people nothing. */
const shortened = (path: string): string => path.replaceAll(/\b((?:ugw|act|ony|chk|rfd)\.\w+\.\w{6})\w{10,}/g, '$1…');

/** Describes the answer that the client received. */
const gotState = ({ status, executed }: SeenRequest): State => {
  if (status === undefined) return [executed === undefined ? 'cut off' : 'answer lost', 'bad'];
  return [statusText(status), status >= 400 ? 'bad' : 'good'];
};

/** Why it did not simply go well; each rule in words. */
const reasonsOf = ({ struck, executed, status }: SeenRequest): readonly string[] => {
  const refused = executed === undefined ? [] : refusedBy(executed);
  const done = struck !== undefined && executed !== undefined && executed.status < 400;
  const unheard =
    done && (status === undefined || status >= 400) ? [`the service had done it (${executed.status})`] : [];
  const asked = struck === undefined && status === undefined ? ['metadata.emulate asks for it'] : [];
  return [...(struck === undefined ? [] : [`fault: ${faultWords(struck)}`]), ...asked, ...refused, ...unheard];
};

/** Returns the values of a row, for the page and the live stream. */
export const rowFacts = (seen: SeenRequest, now: number) => {
  const [word, tone] = gotState(seen);
  const { seq, at, method, url } = seen;
  const [moment, path, why] = [clockText(at, now), text(shortened(url)), text(reasonsOf(seen).join('; '))];
  return { seq, at: new Date(at).toISOString(), moment, method: text(method), path, word, tone, why };
};

const rowOf = (view: PageView, seen: SeenRequest): Markup => {
  const { seq, at, moment, method, path, word, tone, why } = rowFacts(seen, view.now);
  return html`<tr><td><time datetime="${at}">${moment}</time></td>
<td class="end">${pill(view, `request-${seq}`, [word, tone])}</td>
<td class="wide id"><a href="${view.root}requests/${seq}">${method} ${path}</a></td>
<td class="wide"><span>${why}</span></td></tr>`;
};

const first = ({ place, root }: PageView): Markup => html`<div class="card"><h2>No request yet</h2>
<p>Point a client at <code>${place.origin}</code> with the key that <code>paycli emulator start</code> has printed. Its requests show here as they
come in. Or charge a <a href="${root}ugwo">payment request</a> from here.</p>
<pre><code>paycli ugwo list --base-url ${place.origin}</code></pre>
<p class="soft">It takes the key from <code>PAYCLI_SECRET_KEY</code>. Requests of <code>--local</code> don't come through here.</p></div>`;

/** Renders the latest requests to the service, newest first. */
export const requestsPage = (view: PageView): Page => {
  const seen = view.requests.newest();
  const rows = seen.map((one) => rowOf(view, one));
  const newest = seen[0]?.seq ?? 0;
  const heads = ['Time', 'Answer', 'Request', 'Rule that refused or struck it'];
  const list = rows.length === 0 ? first(view) : table('Requests, newest first', heads, rows);
  return {
    title: 'Requests',
    section: '',
    feed: true,
    body: html`<div id="requests" data-last="${newest}">${list}</div>`,
  };
};

/** With a line for each member, where that rounds no number. */
const pretty = (json: string): string => {
  const value = /\d{16}/.test(json) ? undefined : parseIfJson(json);
  return value === undefined ? json : JSON.stringify(value, null, 2);
};

const noAnswer = (executed: SeenRequest['executed']): string =>
  executed === undefined ? 'It was not executed.' : 'It was not kept, since nobody had opened the console yet.';

const block = (title: string, body: string | undefined, empty: string): Markup =>
  html`<section class="card"><h2>${title}</h2>${
    body === undefined || body === ''
      ? html`<p class="soft">${empty}</p>`
      : html`<pre><code>${visibleLines(pretty(body))}</code></pre>`
  }</section>`;

/** Parses the sent body as an object; undefined if it isn't one. */
const bodyOf = (json: string | undefined): Record<string, unknown> | undefined =>
  json === undefined ? undefined : (attempt(() => parseExact(json)) as Record<string, unknown> | undefined);

/** The same request again, from a terminal. */
const againLines = ({ place }: PageView, { method, url, body: sent }: SeenRequest): Markup => {
  const body = bodyOf(sent);
  const sends = body === undefined ? '' : `echo ${shellQuote(printExact(body))} | `;
  const input = body === undefined ? [] : ['--input', '-'];
  const paycli = `${sends}${aboutService(place, 'api', method, url, ...input)}`;
  const curl = serviceCurl(place, { method, url, ...(body === undefined ? {} : { body }) });
  return linesBlock([['The same request again', { paycli, curl }]]);
};

const ugwoIn = ({ url, executed }: SeenRequest): string | undefined =>
  /\bugw\.\w+\.\w+/.exec(url)?.[0] ?? /"(ugw\.\w+\.\w+)"/.exec(executed?.text ?? '')?.[1];

/** Renders one request in full. */
export const requestPage = (view: PageView, seen: SeenRequest): Page => {
  const { method, url, at, took, agent, struck, executed, body } = seen;
  const ugwo = ugwoIn(seen);
  const reasons = reasonsOf(seen);
  return {
    title: `${method} ${text(url.split('?')[0] ?? '')}`,
    section: '',
    body: html`<div class="card">${facts([
      ['Answer', pill(view, 'answer', gotState(seen))],
      ['Rule', reasons.length > 0 && html`${reasons.map((reason) => html`<p>${text(reason)}</p>`)}`],
      ['Fault for', struck && html`${scopeWords(struck)} · <a href="${view.root}faults">Faults</a>`],
      ['Path', html`<span class="id">${text(url)}</span>`],
      ['Time', html`${clockText(at, view.now)}, took ${Math.round(took)} ms`],
      ['Client', text(agent) || 'says no name'],
      ['About', ugwo !== undefined && html`<a class="id" href="${view.root}ugwo/${ugwo}">${ugwo}</a>`],
    ])}${againLines(view, seen)}</div>
<div class="columns">${block('Request', body, 'It had no body.')}
${block(executed === undefined ? 'Answer of the service' : `Answer of the service: ${statusText(executed.status)}`, executed?.text, noAnswer(executed))}</div>
<p class="soft">Headers are not kept. Long bodies are cut off.</p>`,
  };
};
