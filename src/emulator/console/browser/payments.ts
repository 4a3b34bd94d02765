import { buildExample, mediumNamed } from '../../../charge/mediums.ts';
import { activityFacts, balanceOf, paymentOf, requestFacts } from '../../../charge/payment.ts';
import { REFUND_WORDS, statusWord, type Tone } from '../../../core/status.ts';
import {
  type Action,
  actions,
  ask,
  card,
  columns,
  emulator,
  facts,
  h,
  id,
  input,
  moment,
  money,
  msOf,
  onData,
  onService,
  type Part,
  page,
  row,
  type Screen,
  soft,
  statusPill,
  table,
  toneOf,
  valuesOf,
} from './parts.ts';

interface Refund {
  readonly uid: string;
  readonly status: string;
  readonly amount: number;
  readonly error: Reason | null;
  readonly created_at: string;
  readonly updated_at: string;
}

interface Reason {
  readonly code?: string;
  readonly message?: string;
}

interface NextAction {
  readonly instruction: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Activity {
  readonly uid: string;
  readonly ugwo_uid: string;
  readonly status: string;
  readonly medium: string;
  readonly charged_amount?: number;
  readonly is_double_charge?: boolean;
  readonly error: Reason | null;
  readonly next_action: NextAction | null;
  readonly qr?: readonly (readonly boolean[])[];
  readonly refunds: readonly Refund[];
  readonly created_at: string;
  readonly updated_at: string;
}

/** A payment request in the documented dialect. */
interface Ugwo {
  readonly uid: string;
  readonly amount: number;
  readonly total_amount_paid: number;
  readonly currency: string;
  readonly status: string;
  readonly ref: string | null;
  readonly description: string | null;
  readonly metadata?: object;
  readonly onye: { readonly email: string | null; readonly first_name?: string; readonly last_name?: string } | null;
  readonly checkout: { readonly mediums: readonly { readonly medium: string }[] } | null;
  readonly created_at: string;
}

type Timeline = Ugwo & { readonly activities: readonly Activity[] };

const spaced = (text: string): string => text.replaceAll('_', ' ');
const byMedium = ({ medium }: { readonly medium: string }): string => `by ${spaced(medium)}`;
const isOpen = ({ status }: Activity): boolean => ['requires_action', 'processing'].includes(status);
const nameOf = ({ description, ref, uid }: Ugwo): string => description || ref || uid;
const customerOf = ({ onye }: Ugwo): string =>
  [onye?.first_name, onye?.last_name].filter(Boolean).join(' ') || onye?.email || 'no customer';

export const paymentLink = (uid: string, text = uid): HTMLElement =>
  h('a', { href: `#payments/${encodeURIComponent(uid)}` }, text);

/** Word for an activity: its payment, as the terminal says it. `ugwo` tells part payments, if it is known. */
const endOf = (activity: Activity, ugwo?: Ugwo): readonly [word: string, tone: Tone] => {
  const { status, is_double_charge } = activity;
  if (status === 'successful' && is_double_charge) return ['paid twice', 'alarm'];
  const { payment } = paymentOf(activityFacts(activity), { request: ugwo && requestFacts(ugwo) });
  return [statusWord(isOpen(activity) ? status : payment), toneOf(status)];
};

const settle = ({ uid }: Activity, as: string, label: string, tone: Tone): Action => ({
  label,
  tone,
  run: async () => `The charge is ${endOf(await emulator<Activity>('POST', 'settle', { activity: uid, as }))[0]}.`,
  command: () => onData('settle', uid, '--as', as),
});

const chargeWith = (uid: string, medium: string) => {
  const known = mediumNamed(medium);
  const data = known === undefined ? { medium } : buildExample(known);
  return {
    send: () => ask<Activity>('POST', `v1/ugwo/${uid}/activities`, { type: 'charge', data }),
    words: ['ugwo', 'charge', uid, ...Object.entries(data).flatMap(([name, value]) => [`--${name}`, value])],
  };
};

/** Makes the second charge before the first is paid: a paid request can't be charged. */
const payTwice = ({ uid, ugwo_uid: ugwo, medium }: Activity, other: Activity | undefined): Action => {
  const { send, words } = chargeWith(ugwo, medium);
  const paid = (activity: string): string => onData('settle', activity, '--as', 'successful');
  return {
    label: 'Pay twice',
    run: async () => {
      const second = other ?? (await send());
      for (const activity of [uid, second.uid]) await emulator('POST', 'settle', { activity, as: 'successful' });
      return 'The customer has paid twice.';
    },
    command: () => {
      if (other !== undefined) return `${paid(uid)}\n${paid(other.uid)}`;
      const made = onService(...words, '--again', '--columns', 'uid', '-o', 'tsv');
      return `second=$(${made})\n${paid(uid)}\n${paid('SECOND').replace('SECOND', '"$second"')}`;
    },
  };
};

const svg = (name: string, attributes: Readonly<Record<string, string | number>>, ...inside: Node[]): SVGElement => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...inside);
  return made;
};

