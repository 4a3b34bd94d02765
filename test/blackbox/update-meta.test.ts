import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import type { RunOptions } from '../support/program.ts';
import { errorOf, newFolder } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import type { Answer, Seen, Service } from '../support/service.ts';
import { json, ONYE_ID, problem, reset, serve, serveBy } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { csvOf, fileOf, reportOf, reportPath, summaryOf } from './bulk-support.ts';

const UPDATE = ['onye', 'update', ONYE_ID];

/** A customer in the service's format; `meta` is JSON text, because doubles lose digits. */
const customer = (meta: string): Answer => json(200, `{"uid":"${ONYE_ID}","email":"ada@example.com","meta":${meta}}`);

describe('--merge-meta and --unset-meta', () => {
  const ATOMIC =
    'All metadata was read, changed and written back; a change that somebody else made in between is lost.\n';
  const [GET, PATCH] = [`GET /v1/onye/${ONYE_ID}`, `PATCH /v1/onye/${ONYE_ID}`];

  it('read the customer, write the whole map back, and warn that this is not atomic', () =>
    scene({
      service: [customer('{"a":"1","b":"2","c":null}'), customer('{}')],
      argv: [...UPDATE, '--merge-meta', 'b=x', '--merge-meta', 'n:=3', '--unset-meta', 'c', '--ref', 'r'],
      stderr: ATOMIC,
      requests: [GET, `${PATCH} {"ref":"r","meta":{"a":"1","b":"x","n":3}}`],
    }));

  it('send nothing if nothing would change', () =>
    scene({
      service: [customer('{"a":"1"}')],
      argv: [...UPDATE, '--merge-meta', 'a=1', '--unset-meta', 'b'],
      stderr: 'nothing would change; nothing was sent\n',
      stdout: new RegExp(`uid\t${ONYE_ID}`),
      requests: [GET],
    }));

  it('send only the other fields if no metadata would change', () =>
    scene({
      service: [customer('{"a":"1"}'), customer('{}')],
      argv: [...UPDATE, '--merge-meta', 'a=1', '--ref', 'r'],
      requests: [GET, `${PATCH} {"ref":"r"}`],
    }));

  it('print the final request with --dry-run', () =>
    scene({
      service: [customer('{"a":"1"}')],
      argv: [...UPDATE, '--merge-meta', 'b=2', '--dry-run', '--json'],
      json: { method: 'PATCH', body: { meta: { a: '1', b: '2' } } },
      requests: [GET],
    }));

  it('are rejected if the service has no such read (501)', () =>
    scene({
      service: ({ method }) => (method === 'GET' ? problem(501, 'No') : undefined),
      argv: [...UPDATE, '--unset-meta', 'a', '--json'],
      exit: 3,
      error: { status: 501, message: expect.stringContaining('it has no such read') },
    }));
});

describe('replaced metadata', () => {
  const onTerminal = async (service: Service, answer: string, ...args: string[]) => {
    const session = openTerminal([...UPDATE, ...args], { service, columns: 200 });
    await session.saw(/\[y\/N\]/);
    session.type(`${answer}\r`);
    const { code } = await session.ended;
    return { code, screen: (await session.screen()).replaceAll(/\s+/g, ' ') };
  };

  it('on a terminal needs confirmation that names the lost keys', async () => {
    const service = await serve([customer('{"a":"1","b\\u001b[2J":"2","c\\u009b":"3"}'), customer('{}')]);
    const { code, screen } = await onTerminal(service, 'y', '--meta', 'c=3');
    expect(screen).toContain(
      'These metadata keys would be lost (--merge-meta keeps them): a, "b\\u001b[2J", "c\\x9b" Replace all metadata? [y/N]',
    );
    expect(code).toBe(0);
    expect(service.seen.map(({ method, body }) => `${method} ${body}`)).toEqual(['GET ', 'PATCH {"meta":{"c":"3"}}']);
  });

  it('is not sent if declined', async () => {
    const service = await serve([customer('{"a":"1"}')]);
    expect((await onTerminal(service, 'n', '--meta', 'c=3')).code).toBe(130);
  });

  it('is sent in a script without a read', () =>
    scene({
      service: [customer('{}')],
      argv: [...UPDATE, '--meta', 'c=3'],
      stderr: 'All metadata was replaced, not merged.\n',
      requests: [`PATCH /v1/onye/${ONYE_ID} {"meta":{"c":"3"}}`],
    }));
});

