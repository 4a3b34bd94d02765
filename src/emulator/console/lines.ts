import { html } from 'hono/html';
import { asCurl, type CurlRequest, shellLine } from '../../core/shell.ts';
import { CONTROL } from '../control.ts';
import type { EmulatorPlace, Markup } from './view.ts';

/** An action as shell commands. */
export interface ShellLines {
  readonly paycli: string;
  readonly curl: string;
}

/** Builds a command on the emulator's data. */
export const aboutData = ({ data }: EmulatorPlace, ...words: readonly string[]): string =>
  shellLine(['paycli', 'emulator', ...words, ...(data === undefined ? [] : ['--data', data])]);

/** Builds a command that calls the service of this emulator. */
export const aboutService = ({ origin }: EmulatorPlace, ...words: readonly string[]): string =>
  shellLine(['paycli', ...words, '--base-url', origin]);

/** Builds a curl request to the service, with the service's key. */
export const serviceCurl = ({ origin }: EmulatorPlace, { url, ...request }: CurlRequest): string =>
  asCurl({ ...request, url: `${origin}${url}` });

/** Builds a curl request to the controls, which have their own key. */
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

/** Renders the actions as commands for a terminal, in a folded block. */
export const linesBlock = (actions: readonly (readonly [about: string, lines: ShellLines])[]): Markup =>
  html`<details class="lines"><summary>As commands<span class="unseen">: ${actions.map(([about]) => about).join(', ')}</span></summary>
${actions.map(linesOf)}</details>`;
