// The console in the browser. Texts become text nodes, never markup.

const MAX_ROWS = 300;
const page = (id) => document.getElementById(id);
const root = location.pathname;

const HIDDEN = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u200b\u2028\u2029\ufeff]/gu;
const escaped = (char) => `\\u{${char.codePointAt(0).toString(16)}}`;
/** Shows hidden characters, which could turn a text around. */
const visible = (text) => String(text ?? '').replace(HIDDEN, (char) => (char === '\n' ? char : escaped(char)));

/** Builds an element: `h('p.soft', { title: 'x' }, 'text', …)`. Attributes may be left out; a function is a listener. */
const h = (kind, ...inside) => {
  const [name, className] = kind.split('.');
  const made = document.createElement(name);
  if (className !== undefined) made.className = className;
  if (inside[0]?.constructor === Object) {
    for (const [key, value] of Object.entries(inside.shift())) {
      if (typeof value === 'function') made.addEventListener(key, value);
      else if (value !== undefined) made.setAttribute(key, value);
    }
  }
  const parts = inside.flat(3).filter((one) => one !== undefined && one !== false && one !== '');
  made.append(...parts.map((one) => (one instanceof Node ? one : visible(one))));
  return made;
};

/** Calls this console: the service, its controls, or what only the console reads. */
const ask = async (method, path, body) => {
  const sent = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(root + path, { method, ...sent });
  const isJson = /json/.test(answer.headers.get('content-type'));
  const content = await (isJson ? answer.json() : answer.text());
  if (!answer.ok) throw new Error(isJson ? (content.detail ?? content.message) : content);
  return content;
};

const about = await ask('GET', 'about');

// Texts

/** Formats an amount of the minor unit, as paycli does. */
const money = (amount, currency = '') => {
  const digits = about.digits[currency.toUpperCase()] ?? 2;
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return `${currency} ${((amount ?? 0) / 10 ** digits).toLocaleString('en', options)}`;
};

const moment = (value) => {
  const at = new Date(value ?? Number.NaN);
  if (Number.isNaN(at.getTime())) return value;
  const isToday = at.toDateString() === new Date().toDateString();
  const text = isToday ? at.toLocaleTimeString('en-GB') : at.toLocaleString('en-GB');
  return h('time', { datetime: at.toISOString(), title: at.toISOString() }, text);
};

/** Shortens identifiers: their ends tell people nothing. */
const shortened = (path) => path.replaceAll(/\b((?:ugw|act|ony|chk|rfd)\.\w+\.\w{6})\w{10,}/g, '$1…');

const STATES = {
  requires_ugwo: ['not paid', 'open'],
  requires_action: ['waiting for the customer', 'open'],
  processing: ['processing', 'open'],
  ugwo_successful: ['paid', 'good'],
  successful: ['paid', 'good'],
  failed: ['failed', 'bad'],
  cancelled: ['cancelled', 'off'],
  partially_refunded: ['partly refunded', 'off'],
  refunded: ['refunded', 'off'],
  waiting: ['waiting', 'open'],
  delivered: ['delivered', 'good'],
  dropped: ['dropped', 'off'],
};
/** The contract has one status for all failures; the code of the error tells them apart. */
const FAILURES = { 'psp.error.expired': ['expired', 'bad'], 'psp.error.reversed': ['taken back', 'bad'] };

const stateOf = ({ status, error, is_double_charge }) => {
  if (status === 'successful' && is_double_charge) return ['paid twice', 'bad'];
  return FAILURES[error?.code] ?? STATES[status] ?? [status, 'off'];
};

const isOpen = ({ status }) => status === 'requires_action' || status === 'processing';
const pill = ([word, tone]) => h('span.pill', { 'data-tone': tone }, word);
const id = (text) => h('span.id', text);
const soft = (...inside) => h('p.soft', ...inside);
const card = (title, ...inside) => h('section.card', h('h2', title), ...inside);
const paymentLink = (uid, text = uid) => h('a', { href: `#payments/${encodeURIComponent(uid)}` }, text);
const customerOf = ({ onye }) => [onye?.first_name, onye?.last_name].filter(Boolean).join(' ') || onye?.email;
const nameOf = ({ description, ref, uid }) => description || ref || uid;

