import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { sharedCluster } from '../support/postgres.ts';
import { type Ended, errorOf, newFolder, type RunOptions } from '../support/program.ts';
import { ACTIVITY, json, type Service, serveAllBy, ugwo } from '../support/service.ts';
import { asLocalhost, CA_FILE } from '../support/tls.ts';
import { activityOf, charged, numberIn, once, postsOf, summaryOf, ugwoOf } from './bulk-support.ts';

const trusted = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...trusted, readFileSync(CA_FILE, 'utf8')]));
afterAll(() => setDefaultCACertificates(trusted));

const file = (name: string): string => join(resolve('test/fixtures/earlier'), name);
const unpack = (name: string, to: string): void =>
  writeFileSync(to, gunzipSync(readFileSync(file(name))), { mode: 0o600 });

type Fields = Readonly<Record<string, unknown>>;
interface Golden {
  readonly entries: readonly Fields[];
  readonly jobs: readonly Fields[];
  readonly events?: readonly Fields[];
}
const goldenIn = (name: string): Golden => JSON.parse(readFileSync(file(name), 'utf8')) as Golden;

interface Machine {
  readonly options: RunOptions;
  /** Runs as the owner of a shared ledger. */
  readonly owner: RunOptions;
  readonly service: Service;
  readonly golden: Golden;
}

/** Payment requests with a charge in the service; the answers for 13 and 23 were lost. */
const CHARGED = [3, 4, 5, 6, 10, 13, 21, 23];

/** The service's current state. It accepts each new write. */
const serveLater = ({ entries }: Golden): Promise<Service> => {
  const createdAt = new Map(entries.map((entry) => [entry['ugwo'], entry['created_at']]));
  return serveAllBy((seen) => {
    const { method, url, body } = seen;
    const [customer] = /ony\.[^/?]+/.exec(url) ?? [];
    if (customer !== undefined) return json(200, { uid: customer, email: 'a@example.com', first_name: 'Ada' });
    const number = numberIn(seen);
    if (Number.isNaN(number)) return json(200, { ...ugwo(90), ...(JSON.parse(body) as object) });
    if (method === 'POST') return charged(number);
    const at = createdAt.get(ugwoOf(number));
    const activity = { ...ACTIVITY, uid: activityOf(number), status: 'successful', created_at: at, updated_at: at };
    const activities = CHARGED.includes(number) ? [activity] : [];
    return json(200, { ...ugwo(number), checkout: { uid: 'chk.AbCd.1' }, activities });
  });
};

/** A machine with a ledger file of the earlier version. */
const inFile = async (): Promise<Machine> => {
  const [home, golden] = [newFolder(), goldenIn('ledger.json')];
  unpack('ledger.sqlite.gz', `${home}/ledger.sqlite`);
  unpack('webhooks.db.gz', `${home}/webhooks.db`);
  writeFileSync(`${home}/highest-charge`, readFileSync(file('highest-charge')), { mode: 0o600 });
  const service = await serveLater(golden);
  const options = { home, env: await asLocalhost(service) };
  return { options, owner: options, service, golden };
};

/** A machine with a shared ledger of the earlier version, whose database lacks the charges in `lost`. */
const inPostgres = async (...lost: readonly number[]): Promise<Machine> => {
  const [home, golden, cluster] = [newFolder(), goldenIn('shared.json'), await sharedCluster()];
  const database = await cluster.createDatabase();
  await cluster.sql('DO $$ BEGIN CREATE ROLE member LOGIN; EXCEPTION WHEN duplicate_object THEN END $$');
  await cluster.sql(readFileSync(file('shared.sql'), 'utf8'), [], database);
  await cluster.sql('DELETE FROM paycli.charge WHERE ugwo = ANY($1)', [lost.map(ugwoOf)], database);
  const shadow = `${home}/shared-0123456789ab.sqlite`;
  unpack('shared-shadow.sqlite.gz', shadow);
  const db = new DatabaseSync(shadow);
  // The ledger keeps these copies for 90 days.
  db.exec(`UPDATE intent SET created_at = ${Date.now()}`);
  db.close();
  const service = await serveLater(golden);
  const env = await asLocalhost(service);
  const owner = { home, env: { ...env, PAYCLI_LEDGER: cluster.url(database) } };
  expect(await inProcess(['ledger', 'migrate'], owner)).toMatchObject({ code: 0 });
  const options = { home, env: { ...env, PAYCLI_LEDGER: cluster.url(database, { user: 'member' }) } };
  return { options, owner, service, golden };
};

const LEDGERS = [
  ['in a file', inFile] as const,
  // The tests have no PostgreSQL on Windows.
  ...(process.platform === 'win32' ? [] : [['in PostgreSQL', () => inPostgres()] as const]),
];

const run = ({ options }: Machine, ...args: readonly string[]): Promise<Ended> =>
  inProcess([...args, '--json'], options);
const listed = async (machine: Machine, ...args: readonly string[]): Promise<Fields[]> => {
  const { stdout, stderr } = await run(machine, ...args);
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as { data: Fields[] }).data;
};

/** Removes the time at which a dead process was noticed. */
const timeless = (entry: Fields): Fields => {
  const evidence = entry['evidence'] as readonly Fields[];
  if (evidence[0]?.['kind'] !== 'process_gone') return entry;
  return { ...entry, recorded_at: null, evidence: evidence.map(({ at: _, ...rest }) => rest) };
};

const stateOf = async (machine: Machine, number: number): Promise<unknown> =>
  (await listed(machine, 'ledger', 'list', '--ugwo', ugwoOf(number)))[0]?.['state'];

