import { html } from 'hono/html';
import type { Ugwo } from '../../../contract/ugwo.ts';
import { type FoundRecords, findIn, ugwoFilter } from '../find.ts';
import { amountOf, moment, nameOf, pill, table, text } from '../parts.ts';
import { REQUEST_WORDS, requestState } from '../states.ts';
import type { Markup, Page, PageView } from '../view.ts';

const rowOf = (view: PageView, ugwo: Ugwo): Markup => {
  const about = text(ugwo.description ?? '') || text(ugwo.ref ?? '') || ugwo.uid;
  return html`<tr><td class="wide"><a href="${view.root}ugwo/${ugwo.uid}">${about}</a></td>
<td class="number">${amountOf(ugwo)}</td>
<td class="end">${pill(view, ugwo.uid, requestState(ugwo.status))}</td>
<td>${nameOf(ugwo.onye) || html`<span class="soft">nobody</span>`}</td>
<td class="id end">${text(ugwo.ref ?? '')}</td>
<td class="soft">${moment(ugwo.created_at, view.now)}</td></tr>`;
};

/** Renders payment requests as a table. */
export const ugwoTable = (view: PageView, records: readonly Ugwo[]): Markup =>
  html`<div class="ugwos">${table(
    'Payment requests, newest first',
    ['For', 'Amount', 'State', 'Customer', 'Reference', 'Created'],
    records.map((ugwo) => rowOf(view, ugwo)),
  )}</div>`;

/** Links to the next part of a list and back to its start. */
export const moreLinks = ({ root, query }: PageView, path: string, { next, looked }: FoundRecords<unknown>): Markup => {
  const to = (before: string | undefined): string => {
    const asked = new URLSearchParams([...query].filter(([name]) => name !== 'before'));
    if (before !== undefined) asked.set('before', before);
    return asked.size === 0 ? `${root}${path}` : `${root}${path}?${asked}`;
  };
  const newest = query.has('before') ? html`<a href="${to(undefined)}">Newest</a>` : '';
  const older = next === undefined ? '' : html`<a href="${to(String(next))}">Older</a>`;
  const isSearch = (query.get('q') ?? '') !== '' || (query.get('status') ?? '') !== '';
  const far = isSearch && next !== undefined ? html`<span class="soft">Looked at ${looked} records.</span>` : '';
  return html`<p class="more">${newest}${older}${far}</p>`;
};

/** Reads the position of the next part of a list. */
export const positionIn = (query: URLSearchParams): number | undefined => {
  const before = Number(query.get('before') ?? '');
  return Number.isSafeInteger(before) && before > 0 ? before : undefined;
};

const searchForm = ({ root, query }: PageView): Markup => {
  const status = query.get('status') ?? '';
  const options = REQUEST_WORDS.map(
    ([value, word]) => html`<option value="${value}"${value === status ? html` selected` : ''}>${word}</option>`,
  );
  return html`<form class="search" role="search" method="get" action="${root}ugwo">
<label>Search<input type="search" name="q" value="${query.get('q') ?? ''}" placeholder="name, e-mail, reference, amount, identifier"></label>
<label>State<select name="status"><option value="">any</option>${options}</select></label>
<button>Search</button></form>`;
};

/** Renders the payment requests of the data file, with a search. */
export const ugwoListPage = (view: PageView): Page => {
  const { service, query } = view;
  const isWanted = ugwoFilter(query.get('q') ?? '', query.get('status') ?? '');
  const found = findIn(service.store.ugwoBefore, positionIn(query), isWanted);
  const none = html`<div class="card"><p>${
    query.size === 0 ? 'There is no payment request. Seed some under Clock and data.' : 'No payment request fits.'
  }</p></div>`;
  return {
    title: 'Payment requests',
    section: 'ugwo',
    body: html`${searchForm(view)}${found.records.length === 0 ? none : ugwoTable(view, found.records)}${moreLinks(view, 'ugwo', found)}`,
  };
};
