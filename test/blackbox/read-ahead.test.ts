import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder, start } from '../support/program.ts';
import type { Answer, Seen } from '../support/service.ts';
import { json, problem, serveAllBy, ugwo } from '../support/service.ts';
import { charged, chargeFrom, csvOf, fileOf, numberIn, postsOf, summaryOf, ugwoOf, ussdFile } from './bulk-support.ts';

const numbers = (to: number): number[] => Array.from({ length: to }, (_, at) => at + 1);

/** An open payment request, or one with another status. */
const shown = (number: number, some: object = {}): Answer =>
  json(200, { ...ugwo(number), uid: ugwoOf(number), checkout: { uid: 'chk.AbCd.1' }, activities: [], ...some });

const isRead = ({ method }: Seen): boolean => method === 'GET';

/** Serves and charges any payment request. Returns a log of the requests, and the maximum number at once. */
const serveOpen = async (more: (seen: Seen) => Answer | undefined = () => undefined) => {
  const log: string[] = [];
  const now = { GET: 0, POST: 0 };
  const most = { GET: 0, POST: 0 };
  const service = await serveAllBy((seen) => {
    const [method, number] = [isRead(seen) ? 'GET' : 'POST', numberIn(seen)] as const;
    log.push(`${method} ${number}`);
    now[method] += 1;
    most[method] = Math.max(most[method], now[method]);
    const answer = more(seen) ?? (isRead(seen) ? shown(number) : charged(number));
    return (request, response, socket) => {
      response.once('finish', () => {
        now[method] -= 1;
      });
      answer(request, response, socket);
    };
  });
  return { service, log, now, most };
};

/** Delays answers until `open` is called. */
const openGate = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const behind =
    (answer: Answer): Answer =>
    (...asked) =>
      void promise.then(() => answer(...asked));
  return { open: resolve, behind };
};

it.each([[[]], [['--allow-repeats']]])(
  'reads that end late and at once do not push charges beyond --rate %s',
  async (more) => {
    const gate = openGate();
    const times: number[] = [];
    let [reads, opened] = [0, Number.NaN];
    const { service } = await serveOpen((seen) => {
      if (!isRead(seen)) {
        times.push(performance.now());
        return undefined;
      }
      reads += 1;
      if (reads < 6) return gate.behind(shown(numberIn(seen)));
      opened = performance.now();
      gate.open();
      return undefined;
    });
    const rate = ['--concurrency', '6', '--rate', '20/s', ...more];
    expect(await chargeFrom(ussdFile(...numbers(6)), { service, home: newFolder() }, ...rate)).toMatchObject({
      code: 0,
    });
    expect(times).toHaveLength(6);
    // After a late timer, the next charge may be 20 ms early.
    expect((times.at(-1) ?? 0) - opened).toBeGreaterThan(5 * 50 - 20);
  },
);

describe('reads of the next rows of a file', () => {
  it('run while the rows before them are charged, for as many rows as are charged at once', async () => {
    const gate = openGate();
    const [charges, reads] = [new Set<number>(), new Set<number>()];
    let answered = 0;
    const { service } = await serveOpen((seen) => {
      const number = numberIn(seen);
      (isRead(seen) ? reads : charges).add(number);
      expect(reads.size).toBeLessThanOrEqual(answered + 4);
      // No charge is answered before the next two rows have been read.
      if (charges.size === 2 && reads.size === 4) gate.open();
      if (isRead(seen)) return undefined;
      return gate.behind((...asked) => {
        answered += 1;
        charged(number)(...asked);
      });
    });
    const options = { service, home: newFolder() };
    const ended = await chargeFrom(ussdFile(...numbers(8)), options, '--concurrency', '2', '--timeout', '5s');
    expect(summaryOf(ended)).toMatchObject({ accepted: 8 });
    expect([...reads]).toEqual(numbers(8));
    expect(service.seen).toHaveLength(16);
  });

  it('and charges are each limited to --concurrency', async () => {
    const later =
      (answer: Answer): Answer =>
      (...asked) =>
        void setImmediate(() => setImmediate(() => answer(...asked)));
    const { service, most } = await serveOpen((seen) =>
      later(isRead(seen) ? shown(numberIn(seen)) : charged(numberIn(seen))),
    );
    await chargeFrom(ussdFile(...numbers(40)), { service, home: newFolder() }, '--concurrency', '3');
    expect(most.GET).toBeLessThanOrEqual(3);
    expect(most.POST).toBeLessThanOrEqual(3);
  });

  it('leave the order of the report unchanged', async () => {
    const { service } = await serveOpen((seen) => {
      if (isRead(seen) && numberIn(seen) === 4) return shown(4, { status: 'ugwo_successful' });
      return isRead(seen) && numberIn(seen) === 2 ? problem(422, 'No') : undefined;
    });
    const report = join(newFolder(), 'r.ndjson');
    const options = { service, home: newFolder() };
    await chargeFrom(ussdFile(...numbers(5)), options, '--concurrency', '1', '--report', report);
    const rows = readFileSync(report, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { row: number; state: string });
    expect(rows.map(({ row, state }) => `${row} ${state}`)).toEqual([
      '1 accepted',
      '2 not_sent',
      '3 accepted',
      '4 refused',
      '5 accepted',
    ]);
  });

  it('leave no entry for rows that a signal prevents', async () => {
    const gate = openGate();
    const { service, log } = await serveOpen((seen) =>
      isRead(seen) ? undefined : gate.behind(charged(numberIn(seen))),
    );
    const [home, file] = [newFolder(), ussdFile(...numbers(4))];
    const running = start(['ugwo', 'charge', '--from', file, '--concurrency', '1'], { service, home });
    await expect.poll(() => log).toContain('GET 2');
    await expect.poll(() => log).toContain('POST 1');
    running.kill('SIGINT');
    await running.saw(/Finishing/);
    gate.open();
    expect(await running.ended).toMatchObject({ code: 130, stderr: expect.stringContaining('3 not started') });
    expect(postsOf(service)).toEqual({ 1: 1 });
    const again = await chargeFrom(file, { service, home, env: {} });
    expect(summaryOf(again)).toMatchObject({ accepted: 4 });
    expect(postsOf(service)).toEqual({ 1: 1, 2: 1, 3: 1, 4: 1 });
  });

  it('follow the charge of an earlier row with the same id (--allow-repeats)', async () => {
    const { service, log } = await serveOpen();
    const file = fileOf(csvOf('ugwo,medium,provider', `${ugwoOf(1)},ussd,gtb`, `${ugwoOf(1)},ussd,zenith`));
    await chargeFrom(file, { service, home: newFolder() }, '--allow-repeats', '--concurrency', '2');
    // The second one is refused, since the first one can still be paid.
    expect(log).toEqual(['GET 1', 'POST 1', 'GET 1']);
  });
});
