import { hash } from 'node:crypto';
import { visibleLines } from '../../core/text.ts';
import type { HttpAnswer } from '../http.ts';
import { respond, type Service } from '../service.ts';

/** Markup that `html` has made. Every other text is escaped, so that no record can add markup to a page. */
class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Content of markup. Empty values are left out. */
export type Part = Markup | string | number | null | undefined | readonly Part[];

const markupOf = (part: Part): string => {
  if (part instanceof Markup) return part.text;
  if (Array.isArray(part)) return part.map(markupOf).join('');
  return visibleLines(String(part ?? '')).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
};

/** Tag of template literals that hold markup. Escapes the values in it. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(String.raw({ raw: texts }, ...parts.map(markupOf)));

interface Page {
  readonly title: string;
  readonly content: Part;
  readonly style: string;
  readonly script?: string;
  /** Values that the script reads as data attributes of the body. */
  readonly data?: Readonly<Record<string, string | undefined>>;
  /** The one origin that may show the page in a frame. */
  readonly framer?: string | undefined;
}

const sourceHash = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/** Headers that allow only the content of the page itself, and forms that stay here. */
const headersOf = ({ style, script, framer }: Page): Readonly<Record<string, string>> => ({
  'content-security-policy': [
    "default-src 'none'",
    `script-src ${script === undefined ? "'none'" : sourceHash(script)}`,
    `style-src ${sourceHash(style)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${framer ?? "'none'"}`,
  ].join('; '),
  // A page's address contains a key. Without a referrer, a form would have no origin.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
});

/** Builds the answer that shows a page. */
export const respondPage = (service: Service, status: number, page: Page): HttpAnswer => {
  const { title, content, style, script, data = {} } = page;
  const given = Object.entries(data).filter(([, value]) => value !== undefined);
  const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body${given.map(([name, value]) => html` data-${name}="${value}"`)}>
${content}
${script === undefined ? '' : html`<script>${new Markup(script)}</script>`}
</body>
</html>
`.text;
  return respond(service, status, 'text/html; charset=utf-8', text, headersOf(page));
};

/** Sends the browser back to the page of a form, so that reloading it does not send the form again. */
export const showAgain = (service: Service, address: string): HttpAnswer =>
  respond(service, 303, 'text/plain', '', { location: address });
