import type { ClockState } from '../../control.ts';
import type { DeliveryAttempt } from '../../store.ts';
import type { ShownDelivery, ShownWebhook } from '../../webhooks.ts';
import {
  type Action,
  actions,
  card,
  columns,
  done,
  emulator,
  h,
  id,
  input,
  keyed,
  line,
  moment,
  msOf,
  onData,
  type Part,
  row,
  type Screen,
  select,
  soft,
  statusPill,
  table,
  type Values,
} from './parts.ts';
import { paymentLink } from './payments.ts';

// Webhooks

const attemptItem = ({ at, status, error, ms, fault }: DeliveryAttempt): HTMLElement =>
  h('li', moment(at), `: ${status ?? error}, ${ms} ms${fault === undefined ? '' : `, fault: ${fault}`}`);

const deliveryRow = ({ id: number, event, about, url, state, at, due, attempts }: ShownDelivery): HTMLElement => {
  const replay: Action = {
    label: `Replay ${number}`,
    run: async () => done(`${event} is sent again.`, 'POST', 'deliveries/replay', { id: number }),
    command: () => onData('webhook', 'deliveries', '--replay', number),
  };
  return row(
    moment(at),
    statusPill(state),
    [h('strong', event), soft('to ', id(url)), soft(about.startsWith('ugw.') ? paymentLink(about) : id(about))],
    [
      attempts.length === 0 ? soft('not sent yet') : `sent ${attempts.length} ×`,
      h('ol', attempts.map(attemptItem)),
      due !== null && soft('next try ', moment(due)),
    ],
    actions(`delivery ${number}`, replay),
  );
};

const webhookRow = ({ id: number, url, events, signed }: ShownWebhook): HTMLElement => {
  const remove: Action = {
    label: `Remove ${url}`,
    run: async () => done(`Nothing is sent to ${url} any more.`, 'POST', 'webhooks/remove', { id: number }),
    command: () => onData('webhook', 'remove', number),
  };
  return row(
    id(url),
    events.join(', ') === '*' ? 'all events' : events.join(', '),
    signed ? 'signed' : 'not signed',
    actions(`webhook ${number}`, remove),
  );
};

const wordsIn = (text = ''): readonly string[] => text.split(/[\s,]+/).filter(Boolean);

const addWebhook = (): Action => ({
  label: 'Add',
  inputs: [
    input('Address', 'url', 'add', { type: 'url', value: 'http://127.0.0.1:4242/webhooks', required: '' }),
    input('Events', 'events', 'add', { placeholder: 'all, or ugwo.activity.*' }),
    input('Secret', 'secret', 'add', { type: 'password', autocomplete: 'off', placeholder: 'none: not signed' }),
  ],
  run: async ({ url, events, secret }) => {
    const added = await emulator<ShownWebhook>('POST', 'webhooks', { url, events: wordsIn(events), secret });
    return `Events are sent to ${added.url} from now on.`;
  },
  command: ({ url = '', events, secret }) => {
    const wanted = wordsIn(events).flatMap((one) => ['--event', one]);
    return onData('webhook', 'add', url, ...wanted, ...(secret ? ['--secret-file', 'secret.txt'] : ['--unsigned']));
  },
});

interface List<T> {
  readonly data: readonly T[];
}

export const webhooksView: Screen<readonly [List<ShownWebhook>, List<ShownDelivery>]> = {
  load: () =>
    Promise.all([emulator<List<ShownWebhook>>('GET', 'webhooks'), emulator<List<ShownDelivery>>('GET', 'deliveries')]),
  draw: ([{ data: webhooks }, { data: deliveries }]) => [
    'Webhooks',
    webhooks.length === 0
      ? soft('There is no webhook yet. Add the address of your receiver on this machine.')
      : table('Addresses', ['Address', 'Events', 'Signature', 'Remove'], webhooks.map(webhookRow)),
    card('Add an address', actions('add', addWebhook())),
    h('h2', 'Deliveries'),
    deliveries.length === 0
      ? soft('Nothing was sent yet.')
      : table(
          'Deliveries, newest first',
          ['Time', 'Status', 'Event', 'Attempts', 'Again'],
          deliveries.map(deliveryRow),
        ),
  ],
};

// Faults

/** A rule as the emulator lists it: with the number of requests that it matched and was applied to. */
interface Rule {
  readonly times?: number;
  readonly seen: number;
  readonly fired: number;
}

type Choices = Readonly<Record<string, object>>;

const FAULTS: Readonly<Record<string, { readonly effects: Choices; readonly scopes: Choices }>> = {
  Answers: {
    effects: {
      'Lose the answer': { reset: true, when: 'after' },
      'Error after the commit': { status: 500, when: 'after' },
      'Slow: 5 seconds late': { delay: '5s' },
      'Too many requests': { status: 429, retry_after: 2 },
      'Out of service': { status: 503 },
    },
    scopes: {
      charges: { method: 'POST', path: '/v1/ugwo/*/activities' },
      reads: { method: 'GET' },
      'all requests': {},
    },
  },
  Webhooks: {
    effects: {
      'Sent twice': { twice: true },
      'Out of order': { out_of_order: true },
      'Late: 10 minutes, by the clock here': { late: '10m' },
      'Wrong signature': { signature: 'wrong' },
      'Never sent': { never: true },
    },
    scopes: {
      'all events': { event: '*' },
      'events of charges': { event: 'ugwo.activity.*' },
      'events of payment': { event: 'ugwo.successful' },
    },
  },
};
const OFTEN: Choices = { each: {}, 'only the next one': { times: 1 } };

