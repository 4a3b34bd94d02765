import { html } from 'hono/html';
import type { Markup, Page, PageView } from './view.ts';

const SECTIONS = [
  ['', 'Requests'],
  ['ugwo', 'Payment requests'],
  ['onye', 'Customers'],
  ['webhooks', 'Webhooks'],
  ['faults', 'Faults'],
  ['clock', 'Clock and data'],
] as const;

const navigation = ({ root }: Pick<PageView, 'root'>, { section }: Page): Markup =>
  html`<nav aria-label="Console"><ul>${SECTIONS.map(
    ([path, name]) =>
      html`<li><a href="${root}${path}"${path === section ? html` aria-current="page"` : ''}>${name}</a></li>`,
  )}</ul></nav>`;

/** The message of an action, shown on the next page only. */
export interface Said {
  readonly isDone: boolean;
  readonly text: string;
}

const saidBlock = (said: Said | undefined): Markup | string =>
  said === undefined
    ? ''
    : html`<p class="said" role="status" data-tone="${said.isDone ? 'good' : 'bad'}">${said.text}</p>`;

/** Renders a page in the common layout. `shape` stays the same as long as only the texts of its cells change. */
export const documentOf = (view: PageView, page: Page, shape: string, said: Said | undefined): Markup =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · paycli emulator</title>
<link rel="icon" href="${view.root}icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${view.root}style.css">
<script src="${view.root}script.js" defer></script></head>
<body data-root="${view.root}" data-shape="${shape}"${page.feed === true ? html` data-feed` : ''}>
<a class="skip" href="#main">Skip to content</a>
<header><p class="brand">paycli <span>emulator</span></p>${navigation(view, page)}<p id="link" class="link" role="status"></p></header>
<main id="main" tabindex="-1">
<p id="changed" class="said" hidden>This page has changed. <a href="">Show it as it is now</a></p>
${saidBlock(said)}
<h1>${page.title}</h1>
${page.body}
</main>
<footer><p>A test: no money moves. Only this machine can open this page.</p></footer>
</body></html>
`;