const facts = (entries) => {
  const known = entries.filter(([, value]) => (value ?? '') !== '');
  return h(
    'dl',
    known.map(([name, value]) => h('div', h('dt', name), h('dd', value))),
  );
};

const table = (caption, heads, rows) =>
  h(
    'table',
    h('caption.unseen', caption),
    h('thead', h('tr', ...heads.map((head) => h('th', { scope: 'col' }, head)))),
    h('tbody', rows),
  );
const row = (...cells) => h('tr', ...cells.map((cell) => h('td', cell)));

// Commands

const quote = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
const line = (...words) => words.map(String).map(quote).join(' ');
const onData = (...words) => line('paycli', 'emulator', ...words, ...(about.data ? ['--data', about.data] : []));
const onService = (...words) => line('paycli', ...words, '--base-url', location.origin);
const block = (text) => h('pre', h('code', text));

// Actions

const say = (text, tone) => {
  page('said').textContent = visible(text);
  page('said').dataset.tone = tone;
  page('said').hidden = false;
};

let isBusy = false;
/** Runs an action once, says what came of it, and shows the page as it is then. */
const act = async (run, values) => {
  if (isBusy) return;
  isBusy = true;
  await run(values).then(
    (text) => say(text, 'good'),
    (error) => say(`Not done: ${error.message}`, 'bad'),
  );
  isBusy = false;
  await show(true);
};

const valuesOf = (form) => Object.fromEntries(new FormData(form));
const keyed = (name, key, attributes) => ({ name, 'data-key': `${key} ${name}`, ...attributes });
const input = (label, name, key, attributes) => h('label', label, h('input', keyed(name, key, attributes)));
const select = (label, name, key, options) =>
  h('label', label, h('select', keyed(name, key, {}), ...options.map((one) => h('option', one))));

/**
 * Builds forms side by side, and the command that does the same as each. `run` returns a promise of a message; `command`
 * returns the line. Both get the values of `inputs`.
 */
const actions = (key, list) => {
  const made = list.map(({ label, tone, inputs = [], run, command }) => {
    const code = h('code');
    const button = h('button', { 'data-key': `${key} ${label}`, 'data-tone': tone }, label);
    const form = h('form', inputs, button);
    const update = () => {
      code.textContent = visible(command(valuesOf(form)));
    };
    form.addEventListener('input', update);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void act(run, valuesOf(form));
    });
    update();
    return { form, shown: h('div', { 'data-command': label }, h('h3', label), h('pre', code)) };
  });
  const lines = h(
    'details',
    { 'data-key': `${key} commands` },
    h('summary', { 'data-key': `${key} summary` }, 'As commands'),
    made.map(({ shown }) => shown),
  );
  return [
    h(
      'div.buttons',
      made.map(({ form }) => form),
    ),
    lines,
  ];
};

const emulator = (method, path, body) => ask(method, `emulator/${path}`, body);
/** Resolves to the text once the emulator has done it. */
const done = async (text, ...call) => {
  await emulator(...call);
  return text;
};

// Requests

/** Rows of the log, newest first. */
const log = [];
/** Number of times that the log has begun. New rows are added to the table without drawing it again. */
let beginnings = 0;

const requestRow = ({ seq, at, method, url, got, isGood, reasons }) =>
  row(
    moment(at),
    pill([got, isGood ? 'good' : 'bad']),
    h('a.id', { href: `#requests/${seq}`, 'data-key': `request ${seq}` }, `${method} ${shortened(url)}`),
    reasons.map((reason) => h('p', reason)),
  );

const requestsView = {
  load: async () => beginnings,
  draw: () => [
    'Requests',
    log.length > 0
      ? table('Requests, newest first', ['Time', 'Answer', 'Request', 'Refused or changed by'], log.map(requestRow))
      : card(
          'No request yet',
          h('p', `Point a client at ${location.origin} with the key that paycli emulator start has printed.`),
          block(onService('ugwo', 'list')),
          soft('It takes the key from PAYCLI_SECRET_KEY. Requests of --local don’t come through here.'),
        ),
  ],
};

