import { describe, expect, it } from 'vitest';
import { onyeOf } from '../support/ids.ts';
import { scene } from '../support/scene.ts';
import type { Answer, Seen, Service } from '../support/service.ts';
import { json, ONYE_ID, problem, reset, serve, serveBy } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { csvOf, fileOf, summaryOf } from './bulk-support.ts';

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
  const numberIn = ({ url }: Seen): number => Number(/ony\.AbCd\.(\d+)/.exec(url)?.[1]);
  const shown = (number: number, meta: object): Answer => json(200, { uid: onyeOf(number), email: 'a@b.c', meta });
  const from = (file: string, ...more: string[]) => ['onye', 'update', '--from', file, '--json', ...more];
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
    const argv = from(file, '--unset-meta', 'old', '--concurrency', '1');
    await scene({ service, argv, json: { rows: 3, accepted: 3 } });
    expect(patches()).toEqual(['1 {"meta":{"a":"1","tier":"vip","n":3}}', '3 {"ref":"r-3","meta":{"a":"3"}}']);
  });

  it('is merged by columns such as meta.tier, too', async () => {
    const { service, patches } = await keeping({ 1: { tier: 'vip', note: 'keep' } });
    const file = fileOf(csvOf('uid,Meta.tier,merge_meta.n', `${onyeOf(1)},gold,1`));
    await scene({ service, argv: from(file), json: { accepted: 1 } });
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
    const argv = ['onye', 'update', '--from', file, '--concurrency', '1', ...args];
    const lost = args.includes('--clear-meta')
      ? '2 rows would remove: tier, note, "old one"'
      : '1 row would remove: note, "old one"';
    const said = `Metadata or addresses are replaced as a whole. ${lost}.`;
    const hidden = "The service doesn't show what 1 row would remove.";
    const { home } = await scene({ service, argv: [...argv, '--dry-run'], stderr: [said, hidden] });
    expect(patches()).toEqual([]);
    await scene({ home, service, argv, stderr: [said, hidden] });
    expect(patches()[0]).toContain(`"meta":${JSON.stringify(meta)}`);
  });

  it('is another job with --replace-meta, which needs a file', async () => {
    const { service } = await keeping({});
    const file = fileOf(csvOf('uid,meta.a', `${onyeOf(1)},x`));
    const one = await scene({ service, argv: from(file) });
    const other = await scene({ service, home: one.home, argv: from(file, '--replace-meta') });
    expect(summaryOf(other)['job']).not.toBe(summaryOf(one)['job']);
    const argv = ['onye', 'update', onyeOf(1), '--ref', 'r', '--replace-meta', '--json'];
    await scene({ service: [], argv, exit: 2, error: { message: '--replace-meta needs --from' } });
  });

  it('is named beside the parts of an address that get lost', async () => {
    const shown = { street: 'x', city: 'Lagos', zip: '1', address2: '' };
    const answer = json(200, { uid: onyeOf(1), meta: {}, billing_address: shown });
    await scene({
      service: [answer, answer],
      argv: ['onye', 'update', '--from', fileOf(csvOf('uid,Billing Address.City', `${onyeOf(1)},Abuja`))],
      stderr: ['1 row would remove: billing_address.street, billing_address.zip.'],
      requests: ['GET', `PATCH /v1/onye/${onyeOf(1)} {"billing_address":{"city":"Abuja"}}`],
    });
  });

  it('is rejected if the service has no such read, and the row is not sent', () =>
    scene({
      service: [problem(405, 'No')],
      argv: from(fileOf(csvOf('uid,merge_meta.a', `${onyeOf(1)},x`))),
      exit: 3,
      json: { rejected: 1 },
      requests: ['GET'],
      report: { 1: { state: 'rejected', error: /no such read/ } },
    }));

  it('is not sent if the read fails, and retried by the same command', async () => {
    const argv = from(fileOf(csvOf('uid,merge_meta.b', `${onyeOf(1)},x`)));
    const service = [json(302, {})];
    const { home } = await scene({ service, argv, exit: 8, json: { not_sent: 1, unknown: 0 }, requests: ['GET'] });
    await scene({
      ...{ home, service: [shown(1, { a: 1 }), shown(1, {})], argv, json: { accepted: 1 } },
      requests: ['GET', `PATCH /v1/onye/${onyeOf(1)} {"meta":{"a":1,"b":"x"}}`],
    });
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
    const argv = from(file, '--continue-on-unknown', '--concurrency', '1');
    const { home } = await scene({ service, argv, exit: 6, json: { accepted: 1, unknown: 1 } });
    await scene({ home, service, argv: from(file), json: { accepted: 2 } });
    expect(patches()).toEqual([
      '1 {"ref":"r","meta":{"a":1,"b":"x"}}',
      '2 {"meta":{"a":1,"b":"y"}}',
      '2 {"meta":{"a":1,"c":3,"b":"y"}}',
    ]);
  });

  it('stays unknown if the read fails', async () => {
    let isGone = false;
    const service = await serveBy(({ method }) => {
      if (method !== 'PATCH') return isGone ? problem(404, 'No') : shown(1, {});
      isGone = true;
      return reset;
    });
    const argv = from(fileOf(csvOf('uid,merge_meta.b', `${onyeOf(1)},x`)));
    const unknown = { service, argv, exit: 6, json: { unknown: 1, rejected: 0 } };
    const { home } = await scene({ ...unknown, requests: ['GET', 'PATCH', 'GET'] });
    await scene({ ...unknown, home, requests: ['GET'] });
  });
});
