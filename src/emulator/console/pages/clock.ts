import { html } from 'hono/html';
import { FIRST_RECORDS } from '../../../core/data-files.ts';
import { formatDuration } from '../../../core/time.ts';
import { aboutData, controlCurl } from '../lines.ts';
import { type Action, actionForms, clockText } from '../parts.ts';
import type { EmulatorPlace, Markup, Page, PageView } from '../view.ts';

const moveAction = (place: EmulatorPlace, by: string, label: string, inputs?: Markup): Action => ({
  path: 'clock',
  label,
  ...(inputs === undefined ? { fields: { by } } : { inputs }),
  lines: { paycli: aboutData(place, 'clock', `+${by}`), curl: controlCurl(place, 'POST', 'clock', { by }) },
});

const backAction = (place: EmulatorPlace): Action => ({
  path: 'clock/back',
  label: 'Back to the real time',
  lines: { paycli: aboutData(place, 'clock', 'back'), curl: controlCurl(place, 'DELETE', 'clock') },
});

const custom = html`<label>Move it on by<input name="by" value="1m" pattern="[0-9]{1,6}[smh]" title="such as 90s, 10m or 1h" required></label>`;

const clockCard = (view: PageView): Markup => {
  const moved = view.service.store.clockOffset();
  const { place } = view;
  return html`<section class="card"><h2>Clock</h2>
<p>It shows <strong class="tabular">${view.live('now', clockText(view.now, view.now))}</strong>${
    moved === 0 ? ', the real time' : html`, moved on by ${formatDuration(moved)}`
  }. Accounts expire, and payments and refunds end, as if so much time had passed.</p>
${actionForms(view, [
  ...['15m', '1h', '24h'].map((by) => moveAction(place, by, `+ ${by}`)),
  moveAction(place, '1m', 'Move', custom),
  ...(moved === 0 ? [] : [backAction(place)]),
])}</section>`;
};

const counts = html`<label>Customers<input name="customers" inputmode="numeric" pattern="[0-9]{1,6}" value="${FIRST_RECORDS.customers}" required></label>
<label>Payment requests<input name="ugwo" inputmode="numeric" pattern="[0-9]{1,6}" value="${FIRST_RECORDS.ugwo}" required></label>`;

const sure = html`<label class="tick"><input type="checkbox" name="sure" value="yes" required>Remove every record</label>`;

const dataCard = (view: PageView): Markup => {
  const { place } = view;
  const { customers, ugwo } = FIRST_RECORDS;
  const seed: Action = {
    path: 'seed',
    label: 'Seed',
    inputs: counts,
    lines: {
      paycli: aboutData(place, 'seed', '--customers', String(customers), '--ugwo', String(ugwo)),
      curl: controlCurl(place, 'POST', 'seed', { customers, ugwo }),
    },
  };
  const reset: Action = {
    path: 'reset',
    label: 'Reset',
    tone: 'bad',
    inputs: sure,
    lines: { paycli: aboutData(place, 'reset', '--yes'), curl: controlCurl(place, 'POST', 'reset', {}) },
  };
  return html`<section class="card"><h2>Data</h2><p>New records are newer than those there are.</p>
${actionForms(view, [seed])}
<p class="then">A reset removes every record, the rules for faults and what the clock was moved by. The keys stay.</p>
${actionForms(view, [reset])}</section>`;
};

/** Renders the clock and the actions that fill or empty the data file. */
export const clockPage = (view: PageView): Page => ({
  title: 'Clock and data',
  section: 'clock',
  body: html`<div class="columns">${clockCard(view)}${dataCard(view)}</div>
<p class="soft">Commands with curl take their key from <code>PAYCLI_SECRET_KEY</code>, those of the emulator itself from
<code>PAYCLI_CONTROL_TOKEN</code>; <code>paycli emulator start</code> prints both, as <code>key</code> and <code>control_token</code>.</p>`,
});
