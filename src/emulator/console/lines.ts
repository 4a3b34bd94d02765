import { html } from 'hono/html';
import { asCurl, type CurlRequest, shellLine } from '../../core/shell.ts';
import { CONTROL } from '../control.ts';
import type { EmulatorPlace, Markup } from './view.ts';

/** An action as it is typed into a shell. */
export interface ShellLines {
  readonly paycli: string;
  readonly curl: string;
}

/** A command about the emulator's data, as words. */
export const aboutData = ({ data }: EmulatorPlace, ...words: readonly string[]): string =>
  shellLine(['paycli', 'emulator', ...words, ...(data === undefined ? [] : ['--data', data])]);

/** A command of the service, as words, sent to this emulator and nowhere else. */
export const aboutService = ({ origin }: EmulatorPlace, ...words: readonly string[]): string =>
  shellLine(['paycli', ...words, '--base-url', origin]);

/** A request of the service; its key is that of the service. */
export const serviceCurl = ({ origin }: EmulatorPlace, { url, ...request }: CurlRequest): string =>
  asCurl({ ...request, url: `${origin}${url}` });

/** A request of the controls, which have a key of their own. */
export const controlCurl = (
  { origin }: EmulatorPlace,
  method: string,
  what: string,
  body?: CurlRequest['body'],
): string =>
  asCurl(
    { method, url: `${origin}${CONTROL}${what}`, ...(body === undefined ? {} : { body }) },
    'PAYCLI_CONTROL_TOKEN',
  );

const linesOf = ([about, { paycli, curl }]: readonly [string, ShellLines]): Markup => html`<div><h3>${about}</h3>
<p>paycli</p><pre><code>${paycli}</code></pre>
<p>curl</p><pre><code>${curl}</code></pre></div>`;

/** The same actions for a terminal, folded up. */
export const linesBlock = (actions: readonly (readonly [about: string, lines: ShellLines])[]): Markup =>
  html`<details class="lines"><summary>As commands<span class="unseen">: ${actions.map(([about]) => about).join(', ')}</span></summary>
${actions.map(linesOf)}</details>`;