const isJson = (text) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Formats JSON with a line for each member, unless that would round a number. */
const pretty = (text) => (isJson(text) && !/\d{16}/.test(text) ? JSON.stringify(JSON.parse(text), null, 2) : text);

/** A body that was cut off is not sent again. */
const again = ({ method, url, body }) =>
  body && isJson(body)
    ? `${line('printf', '%s', body)} | ${onService('api', method, url, '--input', '-')}`
    : onService('api', method, url);

const requestView = {
  load: (seq) => ask('GET', `requests/${seq}`),
  draw: (seen) => {
    const { method, url, at, took, agent, got, isGood, reasons, body, executed } = seen;
    const uid = /\bugw\.\w+\.\w+/.exec(`${url} ${executed?.text ?? ''}`)?.[0];
    const answer = executed?.text || (executed ? 'Not kept: the console was not open yet.' : 'It was not executed.');
    return [
      `${method} ${shortened(url.split('?')[0])}`,
      card(
        'Request',
        facts([
          ['Answer', pill([got, isGood ? 'good' : 'bad'])],
          ['Rule', reasons.length > 0 ? reasons.map((reason) => h('p', reason)) : undefined],
          ['Path', id(url)],
          ['Time', [moment(at), `, took ${took} ms`]],
          ['Client', agent],
          ['About', uid && paymentLink(uid)],
        ]),
        h('div', { 'data-command': 'The same request again' }, h('h3', 'The same request again'), block(again(seen))),
      ),
      h(
        'div.columns',
        card('Body', body ? block(pretty(body)) : soft('It had no body.')),
        card(`Answer of the service${executed ? `: ${executed.status}` : ''}`, block(pretty(answer))),
      ),
      soft('Headers are not kept. Long bodies are cut off.'),
    ];
  },
};

// Payment requests

const settle = ({ uid }, as, label, tone) => ({
  label,
  tone,
  run: async () => `The charge is ${stateOf(await emulator('POST', 'settle', { activity: uid, as }))[0]}.`,
  command: () => onData('settle', uid, '--as', as),
});

const CHARGES = {
  bank_transfer: {},
  ussd: { provider: 'gtb' },
  mobile_money: { provider: 'mtn', phone: '+233241234567' },
};
const chargeWith = (uid, medium) => {
  const data = { medium, ...CHARGES[medium] };
  return {
    send: () => ask('POST', `v1/ugwo/${uid}/activities`, { type: 'charge', data }),
    words: ['ugwo', 'charge', uid, ...Object.entries(data).flatMap(([name, value]) => [`--${name}`, value])],
  };
};

/** Makes the second charge before the first is paid: a paid request can't be charged. */
const payTwice = ({ uid, ugwo_uid: ugwo, medium }, other) => {
  const { send, words } = chargeWith(ugwo, medium);
  const paid = (activity) => onData('settle', activity, '--as', 'successful');
  return {
    label: 'Pay twice',
    run: async () => {
      const second = other ?? (await send());
      for (const activity of [uid, second.uid]) await emulator('POST', 'settle', { activity, as: 'successful' });
      return 'The customer has paid twice.';
    },
    command: () => {
      if (other) return `${paid(uid)}\n${paid(other.uid)}`;
      const made = `${onService(...words, '--again', '--columns', 'uid', '-o', 'tsv')} | cut -f2`;
      return `second=$(${made})\n${paid(uid)}\n${paid('SECOND').replace('SECOND', '"$second"')}`;
    },
  };
};