const plain = ({ seen, fired, ...rule }: Rule): object => rule;
/** Leaves out used-up rules: to set them again would start their counts again. */
const lasting = (rules: readonly Rule[]): readonly object[] =>
  rules.filter(({ times, fired }) => times === undefined || fired < times).map(plain);
const faultsLine = (rules: readonly object[]): string =>
  `${line('printf', '%s', JSON.stringify({ rules }))} > faults.json\n${onData('faults', 'faults.json')}`;
const setFaults = (rules: readonly object[], text: string) => (): Promise<string> =>
  done(text, 'PUT', 'faults', { rules });

const faultForm = (rules: readonly Rule[], title: string, effects: Choices, scopes: Choices): HTMLElement => {
  const rulesFor = ({ effect = '', scope = '', often = '' }: Values): readonly object[] => [
    ...lasting(rules),
    { ...scopes[scope], ...OFTEN[often], ...effects[effect] },
  ];
  const turnOn: Action = {
    label: 'Turn on',
    inputs: [
      select('Fault', 'effect', title, Object.keys(effects)),
      select('Applies to', 'scope', title, Object.keys(scopes)),
      select('How often', 'often', title, Object.keys(OFTEN)),
    ],
    run: async (values) => setFaults(rulesFor(values), `${values['effect']}: on.`)(),
    command: (values) => faultsLine(rulesFor(values)),
  };
  return card(title, actions(title, turnOn));
};

const faultRow = (rule: Rule, index: number, rules: readonly Rule[]): HTMLElement => {
  const rest = lasting(rules.toSpliced(index, 1));
  const remove: Action = {
    label: `Remove rule ${index + 1}`,
    run: setFaults(rest, 'The rule is off.'),
    command: () => faultsLine(rest),
  };
  return row(
    h('code', JSON.stringify(plain(rule))),
    `applied to ${rule.fired} of ${rule.seen}`,
    actions(`rule ${index}`, remove),
  );
};

const faultsTable = (rules: readonly Rule[]): Part =>
  rules.length > 0 && [
    table('Rules, in their order', ['Rule', 'Count', 'Remove'], rules.map(faultRow)),
    actions('faults', {
      label: 'Remove all rules',
      run: setFaults([], 'All rules are removed.'),
      command: () => faultsLine([]),
    }),
  ];

export const faultsView: Screen<{ readonly rules: readonly Rule[] }> = {
  load: () => emulator('GET', 'faults'),
  draw: ({ rules }) => [
    'Faults',
    h(
      'p',
      'See what your program does when the service misbehaves. Rules apply until you remove them, also with --local.',
    ),
    faultsTable(rules),
    columns(Object.entries(FAULTS).map(([title, { effects, scopes }]) => faultForm(rules, title, effects, scopes))),
  ],
};

// Clock and data

const moveClock = (label: string, inputs: readonly Part[], byOf: (values: Values) => string): Action => ({
  label,
  inputs,
  run: async (values) => done(`The clock is moved on by ${byOf(values)}.`, 'POST', 'clock', { by: byOf(values) }),
  command: (values) => onData('clock', `+${byOf(values)}`),
});

const by = (): HTMLElement =>
  input('Move it forward by', 'by', 'clock', {
    value: '1m',
    pattern: '[0-9]{1,6}[smh]',
    title: 'such as 90s, 10m or 1h',
    required: '',
  });

const back: Action = {
  label: 'Back to the real time',
  run: async () => done('The clock shows the real time.', 'DELETE', 'clock'),
  command: () => onData('clock', 'back'),
};

const clockCard = ({ now, moved }: ClockState): HTMLElement =>
  card(
    'Clock',
    h(
      'p',
      'It shows ',
      moment(now),
      moved === 0 ? ', the real time.' : ['. The real time is ', moment(msOf(now) - moved), '.'],
    ),
    h('p', 'Accounts expire, and payments and refunds end, as if so much time had passed.'),
    actions(
      'clock',
      ...['15m', '1h', '24h'].map((one) => moveClock(`+ ${one}`, [], () => one)),
      moveClock('Move', [by()], ({ by = '' }) => by),
      ...(moved === 0 ? [] : [back]),
    ),
  );

const count = (label: string, name: string, value: number): HTMLElement =>
  input(label, name, 'seed', { inputmode: 'numeric', pattern: '[0-9]{1,6}', value, required: '' });

const seed = (): Action => ({
  label: 'Seed',
  inputs: [count('Customers', 'customers', 25), count('Payment requests', 'ugwo', 120)],
  run: async (values) => {
    const { customers, ugwo } = await emulator<Values>('POST', 'seed', values);
    return `Added ${customers} customers and ${ugwo} payment requests.`;
  },
  command: ({ customers = '', ugwo = '' }) => onData('seed', '--customers', customers, '--ugwo', ugwo),
});

const reset = (): Action => ({
  label: 'Reset',
  tone: 'bad',
  inputs: [
    h('label.tick', h('input', keyed('sure', 'reset', { type: 'checkbox', required: '' })), 'Remove every record'),
  ],
  run: async () => done('Every record is removed.', 'POST', 'reset', {}),
  command: () => onData('reset', '--yes'),
});

export const clockView: Screen<ClockState> = {
  load: () => emulator('GET', 'clock'),
  draw: (clock) => [
    'Clock and data',
    columns(
      clockCard(clock),
      card(
        'Data',
        h('p', 'Seed adds newer records. Reset removes all records, deliveries and rules, and sets the clock back.'),
        actions('data', seed(), reset()),
      ),
    ),
  ],
};
