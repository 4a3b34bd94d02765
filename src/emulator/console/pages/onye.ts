import { html } from 'hono/html';
import type { Onye } from '../../../contract/onye.ts';
import { printExact, valueAt } from '../../../core/json.ts';
import { findIn, onyeFilter } from '../find.ts';
import { facts, moment, nameOf, table, text } from '../parts.ts';
import type { Markup, Page, PageView } from '../view.ts';
import { historyOf } from './timeline.ts';
import { moreLinks, positionIn, ugwoTable } from './ugwo-list.ts';

const rowOf = (view: PageView, onye: Onye): Markup => html`<tr>
<td class="wide"><a href="${view.root}onye/${onye.uid}">${nameOf(onye) || onye.uid}</a></td>
<td>${text(onye.email ?? '')}</td><td class="id">${text(onye.ref ?? '')}</td>
<td>${moment(onye.created_at, view.now)}</td></tr>`;

/** Renders the customers of the data file, with a search. */
export const onyeListPage = (view: PageView): Page => {
  const { service, query, root } = view;
  const found = findIn(service.store.customersBefore, positionIn(query), onyeFilter(query.get('q') ?? ''));
  const rows = found.records.map((onye) => rowOf(view, onye));
  const list =
    rows.length === 0
      ? html`<div class="card"><p>No customer${query.size === 0 ? ' yet' : ' fits'}.</p></div>`
      : table('Customers, newest first', ['Name', 'E-mail', 'Reference', 'Created'], rows);
  return {
    title: 'Customers',
    section: 'onye',
    body: html`<form class="search" role="search" method="get" action="${root}onye">
<label>Search<input type="search" name="q" value="${query.get('q') ?? ''}" placeholder="name, e-mail, reference, identifier"></label>
<button>Search</button></form>${list}${moreLinks(view, 'onye', found)}`,
  };
};

/** Formats a map of a record, one name after the other. */
export const mapText = (map: unknown): string =>
  typeof map !== 'object' || map === null || Object.keys(map).length === 0
    ? 'none'
    : Object.entries(map)
        .filter(([, value]) => value !== '')
        .map(([name, value]) => `${text(name)}: ${typeof value === 'string' ? text(value) : text(printExact(value))}`)
        .join(', ');

/** Renders a customer with its payment requests and their history. */
export const onyePage = (view: PageView, onye: Onye): Page => {
  const { store } = view.service;
  const found = findIn(store.ugwoBefore, positionIn(view.query), (ugwo) => valueAt(ugwo, 'onye.uid') === onye.uid);
  return {
    title: nameOf(onye) || onye.uid,
    section: 'onye',
    body: html`<div class="columns"><section class="card"><h2>Customer</h2>${facts([
      ['Identifier', html`<span class="id">${onye.uid}</span>`],
      ['E-mail', text(onye.email ?? '') || 'none'],
      ['Reference', text(onye.ref ?? '') || 'none'],
      ['Address', mapText(onye.billing_address)],
      ['Meta', mapText(onye.meta)],
      ['Created', html`${moment(onye.created_at, view.now)}`],
    ])}</section>
<section class="card"><h2>What happened, newest first</h2>${historyOf(view, found.records)}</section></div>
<h2>Payment requests</h2>
${found.records.length === 0 ? html`<p class="soft">None among the newest ${found.looked}.</p>` : ugwoTable(view, found.records)}
${moreLinks(view, `onye/${onye.uid}`, found)}`,
  };
};