const qrCode = (rows) => {
  const svg = (name, attributes) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const squares = rows.flatMap((cells, y) => cells.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')));
  const size = rows.length;
  const made = svg('svg', {
    class: 'qr',
    viewBox: `0 0 ${size} ${size}`,
    role: 'img',
    'aria-label': 'QR code that dials the code',
  });
  made.append(
    svg('rect', { width: size, height: size, fill: '#fff' }),
    svg('path', { d: squares.join(''), fill: '#000' }),
  );
  return made;
};

const nextStep = ({ next_action: action, qr }) => {
  if (!action) return h('p', 'The customer confirms the payment on the phone.');
  const { account_number, ussd, ...others } = action.headers ?? {};
  const entries = Object.entries(others).map(([name, value]) => [
    name.replaceAll('_', ' '),
    name === 'expires_at' ? moment(value) : value,
  ]);
  return [
    qr && qrCode(qr),
    h('p.copy', account_number ?? (ussd && `Dial ${ussd}`)),
    facts(entries),
    soft(action.instruction),
  ];
};

const byMedium = ({ medium }) => `by ${medium.replaceAll('_', ' ')}`;

const customerView = (ugwo, activity, others) => {
  const endings = isOpen(activity)
    ? [
        settle(activity, 'successful', 'Pay', 'good'),
        settle(activity, 'failed', 'Fail', 'bad'),
        settle(activity, 'expired', 'Expire', 'bad'),
        payTwice(activity, others[0]),
      ]
    : [settle(activity, 'taken_back', 'Take the payment back', 'bad')];
  return card(
    'What the customer sees',
    h(
      'div.phone',
      h('p.sum', money(activity.charged_amount ?? ugwo.amount, ugwo.currency)),
      soft(isOpen(activity) ? byMedium(activity) : `${stateOf(activity)[0]}, ${byMedium(activity)}`),
      isOpen(activity) ? nextStep(activity) : '',
    ),
    soft('Practice: you decide what the customer does.'),
    ...actions(activity.uid, endings),
  );
};

const charging = ({ uid, status, checkout }) => {
  const mediums = (checkout?.mediums ?? []).map(({ medium }) => medium);
  if (!['requires_ugwo', 'processing'].includes(status) || mediums.length === 0) return '';
  const list = mediums.map((medium) => {
    const { send, words } = chargeWith(uid, medium);
    const label = `Charge by ${medium.replaceAll('_', ' ')}`;
    return {
      label,
      run: async () => send().then(() => `Charged by ${medium.replaceAll('_', ' ')}.`),
      command: () => onService(...words),
    };
  });
  return card(
    'Charge it',
    soft('As a client would. Each charge is an activity of its own.'),
    ...actions('charge', list),
  );
};

const why = ({ error }) => (error ? [error.code, error.message].filter(Boolean).join(': ') : '');

/** Lists what happened to a payment request, in order. */
const happenings = (ugwo) => {
  const ofRefund = (refund) => {
    const of = `Refund of ${money(refund.amount, ugwo.currency)}`;
    const ended = [
      refund.updated_at,
      `${of}: ${refund.status}`,
      refund.status === 'failed' ? 'bad' : 'off',
      why(refund),
      refund.uid,
    ];
    return [
      [refund.created_at, `${of} asked for`, 'off', '', refund.uid],
      ...(refund.status === 'processing' ? [] : [ended]),
    ];
  };
  const ofActivity = (activity) => {
    const [word, tone] = stateOf(activity);
    const by = `Charged ${byMedium(activity)}`;
    if (isOpen(activity)) return [[activity.created_at, `${by}: ${word}`, tone, '', activity.uid]];
    const paid = activity.charged_amount === undefined ? '' : `, with ${money(activity.charged_amount, ugwo.currency)}`;
    const ended = `${word[0].toUpperCase()}${word.slice(1)}${paid}`;
    return [
      [activity.created_at, by, 'off', '', activity.uid],
      [activity.updated_at, ended, tone, why(activity), activity.uid],
      ...activity.refunds.flatMap(ofRefund),
    ];
  };
  const made = [ugwo.created_at, `Payment request over ${money(ugwo.amount, ugwo.currency)}`, 'off', '', ugwo.uid];
  const later = ugwo.activities.flatMap(ofActivity).toSorted((one, other) => Date.parse(one[0]) - Date.parse(other[0]));
  return [made, ...later];
};

const timeline = (ugwo) =>
  h(
    'ol.timeline',
    happenings(ugwo).map(([at, what, tone, more, uid]) =>
      h('li', { 'data-tone': tone }, h('p', what), more && soft(more), soft(moment(at), ' · ', id(uid))),
    ),
  );

const paymentView = {
  load: (uid) => ask('GET', `timelines/${encodeURIComponent(uid)}`),
  draw: (ugwo) => {
    const open = ugwo.activities.filter(isOpen).toReversed();
    const paid = ugwo.activities.filter(({ status }) => status === 'successful').toReversed();
    const seen = open.length > 0 ? open : paid;
    const hasMetadata = ugwo.metadata && Object.keys(ugwo.metadata).length > 0;
    return [
      nameOf(ugwo),
      h(
        'div.columns',
        h(
          'div',
          card(
            'Payment request',
            facts([
              ['Amount', money(ugwo.amount, ugwo.currency)],
              ['Status', [pill(stateOf(ugwo)), ' ', h('code', ugwo.status)]],
              ['Paid', money(ugwo.total_amount_paid, ugwo.currency)],
              ['Customer', customerOf(ugwo) ?? 'no customer'],
              ['E-mail', ugwo.onye?.email],
              ['Reference', ugwo.ref],
              ['Identifier', id(ugwo.uid)],
              ['Metadata', hasMetadata ? h('code', JSON.stringify(ugwo.metadata)) : ''],
              ['Created', moment(ugwo.created_at)],
            ]),
          ),
          card('What happened', timeline(ugwo)),
        ),
        h(
          'div',
          seen.map((activity) =>
            customerView(
              ugwo,
              activity,
              open.filter((other) => other !== activity),
            ),
          ),
          charging(ugwo),
        ),
      ),
    ];
  },
};

const filterRows = (words) => {
  for (const line of page('view').querySelectorAll('tbody tr')) {
    const text = line.textContent.toLowerCase();
    line.hidden = !words.every((word) => text.includes(word));
  }
};

const paymentsView = {
  load: (cursor) => ask('GET', `v1/ugwo?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`),
  draw: ({ data, next_cursor: next }) => [
    'Payment requests',
    h(
      'form',
      {
        role: 'search',
        input: ({ target }) => filterRows(target.value.toLowerCase().split(/\s+/)),
        submit: (event) => {
          event.preventDefault();
          const { search } = valuesOf(event.target);
          if (search.startsWith('ugw.')) location.hash = `payments/${encodeURIComponent(search.trim())}`;
        },
      },
      input('Filter this list, or open an identifier', 'search', 'payments', {
        type: 'search',
        placeholder: 'name, reference, status, ugw.…',
      }),
      h('button', { 'data-key': 'open' }, 'Open'),
    ),
    data.length === 0
      ? soft('There is no payment request. Seed some under Clock and data.')
      : table(
          'Payment requests, newest first',
          ['For', 'Amount', 'Status', 'Customer', 'Reference', 'Created'],
          data.map((ugwo) =>
            row(
              paymentLink(ugwo.uid, nameOf(ugwo)),
              money(ugwo.amount, ugwo.currency),
              pill(stateOf(ugwo)),
              [customerOf(ugwo) ?? soft('no customer'), h('span.unseen', ugwo.onye?.email ?? '')],
              [ugwo.ref ?? '', h('span.unseen', ugwo.uid)],
              moment(ugwo.created_at),
            ),
          ),
        ),
    next ? h('p', h('a', { href: `#older/${encodeURIComponent(next)}` }, 'Older')) : '',
  ],
};

// Webhooks

const deliveryRow = ({ id: number, event, about: subject, url, state, at, due, attempts }) => {
  const replay = {
    label: `Replay ${number}`,
    run: async () => done(`${event} is sent again.`, 'POST', 'deliveries/replay', { id: number }),
    command: () => onData('webhook', 'deliveries', '--replay', number),
  };
  const heard = ({ status, error, ms, fault }) => `${status ?? error}, ${ms} ms${fault ? `, fault: ${fault}` : ''}`;
  return row(
    moment(at),
    pill(STATES[state]),
    [h('strong', event), soft('to ', id(url)), soft(subject.startsWith('ugw.') ? paymentLink(subject) : id(subject))],
    [
      attempts.length === 0 ? soft('not sent yet') : `sent ${attempts.length} ×`,
      h(
        'ol',
        attempts.map((one) => h('li', moment(one.at), `: ${heard(one)}`)),
      ),
      due && soft('next try ', moment(due)),
    ],
    actions(`delivery ${number}`, [replay]),
  );
};

const webhookRow = ({ id: number, url, events, signed }) => {
  const remove = {
    label: `Remove ${url}`,
    run: async () => done(`Nothing is sent to ${url} any more.`, 'POST', 'webhooks/remove', { id: number }),
    command: () => onData('webhook', 'remove', number),
  };
  return row(
    id(url),
    events.join(', ') === '*' ? 'all' : events.join(', '),
    signed ? 'signed' : 'not signed',
    actions(`webhook ${number}`, [remove]),
  );
};

const wordsIn = (text) => text.split(/[\s,]+/).filter(Boolean);

const addWebhook = () => ({
  label: 'Add',
  inputs: [
    input('Address', 'url', 'add', { type: 'url', value: 'http://127.0.0.1:4242/webhooks', required: '' }),
    input('Events', 'events', 'add', { placeholder: 'all, or ugwo.activity.*' }),
    input('Secret', 'secret', 'add', { type: 'password', autocomplete: 'off', placeholder: 'none: not signed' }),
  ],
  run: async ({ url, events, secret }) => {
    const added = await emulator('POST', 'webhooks', { url, events: wordsIn(events), secret });
    return `Events are sent to ${added.url} from now on.`;
  },
  command: ({ url, events, secret }) => {
    const wanted = wordsIn(events).flatMap((one) => ['--event', one]);
    return onData('webhook', 'add', url, ...wanted, ...(secret ? ['--secret-file', 'secret.txt'] : ['--unsigned']));
  },
});

const webhooksView = {
  load: () => Promise.all([emulator('GET', 'webhooks'), emulator('GET', 'deliveries')]),
  draw: ([{ data: webhooks }, { data: deliveries }]) => [
    'Webhooks',
    webhooks.length === 0
      ? soft('There is no webhook yet. Add the address of your receiver on this machine.')
      : table('Addresses', ['Address', 'Events', 'Signature', 'Remove'], webhooks.map(webhookRow)),
    card('Add an address', ...actions('add', [addWebhook()])),
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

const FAULTS = {
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
const OFTEN = { each: {}, 'only the next one': { times: 1 } };

const plain = ({ seen, fired, ...rule }) => rule;
/** Leaves out used-up rules: to set them again would start their counts again. */
const lasting = (rules) => rules.filter(({ times, fired }) => times === undefined || fired < times).map(plain);
const faultsLine = (rules) =>
  `${line('printf', '%s', JSON.stringify({ rules }))} > faults.json\n${onData('faults', 'faults.json')}`;
const setFaults = (rules, text) => async () => done(text, 'PUT', 'faults', { rules });

const faultForm = (kept, [title, { effects, scopes }]) => {
  const rulesFor = ({ effect, scope, often }) => [
    ...lasting(kept),
    { ...scopes[scope], ...OFTEN[often], ...effects[effect] },
  ];
  const turnOn = {
    label: 'Turn on',
    inputs: [
      select('Fault', 'effect', title, Object.keys(effects)),
      select('Applies to', 'scope', title, Object.keys(scopes)),
      select('How often', 'often', title, Object.keys(OFTEN)),
    ],
    run: async (values) => setFaults(rulesFor(values), `${values.effect}: on.`)(),
    command: (values) => faultsLine(rulesFor(values)),
  };
  return card(title, ...actions(title, [turnOn]));
};

const faultRow = (kept, rule, index) => {
  const rest = lasting(kept.toSpliced(index, 1));
  const label = `Remove rule ${index + 1}`;
  const remove = { label, run: setFaults(rest, 'The rule is off.'), command: () => faultsLine(rest) };
  return row(
    h('code', JSON.stringify(plain(rule))),
    `applied to ${rule.fired} of ${rule.seen}`,
    actions(`rule ${index}`, [remove]),
  );
};

const faultsView = {
  load: () => emulator('GET', 'faults'),
  draw: ({ rules }) => [
    'Faults',
    h(
      'p',
      'See what your program does when the service misbehaves. Rules apply until you remove them, also with --local.',
    ),
    rules.length > 0
      ? [
          table(
            'Rules, in their order',
            ['Rule', 'Applied', 'Remove'],
            rules.map((rule, index) => faultRow(rules, rule, index)),
          ),
          ...actions('faults', [
            { label: 'Remove all rules', run: setFaults([], 'All rules are removed.'), command: () => faultsLine([]) },
          ]),
        ]
      : '',
    h(
      'div.columns',
      Object.entries(FAULTS).map((kind) => faultForm(rules, kind)),
    ),
  ],
};

// Clock and data

const moveClock = (by, label, inputs) => ({
  label,
  inputs,
  run: async (values) => done(`The clock is moved on by ${by ?? values.by}.`, 'POST', 'clock', { by: by ?? values.by }),
  command: (values) => onData('clock', `+${by ?? values.by}`),
});

const count = (label, name, value) =>
  input(label, name, 'seed', { inputmode: 'numeric', pattern: '[0-9]{1,6}', value, required: '' });

const seed = () => ({
  label: 'Seed',
  inputs: [count('Customers', 'customers', 25), count('Payment requests', 'ugwo', 120)],
  run: async (values) => {
    const { customers, ugwo } = await emulator('POST', 'seed', values);
    return `Added ${customers} customers and ${ugwo} payment requests.`;
  },
  command: ({ customers, ugwo }) => onData('seed', '--customers', customers, '--ugwo', ugwo),
});

const reset = () => ({
  label: 'Reset',
  tone: 'bad',
  inputs: [
    h('label.tick', h('input', keyed('sure', 'reset', { type: 'checkbox', required: '' })), 'Remove every record'),
  ],
  run: async () => done('Every record is removed.', 'POST', 'reset', {}),
  command: () => onData('reset', '--yes'),
});

const clockView = {
  load: () => emulator('GET', 'clock'),
  draw: ({ now, moved }) => {
    const by = input('Move it forward by', 'by', 'clock', {
      value: '1m',
      pattern: '[0-9]{1,6}[smh]',
      title: 'such as 90s, 10m or 1h',
      required: '',
    });
    const back = {
      label: 'Back to the real time',
      run: async () => done('The clock shows the real time.', 'DELETE', 'clock'),
      command: () => onData('clock', 'back'),
    };
    return [
      'Clock and data',
      h(
        'div.columns',
        card(
          'Clock',
          h(
            'p',
            'It shows ',
            moment(now),
            moved === 0 ? ', the real time.' : '. The real time is ',
            moved !== 0 && moment(Date.parse(now) - moved),
          ),
          h('p', 'Accounts expire, and payments and refunds end, as if so much time had passed.'),
          ...actions('clock', [
            ...['15m', '1h', '24h'].map((one) => moveClock(one, `+ ${one}`)),
            moveClock(undefined, 'Move', [by]),
            ...(moved === 0 ? [] : [back]),
          ]),
        ),
        card(
          'Data',
          h('p', 'Seed adds newer records. Reset removes all records, deliveries and rules, and sets the clock back.'),
          ...actions('data', [seed(), reset()]),
        ),
      ),
    ];
  },
};

// The page

const VIEWS = {
  requests: (part) => (part ? requestView : requestsView),
  payments: (part) => (part ? paymentView : paymentsView),
  older: () => paymentsView,
  webhooks: () => webhooksView,
  faults: () => faultsView,
  clock: () => clockView,
};
const SECTIONS = { older: 'payments' };

/** True while the user types or selects text: the view is not replaced then. */
const isHeld = () => document.activeElement.matches('#view input, #view select') || !getSelection().isCollapsed;

/** Keeps the focus, opened blocks, and the text in fields unless an action has used it. */
const replaceView = (nodes, keepsValues) => {
  const view = page('view');
  const hadFocus = view.contains(document.activeElement);
  const focused = document.activeElement.dataset.key;
  const before = new Map([...view.querySelectorAll('[data-key]')].map((node) => [node.dataset.key, node]));
  view.replaceChildren(...nodes.flat().filter(Boolean));
  for (const node of view.querySelectorAll('[data-key]')) {
    const was = before.get(node.dataset.key);
    if (was?.open) node.open = true;
    if (was && keepsValues && node.matches('input, select')) {
      if (was.type === 'checkbox') node.checked = was.checked;
      else node.value = was.value;
      node.dispatchEvent(new Event('input', { bubbles: true }));
    }
    if (focused !== undefined && node.dataset.key === focused) node.focus();
  }
  if (hadFocus && !view.contains(document.activeElement)) page('title').focus();
};

const load = async (name, part) => {
  const view = VIEWS[name](part);
  try {
    return { view, data: await view.load(part) };
  } catch (error) {
    return { view: { draw: () => ['There is nothing here', soft(error.message)] }, data: error.message };
  }
};

let [turn, drawn, drawnHash, isForced] = [0, '', undefined, false];

/** Shows the page of the address, if it has changed. `isAsked`: also while the user types. */
const show = async (isAsked = false) => {
  isForced ||= isAsked;
  turn += 1;
  const [mine, hash] = [turn, location.hash];
  const [asked, ...parts] = hash.slice(1).split('/').map(decodeURIComponent);
  const name = Object.hasOwn(VIEWS, asked) ? asked : 'requests';
  const { view, data } = await load(name, parts.join('/'));
  const text = JSON.stringify(data ?? null);
  if (mine !== turn) return;
  const isSame = hash === drawnHash;
  if (isSame && text === drawn) {
    isForced = false;
    return;
  }
  if (isSame && !isForced && isHeld()) {
    page('changed').hidden = false;
    return;
  }
  const [title, ...nodes] = view.draw(data);
  replaceView(nodes, isSame && !isForced);
  page('title').textContent = visible(title);
  page('changed').hidden = true;
  document.title = `${visible(title)} · paycli emulator (practice)`;
  for (const link of document.querySelectorAll('nav a')) {
    const isHere = link.hash === `#${SECTIONS[name] ?? name}`;
    if (isHere) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  if (!isSame && drawnHash !== undefined) page('title').focus();
  [drawn, drawnHash, isForced] = [text, hash, false];
};

/** True once the earlier requests have arrived. */
let isReady = false;

const addRequest = (seen) => {
  // A smaller number comes from an emulator that was started anew.
  if (seen.seq <= (log[0]?.seq ?? 0)) log.length = 0;
  if (log.length === 0) beginnings += 1;
  log.unshift(seen);
  log.length = Math.min(log.length, MAX_ROWS);
  const body = document.querySelector('#view tbody');
  if (!['', '#requests'].includes(location.hash) || drawnHash !== location.hash) return;
  if (body === null || drawn !== String(beginnings)) return void show(true);
  const made = requestRow(seen);
  if (isReady) made.className = 'fresh';
  body.prepend(made);
  while (body.rows.length > log.length) body.lastElementChild.remove();
};

let source;
const tell = (text, tone = '') => {
  page('link').textContent = text;
  page('link').dataset.tone = tone;
};

/** Listens only while the page is seen: a browser opens few connections to one place. */
const listen = () => {
  source?.close();
  if (document.hidden) return;
  isReady = false;
  source = new EventSource(`${root}updates?after=${log[0]?.seq ?? 0}`);
  source.addEventListener('ready', () => {
    isReady = true;
    tell('connected');
    void show();
  });
  source.addEventListener('error', () => tell('not connected', 'bad'));
  source.addEventListener('changed', () => void show());
  source.addEventListener('request', ({ data }) => addRequest(JSON.parse(data)));
};

page('skip').addEventListener('click', () => page('title').focus());
page('refresh').addEventListener('click', () => void show(true));
addEventListener('hashchange', () => {
  page('said').hidden = true;
  void show(true);
});
document.addEventListener('visibilitychange', listen);
addEventListener('pagehide', () => source?.close());
addEventListener('pageshow', listen);
listen();