describe('metadata in a file', () => {
  const onyeOf = (number: number): string => `ony.AbCd.${String(number).padStart(24, '0')}`;
  const numberIn = ({ url }: Seen): number => Number(/ony\.AbCd\.(\d+)/.exec(url)?.[1]);
  const shown = (number: number, meta: object): Answer => json(200, { uid: onyeOf(number), email: 'a@b.c', meta });
  const updateFrom = (file: string, options: RunOptions, ...more: string[]) =>
    inProcess(['onye', 'update', '--from', file, '--json', ...more], options);
  /** Customers that store their updates. */
  const keeping = async (
    metas: Record<number, object>,
    others: (seen: Seen) => Answer | undefined = () => undefined,
  ) => {
    const service = await serveBy((seen) => {
      const number = numberIn(seen);
      if (seen.method === 'PATCH') metas[number] = JSON.parse(seen.body).meta ?? metas[number];
      return others(seen) ?? shown(number, metas[number] ?? {});
    });
    const patches = (): string[] =>
      service.seen.filter(({ method }) => method === 'PATCH').map((seen) => `${numberIn(seen)} ${seen.body}`);
    return { service, patches };
  };

  it('is read, merged and written row by row', async () => {
    const metas = { 1: { a: '1' }, 2: { a: '1', tier: 'vip' }, 3: { a: '3', old: 1 } };
    const { service, patches } = await keeping(metas);
    const rows = [`${onyeOf(1)},vip,3,`, `${onyeOf(2)},vip,,`, `${onyeOf(3)},,,r-3`];
    const file = fileOf(csvOf('uid,merge_meta.tier,Merge_Meta.n:,ref', ...rows));
    const ended = await updateFrom(file, { service, home: newFolder() }, '--unset-meta', 'old', '--concurrency', '1');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(summaryOf(ended)).toMatchObject({ rows: 3, accepted: 3 });
    expect(patches()).toEqual(['1 {"meta":{"a":"1","tier":"vip","n":3}}', '3 {"ref":"r-3","meta":{"a":"3"}}']);
  });

  it('is merged by columns such as meta.tier, too', async () => {
    const { service, patches } = await keeping({ 1: { tier: 'vip', note: 'keep' } });
    const file = fileOf(csvOf('uid,Meta.tier,merge_meta.n', `${onyeOf(1)},gold,1`));
    expect(await updateFrom(file, { service, home: newFolder() })).toMatchObject({ code: 0, stderr: '' });
    expect(patches()).toEqual(['1 {"meta":{"tier":"gold","note":"keep","n":"1"}}']);
  });

  it.each([
    ['a column meta', 'meta,ref', '"{""tier"":""gold""}",', [], { tier: 'gold' }],
    ['--replace-meta', 'meta.tier,ref', 'gold,', ['--replace-meta'], { tier: 'gold' }],
    ['--meta', 'ref', 'r', ['--meta', 'tier=gold'], { tier: 'gold' }],
    ['--clear-meta', 'ref', 'r', ['--clear-meta'], {}],
  ])('is replaced by %s, which names the keys that get lost', async (_what, header, row, args, meta) => {
    const metas = { 1: { tier: 'vip', note: 'keep', 'old one': '1' }, 2: { tier: 'gold' }, 3: {} };
    const none = ({ url, method }: Seen) =>
      url.includes(onyeOf(3)) && method === 'GET' ? problem(404, 'Not Found') : undefined;
    const { service, patches } = await keeping(metas, none);
    const file = fileOf(csvOf(`uid,${header}`, ...[1, 2, 3].map((number) => `${onyeOf(number)},${row}`)));
    const options = { service, home: newFolder() };
    const command = ['onye', 'update', '--from', file, '--concurrency', '1', ...args];
    const dry = await inProcess([...command, '--dry-run'], options);
    expect(dry.code, dry.stderr).toBe(0);
    const lost = args.includes('--clear-meta')
      ? '2 rows would remove: tier, note, "old one"'
      : '1 row would remove: note, "old one"';
    expect(dry.stderr).toContain(`Metadata or addresses are replaced as a whole. ${lost}.`);
    expect(dry.stderr).toContain("The service doesn't show what 1 row would remove.");
    expect(patches()).toEqual([]);
    const ended = await inProcess(command, options);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain(lost);
    expect(patches()[0]).toContain(`"meta":${JSON.stringify(meta)}`);
  });

  it('is another job with --replace-meta, which needs a file', async () => {
    const { service } = await keeping({});
    const [file, options] = [fileOf(csvOf('uid,meta.a', `${onyeOf(1)},x`)), { service, home: newFolder() }];
    const { job } = summaryOf(await updateFrom(file, options));
    expect(summaryOf(await updateFrom(file, options, '--replace-meta'))['job']).not.toBe(job);
    const one = await inProcess(['onye', 'update', onyeOf(1), '--ref', 'r', '--replace-meta', '--json'], options);
    expect(errorOf(one)['message']).toBe('--replace-meta needs --from');
  });

  it('is named beside the parts of an address that get lost', async () => {
    const shows = { street: 'x', city: 'Lagos', zip: '1', address2: '' };
    const service = await serveBy(() => json(200, { uid: onyeOf(1), meta: {}, billing_address: shows }));
    const file = fileOf(csvOf('uid,Billing Address.City', `${onyeOf(1)},Abuja`));
    const ended = await inProcess(['onye', 'update', '--from', file], { service, home: newFolder() });
    expect(ended.stderr).toContain('1 row would remove: billing_address.street, billing_address.zip.');
    expect(service.seen.at(-1)?.body).toBe('{"billing_address":{"city":"Abuja"}}');
  });

  it('is rejected if the service has no such read, and the row is not sent', async () => {
    const { service, patches } = await keeping({}, ({ method }) => (method === 'GET' ? problem(405, 'No') : undefined));
    const [file, report] = [fileOf(csvOf('uid,merge_meta.a', `${onyeOf(1)},x`)), reportPath()];
    const ended = await updateFrom(file, { service, home: newFolder() }, '--report', report);
    expect(ended.code).toBe(3);
    expect(patches()).toEqual([]);
    expect(reportOf(report)['1']).toMatchObject({ state: 'rejected', error: expect.stringContaining('no such read') });
  });

  it('is not sent if the read fails, and retried by the same command', async () => {
    let isDown = true;
    const down = ({ method }: Seen) => (isDown && method === 'GET' ? json(302, {}) : undefined);
    const { service, patches } = await keeping({ 1: { a: 1 } }, down);
    const [file, options] = [fileOf(csvOf('uid,merge_meta.b', `${onyeOf(1)},x`)), { service, home: newFolder() }];
    const first = await updateFrom(file, options);
    expect(first.code).toBe(8);
    expect(summaryOf(first)).toMatchObject({ not_sent: 1, unknown: 0 });
    isDown = false;
    expect(await updateFrom(file, options)).toMatchObject({ code: 0, stderr: '' });
    expect(patches()).toEqual(['1 {"meta":{"a":1,"b":"x"}}']);
  });

  it('counts as applied if a read shows its keys; otherwise it is merged again', async () => {
    const metas: Record<number, object> = { 1: { a: 1 }, 2: { a: 1 } };
    const lost = new Set([1, 2]);
    const losing = (seen: Seen): Answer | undefined => {
      if (seen.method === 'GET')
        return json(200, { uid: onyeOf(numberIn(seen)), ref: 'r', meta: metas[numberIn(seen)] });
      if (!lost.delete(numberIn(seen))) return undefined;
      // The second was not applied, and someone else changed the customer since.
      if (numberIn(seen) === 2) metas[2] = { a: 1, c: 3 };
      return reset;
    };
    const { service, patches } = await keeping(metas, losing);
    const file = fileOf(csvOf('uid,merge_meta.b,ref', `${onyeOf(1)},x,r`, `${onyeOf(2)},y,`));
    const options = { service, home: newFolder() };
    expect((await updateFrom(file, options, '--continue-on-unknown', '--concurrency', '1')).code).toBe(6);
    expect(await updateFrom(file, options)).toMatchObject({ code: 0, stderr: '' });
    expect(patches()).toEqual([
      '1 {"ref":"r","meta":{"a":1,"b":"x"}}',
      '2 {"meta":{"a":1,"b":"y"}}',
      '2 {"meta":{"a":1,"c":3,"b":"y"}}',
    ]);
  });

  it('stays unknown if the read fails', async () => {
    let isGone = false;
    const { service, patches } = await keeping({}, ({ method }) => {
      if (method !== 'PATCH') return isGone ? problem(404, 'No') : undefined;
      isGone = true;
      return reset;
    });
    const [file, options] = [fileOf(csvOf('uid,merge_meta.b', `${onyeOf(1)},x`)), { service, home: newFolder() }];
    expect((await updateFrom(file, options)).code).toBe(6);
    const second = await updateFrom(file, options);
    expect(second.code).toBe(6);
    expect(summaryOf(second)).toMatchObject({ unknown: 1, rejected: 0 });
    expect(patches()).toHaveLength(1);
  });
});