const qrCode = (rows: readonly (readonly boolean[])[]): SVGElement => {
  const size = rows.length;
  const squares = rows.flatMap((cells, y) => cells.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')));
  return svg(
    'svg',
    { class: 'qr', viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': 'QR code that dials the code' },
    svg('rect', { width: size, height: size, fill: '#fff' }),
    svg('path', { d: squares.join(''), fill: '#000' }),
  );
};

const nextStep = ({ next_action: action, qr }: Activity): Part => {
  if (action === null) return h('p', 'The customer confirms the payment on the phone.');
  const { account_number, ussd, ...others } = action.headers ?? {};
  const entries = Object.entries(others).map(
    ([name, value]) => [spaced(name), name === 'expires_at' ? moment(value) : value] as const,
  );
  return [
    qr && qrCode(qr),
    h('p.copy', account_number ?? (ussd && `Dial ${ussd}`)),
    facts(entries),
    soft(action.instruction),
  ];
};

const endingsOf = (activity: Activity, other: Activity | undefined): readonly Action[] =>
  isOpen(activity)
    ? [
        settle(activity, 'successful', 'Pay', 'good'),
        settle(activity, 'failed', 'Fail', 'bad'),
        settle(activity, 'expired', 'Expire', 'bad'),
        payTwice(activity, other),
      ]
    : [settle(activity, 'reversed', 'Reverse the payment', 'bad')];

const customerView = (ugwo: Ugwo, activity: Activity, other: Activity | undefined): HTMLElement =>
  card(
    'What the customer sees',
    h(
      'div.phone',
      h('p.sum', money(activity.charged_amount ?? ugwo.amount, ugwo.currency)),
      soft(isOpen(activity) ? byMedium(activity) : `${endOf(activity, ugwo)[0]}, ${byMedium(activity)}`),
      isOpen(activity) && nextStep(activity),
    ),
    soft('Practice: you decide what the customer does with ', id(activity.uid), '.'),
    actions(activity.uid, ...endingsOf(activity, other)),
  );

const charging = ({ uid, status, checkout }: Ugwo): Part => {
  const mediums = checkout?.mediums ?? [];
  if (!['requires_ugwo', 'processing'].includes(status) || mediums.length === 0) return undefined;
  const list = mediums.map(({ medium }): Action => {
    const { send, words } = chargeWith(uid, medium);
    return {
      label: `Charge by ${spaced(medium)}`,
      run: async () => send().then(() => `Charged by ${spaced(medium)}.`),
      command: () => onService(...words),
    };
  });
  return card(
    'Charge it',
    soft('As a client would. Each charge is an activity of its own.'),
    actions('charge', ...list),
  );
};

/** Something that happened to the payment request, or to an activity or refund of it. */
interface Happening {
  readonly at: string;
  readonly text: string;
  readonly tone: Tone;
  readonly of: { readonly uid: string; readonly status: string; readonly error?: Reason | null };
  readonly isEnd?: boolean;
}

const refundHappenings = (refund: Refund, currency: string): readonly Happening[] => {
  const text = `Refund of ${money(refund.amount, currency)}`;
  const requested: Happening = { at: refund.created_at, text: `${text} requested`, tone: 'off', of: refund };
  if (refund.status === 'processing') return [requested];
  const word = statusWord(refund.status, REFUND_WORDS);
  return [
    requested,
    { at: refund.updated_at, text: `${text}: ${word}`, tone: toneOf(refund.status), of: refund, isEnd: true },
  ];
};

const activityHappenings = (activity: Activity, ugwo: Ugwo): readonly Happening[] => {
  const [{ currency }, [word, tone]] = [ugwo, endOf(activity, ugwo)];
  const text = `Charged ${byMedium(activity)}`;
  if (isOpen(activity)) return [{ at: activity.created_at, text: `${text}: ${word}`, tone, of: activity }];
  const paid = activity.charged_amount === undefined ? '' : `, with ${money(activity.charged_amount, currency)}`;
  const ended = `${word.charAt(0).toUpperCase()}${word.slice(1)}${paid}`;
  return [
    { at: activity.created_at, text, tone: 'off', of: activity },
    { at: activity.updated_at, text: ended, tone, of: activity, isEnd: true },
    ...activity.refunds.flatMap((refund) => refundHappenings(refund, currency)),
  ];
};

const happeningsOf = (ugwo: Timeline): readonly Happening[] => {
  const text = `Payment request over ${money(ugwo.amount, ugwo.currency)}`;
  const later = ugwo.activities.flatMap((activity) => activityHappenings(activity, ugwo));
  return [
    { at: ugwo.created_at, text, tone: 'off', of: ugwo },
    ...later.toSorted((one, other) => msOf(one.at) - msOf(other.at)),
  ];
};

const happening = ({ at, text, tone, of: { uid, status, error }, isEnd }: Happening): HTMLElement => {
  const reason = isEnd && [error?.code, error?.message].filter(Boolean).join(': ');
  return h(
    'li',
    { 'data-tone': tone, title: status },
    h('p', text),
    reason && soft(reason),
    soft(moment(at), ' · ', id(uid)),
  );
};

const requestCard = (ugwo: Timeline): HTMLElement => {
  const { received, missing = 0, excess = 0, isPaidTwice } = balanceOf(requestFacts(ugwo));
  return card(
    'Payment request',
    facts([
      ['Amount', money(ugwo.amount, ugwo.currency)],
      ['Status', [statusPill(ugwo.status), ' ', h('code', ugwo.status)]],
      ['Received', money(received, ugwo.currency)],
      ['Missing', received > 0 && missing > 0 && money(missing, ugwo.currency)],
      [isPaidTwice ? 'Paid twice, too much' : 'Too much', excess > 0 && money(excess, ugwo.currency)],
      ['Customer', customerOf(ugwo)],
      ['E-mail', ugwo.onye?.email],
      ['Reference', ugwo.ref],
      ['Identifier', id(ugwo.uid)],
      ['Metadata', Object.keys(ugwo.metadata ?? {}).length > 0 && h('code', JSON.stringify(ugwo.metadata))],
      ['Created', moment(ugwo.created_at)],
    ]),
  );
};

export const paymentView: Screen<Timeline> = {
  load: (uid) => ask('GET', `timelines/${encodeURIComponent(uid)}`),
  draw: (ugwo) => {
    const open = ugwo.activities.filter(isOpen).toReversed();
    const paid = ugwo.activities.filter(({ status }) => status === 'successful').toReversed();
    const shown = open.length > 0 ? open : paid;
    const views = shown.map((one) =>
      customerView(
        ugwo,
        one,
        open.find((other) => other !== one),
      ),
    );
    const timeline = card('Timeline', h('ol.timeline', happeningsOf(ugwo).map(happening)));
    return [nameOf(ugwo), columns(h('div', requestCard(ugwo), timeline), h('div', views, charging(ugwo)))];
  },
};

/** Hides the rows that lack a word. A status is found by its word and by its value. */
const filterRows = (words: readonly string[]): void => {
  for (const line of page('view').querySelectorAll<HTMLElement>('tbody tr')) {
    const values = [...line.querySelectorAll<HTMLElement>('.pill')].map(({ title }) => title);
    const text = [line.textContent, ...values].join(' ').toLowerCase();
    line.hidden = !words.every((word) => text.includes(word));
  }
};

const search = (): HTMLElement => {
  const form = document.createElement('form');
  form.role = 'search';
  form.append(
    input('Filter this list, or open an identifier', 'search', 'payments', {
      type: 'search',
      placeholder: 'name, reference, status, ugw.…',
    }),
    h('button', { 'data-key': 'open' }, 'Open'),
  );
  const text = (): string => valuesOf(form)['search']?.trim() ?? '';
  form.addEventListener('input', () => filterRows(text().toLowerCase().split(/\s+/)));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (text().startsWith('ugw.')) location.hash = `payments/${encodeURIComponent(text())}`;
  });
  return form;
};

const paymentRow = (ugwo: Ugwo): HTMLElement =>
  row(
    paymentLink(ugwo.uid, nameOf(ugwo)),
    money(ugwo.amount, ugwo.currency),
    statusPill(ugwo.status),
    [ugwo.onye ? customerOf(ugwo) : soft(customerOf(ugwo)), h('span.unseen', ugwo.onye?.email)],
    [ugwo.ref, h('span.unseen', ugwo.uid)],
    moment(ugwo.created_at),
  );

const HEADS = ['For', 'Amount', 'Status', 'Customer', 'Reference', 'Created'];

export const paymentsView: Screen<{ readonly data: readonly Ugwo[]; readonly next_cursor: string | null }> = {
  load: (cursor) => ask('GET', `v1/ugwo?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`),
  draw: ({ data, next_cursor: next }) => [
    'Payment requests',
    search(),
    data.length === 0
      ? soft('There is no payment request. Seed some under Clock and data.')
      : table('Payment requests, newest first', HEADS, data.map(paymentRow)),
    next !== null && h('p', h('a', { href: `#older/${encodeURIComponent(next)}` }, 'Older')),
  ],
};