/** Customers that got an update, and references of the payment requests sent. */
const writesIn = ({ seen }: Service) => ({
  customers: seen.filter(({ method }) => method === 'PATCH').map(({ url }) => Number(url.slice(-24))),
  requests: seen
    .filter(({ method, url }) => method === 'POST' && !url.includes('ugw.'))
    .map(({ body }) => (JSON.parse(body) as { ref: string }).ref),
});

const FROM = {
  charges: ['ugwo', 'charge', '--from', file('charges.csv')],
  customers: ['onye', 'update', '--from', file('customers.csv')],
  done: ['onye', 'update', '--from', file('customers-done.csv')],
  requests: ['ugwo', 'create', '--from', file('requests.csv')],
} as const;

describe.each(LEDGERS)('a ledger of an earlier version %s', (_where, open) => {
  it('lists the same entries and jobs, and passes the check', async () => {
    const machine = await open();
    const { golden } = machine;
    const entries = await listed(machine, 'ledger', 'list', '--kind', 'all');
    // Newer fields may follow.
    expect(entries.map(timeless)).toMatchObject(golden.entries);
    expect(await listed(machine, 'ledger', 'jobs')).toEqual(golden.jobs);
    if (golden.events !== undefined) expect(await listed(machine, 'webhook', 'events', 'list')).toEqual(golden.events);
    const { stdout } = await run(machine, 'ledger', 'verify');
    expect(JSON.parse(stdout)).toEqual({ ok: true, entries: entries.length, jobs: golden.jobs.length, faults: [] });
    expect(machine.service.seen).toEqual([]);
  });

  it('blocks the charges that it holds, and no others', async () => {
    const machine = await open();
    const charge = (number: number): Promise<Ended> =>
      run(machine, 'ugwo', 'charge', ugwoOf(number), '--medium', 'ussd', '--provider', 'gtb', '--no-preflight');
    for (const number of [3, 5, 9, 11, 13, 14, 23]) expect(await charge(number)).toMatchObject({ code: 9 });
    for (const number of [1, 6, 7, 8, 12]) expect(await charge(number)).toMatchObject({ code: 0 });
    expect(postsOf(machine.service)).toEqual(once(1, 6, 7, 8, 12));
  });

  it('resumes each job and sends nothing twice', async () => {
    const machine = await open();
    const { service } = machine;
    // 13 has an activity that another charge may have created; 9 has none. Only a person can resolve the refund and
    // INV-13.
    const reconciled = errorOf(await run(machine, 'ledger', 'sync'));
    expect(reconciled).toMatchObject({ exit_code: 6, message: '4 requests are still unknown' });
    const states = [9, 13, 14, 23].map((number) => stateOf(machine, number));
    expect(await Promise.all(states)).toEqual(['unknown', 'unknown', 'not_created', 'accepted']);
    const charges = await run(machine, ...FROM.charges);
    expect(summaryOf(charges)).toMatchObject({ accepted: 5, rejected: 1, skipped: 3, not_started: 0 });
    const customers = await run(machine, ...FROM.customers);
    expect(summaryOf(customers)).toMatchObject({ accepted: 5, rejected: 1, skipped: 2, not_started: 0 });
    const done = await run(machine, ...FROM.done);
    expect(summaryOf(done)).toMatchObject({ accepted: 2, rejected: 1, skipped: 2, not_started: 0 });
    const requests = await run(machine, ...FROM.requests);
    expect(summaryOf(requests)).toMatchObject({ accepted: 4, unknown: 1, skipped: 3, not_started: 0 });
    expect([charges, customers, done, requests].map(({ code }) => code)).toEqual([3, 3, 3, 6]);
    const { customers: sent, requests: refs } = writesIn(service);
    // The service shows other values, so paycli sends the unknown updates again.
    expect(sent.sort((a, b) => a - b)).toEqual([3, 4, 5, 6, 12]);
    expect(refs.sort()).toEqual(['INV-14', 'INV-15']);
    const posts = service.seen.filter(({ method, url }) => method === 'POST' && url.includes('ugw.'));
    expect(posts.map(numberIn).sort()).toEqual([24, 25, 26]);
    const again = await Promise.all(Object.values(FROM).map((args) => run(machine, ...args)));
    expect(again.map(({ code }) => code)).toEqual([3, 3, 3, 6]);
    expect(writesIn(service).customers).toHaveLength(5);
    expect(await run(machine, 'ledger', 'verify')).toMatchObject({ code: 0 });
  });

  it('learns which charges were paid, and can be pruned', async () => {
    const machine = await open();
    expect(await run(machine, 'ledger', 'sync')).toMatchObject({ code: 6 });
    expect((await listed(machine, 'ledger', 'list', '--ugwo', ugwoOf(3)))[0]).toMatchObject({ payment: 'paid' });
    const { stdout } = await inProcess(['ledger', 'prune', '--before', '1d', '--yes', '--json'], machine.owner);
    expect(JSON.parse(stdout)).toMatchObject({ pruned: 16, open: 5 });
    expect(await run(machine, 'ledger', 'verify')).toMatchObject({ code: 0 });
  });
});

// The tests have no PostgreSQL on Windows.
describe.skipIf(process.platform === 'win32')("an earlier version's local copies of shared entries", () => {
  it('restore the entries that the database lost', async () => {
    const machine = await inPostgres(5, 10);
    const charge = await run(machine, 'ugwo', 'charge', ugwoOf(31), '--medium', 'ussd', '--provider', 'gtb');
    expect(errorOf(charge)).toMatchObject({
      exit_code: 10,
      message: "the ledger's database had lost 2 charges; the charges may exist",
    });
    expect([await stateOf(machine, 5), await stateOf(machine, 10)]).toEqual(['unknown', 'unknown']);
    await run(machine, 'ledger', 'sync');
    expect([await stateOf(machine, 5), await stateOf(machine, 10)]).toEqual(['accepted', 'accepted']);
  });
});
