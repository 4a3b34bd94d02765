import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { atom, transferTo } from '../support/activity.ts';
import { CANARY } from '../support/canary.ts';
import { uidOf } from '../support/ids.ts';
import { inProcess } from '../support/in-process.ts';
import { onTerminal } from '../support/on-terminal.ts';
import type { Ended, RunOptions } from '../support/program.ts';
import { errorOf, newFolder, paycli, start } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import type { Answer } from '../support/service.ts';
import { ACTIVITY, DEAD_ORIGIN, hang, json, problem, raw, reset, serve, serveBy, UGWO_ID } from '../support/service.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb'];
const TRANSFER = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'];
const PHONE = '+233241234567';
const MOBILE = ['ugwo', 'charge', UGWO_ID, '--medium', 'mobile_money', '--provider', 'mtn', '--phone', PHONE];

const transfer = (number: number, livesFor: number): object => ({
  ...ACTIVITY,
  uid: uidOf(number),
  next_action: transferTo(`000000000${number}`, livesFor),
});
const made = (number: number, changes: object = {}): object => ({ ...ACTIVITY, uid: uidOf(number), ...changes });
const FAILED = made(1, { status: 'failed', next_action: null });
const MINUTES_10 = 600_000;

/** A service with these answers, and a new home. */
const against = async (...answers: readonly Answer[]) => ({ service: await serve(answers), home: newFolder() });

const rowsIn = async (home: string): Promise<Record<string, unknown>[]> =>
  JSON.parse((await inProcess(['ledger', 'list', '--json'], { home })).stdout).data;

const ledgerIn = (home: string): string => join(home, 'ledger.sqlite');

describe('a charge', () => {
  it('is in the ledger with the documented fields in their order', async () => {
    const service = await serve([json(200, transfer(1, MINUTES_10))]);
    const { home } = await scene({
      built: true,
      service,
      argv: [...TRANSFER, '--json'],
      entries: [
        {
          state: 'accepted',
          ugwo: UGWO_ID,
          medium: 'bank_transfer',
          origin: service.origin,
          profile: null,
          activity: uidOf(1),
          status: 'requires_action',
          next_action: { headers: { account_number: '0000000001' } },
          exit_code: 0,
          evidence: [{ kind: 'odd', message: expect.stringContaining('not now') }],
        },
      ],
    });
    const [row] = await rowsIn(home);
    const fields =
      'id state ugwo medium origin profile activity status amount currency ref customer next_action job row created_at recorded_at exit_code evidence';
    expect(Object.keys(row ?? {}).slice(0, 19)).toEqual(fields.split(' '));
  });

  // One of each kind; test/client/judge covers every status.
  it.each<[string, Answer, number, string, string]>([
    ['that is rejected', problem(422, 'No'), 3, 'rejected', 'rejected'],
    ['whose key is rejected', problem(401, 'No'), 4, 'auth', 'rejected'],
    ['that fails at once', json(200, FAILED), 11, 'charge_failed', 'accepted'],
    ['whose answer is lost', reset, 6, 'unknown', 'unknown'],
    ['whose answer is cut short', raw('HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n{"uid'), 6, 'unknown', 'unknown'],
    ['answered with a server error', problem(500, 'Oops'), 6, 'unknown', 'unknown'],
  ])('%s is sent once and recorded with its state', async (_what, answer, exit, kind, state) => {
    const ended = await scene({
      service: [answer],
      argv: [...CHARGE, '--json'],
      exit,
      stdout: state === 'accepted' ? `${JSON.stringify(FAILED)}\n` : '',
      error: { kind, exit_code: exit },
      entries: [{ state, exit_code: exit }],
    });
    const [row] = await rowsIn(ended.home);
    expect(errorOf(ended)['ledger_id']).toBe(row?.['id']);
  });

  it('without a connection is recorded as not sent, and can be repeated', async () => {
    const env = { PAYCLI_BASE_URL: DEAD_ORIGIN, PAYCLI_SECRET_KEY: CANARY };
    const { home } = await scene({ env, argv: [...CHARGE, '--no-preflight'], exit: 5 });
    await scene({
      home,
      service: [json(200, ACTIVITY)],
      argv: CHARGE,
      stderr: /^/,
      entries: [{ state: 'accepted' }, { state: 'not_sent' }],
    });
  });

  it('that is invalid leaves no trace', async () => {
    const argv = [...TRANSFER, '--expires-at', '2020-01-01T00:00:00Z'];
    const { home } = await scene({ service: [], argv, exit: 2 });
    expect(readdirSync(home)).toEqual([]);
  });

  /** The bytes of all files in a folder. */
  const stored = (home: string): string =>
    readdirSync(home)
      .map((name) => readFileSync(join(home, name), 'latin1'))
      .join('');

  it('is stored with only the last four digits of phone numbers', async () => {
    const told = `Confirm on +233 24 123-4567 or 0241234567.`;
    const asking = { type: 'prompt', instruction: told, [PHONE]: { number: 233241234567 } };
    const processing = json(200, made(1, { status: 'processing', next_action: asking }));
    const { home } = await scene({
      service: [processing, processing, problem(422, `no account of ${PHONE}`)],
      before: [MOBILE, ['activity', 'get', UGWO_ID, uidOf(1)]],
      argv: [...MOBILE, '--again'],
      exit: 3,
      entries: [{ phone: '…4567' }, { phone: '…4567' }],
    });
    expect(stored(home).replaceAll(/[ -]/g, '')).not.toContain('241234567');
  });

  it('is stored with only the last four digits of a phone number in a notation of its own', async () => {
    const phone = '024/412/34567';
    const { home } = await scene({
      service: [json(200, ACTIVITY)],
      argv: [...MOBILE.slice(0, -1), phone, '--no-validate'],
      stderr: /^/,
      entries: [{ phone: '…4567' }],
    });
    expect(stored(home)).not.toContain(phone);
  });
});

describe('a repeated charge', () => {
  it('is refused while the account is open, and the error shows the account', async () => {
    const [account, service] = ['0000000001', await serve([json(200, transfer(1, MINUTES_10))])];
    const { home } = await scene({
      service,
      before: [TRANSFER],
      argv: TRANSFER,
      exit: 9,
      stderr: /Test Bank, Ada Obi\n {2}account number 0000000001, until .*\d\d:\d\d\n/,
    });
    const activity = { uid: uidOf(1), next_action: { headers: { account_number: account } } };
    const argv = [...TRANSFER, '--json'];
    await scene({ service, home, argv, exit: 9, error: { kind: 'refused', exit_code: 9, activity } });
  });

  it('is refused while the provider processes the first charge', async () => {
    const service = await serve([json(200, made(1, { status: 'processing', next_action: null }))]);
    const words = 'The provider has the charge; the customer usually has to approve it on the phone';
    const { home } = await scene({ service, argv: MOBILE, stderr: [words] });
    await scene({ service, home, argv: MOBILE, exit: 9, stderr: ['is still under way'] });
  });

  it.each([
    ['an expired one', transfer(1, -60_000), 0],
    ['a failed one', FAILED, 11],
  ])('is sent after %s', async (_what, first, exit) => {
    const service = await serve([json(200, first), json(200, made(2))]);
    const { home } = await scene({ service, argv: TRANSFER, exit, stdout: /^/, stderr: /^/ });
    await scene({ service, home, argv: TRANSFER, stderr: /^/, requests: ['POST'] });
  });

  it('is refused for any medium once a read has shown the payment, with --again, too', async () => {
    const paid = { ...ACTIVITY, status: 'successful', next_action: null };
    const { home, service } = await scene({
      service: [json(200, ACTIVITY), json(200, paid)],
      before: [CHARGE],
      argv: ['activity', 'get', UGWO_ID, ACTIVITY.uid],
    });
    for (const again of [[], ['--again'], ['--again', '--no-preflight']]) {
      const argv = [...TRANSFER, ...again];
      await scene({ home, service, argv, exit: 9, stderr: ['is already paid'], requests: [] });
    }
  });

  it('is sent with --again', () =>
    scene({
      service: [json(200, transfer(1, MINUTES_10)), json(200, transfer(2, MINUTES_10))],
      before: [TRANSFER],
      argv: [...TRANSFER, '--again'],
      stderr: /^/,
      requests: ['POST', 'POST'],
    }));

  const first = transfer(1, MINUTES_10);

  it('prints the existing activity as the service now shows it with --reuse', async () => {
    const now = { ...first, status: 'processing', psp_external_id: 'later' };
    await scene({
      service: [json(200, first), json(200, now)],
      before: [TRANSFER],
      argv: [...TRANSFER, '--reuse', '--json'],
      stdout: `${JSON.stringify(now)}\n`,
      stderr: /^/,
      requests: ['POST', 'GET'],
      entries: [{ status: 'processing' }],
    });
  });

  it.each([
    ['does not show it', problem(404, 'No such thing'), 'Shown from the ledger'],
    ['shows another activity', json(200, transfer(2, MINUTES_10)), 'answered with another activity'],
  ])('prints the activity from the ledger with --reuse if the service %s', async (_what, answer, words) => {
    await scene({
      service: [json(200, first), answer],
      before: [TRANSFER],
      argv: [...TRANSFER, '--reuse', '-o', 'tsv'],
      stdout: [`uid\t${uidOf(1)}\n`, 'next_action.headers.account_number\t0000000001\n'],
      stderr: [words, /Reusing chg-\w{12}; no new charge\./],
    });
  });

  it.each([
    [405, 0],
    [401, 4],
    [403, 4],
    [422, 3],
  ])('prints the activity from the ledger with --reuse only after certain answers: %i', async (status, exit) => {
    await scene({
      service: [json(200, first), problem(status, 'No')],
      before: [TRANSFER],
      argv: [...TRANSFER, '--reuse', '--json'],
      exit,
      stderr: /^/,
      stdout: exit === 0 ? [`"uid":"${uidOf(1)}"`] : '',
    });
  });

  it('is sent with --reuse if the first charge has failed since', () =>
    scene({
      service: [json(200, first), json(200, FAILED), json(200, made(2))],
      before: [TRANSFER],
      argv: [...TRANSFER, '--reuse', '--json'],
      json: { uid: uidOf(2) },
      stderr: /^/,
      requests: ['POST', 'GET', 'POST'],
    }));

  it('skips failed charges silently with --reuse and prints the next open one', async () => {
    const second = { ...FAILED, uid: uidOf(2) };
    const { stderr } = await scene({
      service: [json(200, first), json(200, transfer(2, MINUTES_10)), json(200, second), json(200, first)],
      before: [TRANSFER, [...TRANSFER, '--again']],
      argv: [...TRANSFER, '--reuse'],
      stdout: [uidOf(1)],
      stderr: /Reusing/,
      requests: ['POST', 'POST', 'GET', 'GET'],
    });
    expect(stderr.match(/Reusing/g)).toHaveLength(1);
  });

  it("is sent with --reuse if the account has expired by the service's clock", async () => {
    const hourLater = new Date(Date.now() + 3_600_000).toUTCString();
    const { stderr } = await scene({
      service: [json(200, first), json(200, first, { date: hourLater }), json(200, transfer(2, MINUTES_10))],
      before: [TRANSFER],
      argv: [...TRANSFER, '--reuse'],
      stdout: [uidOf(2)],
      stderr: /^/,
    });
    expect(stderr).not.toContain('Reusing');
  });

  it('prints the paid activity with --reuse, whatever its medium', async () => {
    const paid = { ...ACTIVITY, status: 'successful', next_action: null };
    await scene({
      service: [json(200, ACTIVITY), json(200, paid), json(200, paid)],
      before: [CHARGE, ['activity', 'get', UGWO_ID, ACTIVITY.uid]],
      argv: [...TRANSFER, '--reuse', '--json'],
      stdout: `${JSON.stringify(paid)}\n`,
      stderr: /^/,
    });
  });

  const BY = {
    transfer: 'bank_transfer',
    soon: 'bank_transfer --expires-in 5m',
    until: `bank_transfer --expires-at ${atom(Date.now() + MINUTES_10)}`,
    tagged: 'bank_transfer --param tag=1',
    gtb: 'ussd --provider gtb',
    zenith: 'ussd --provider zenith',
    gtbTagged: 'ussd --provider gtb --param tag=1',
    mtn: `mobile_money --provider mtn --phone ${PHONE}`,
    otherEnd: 'mobile_money --provider mtn --phone +233241234568',
    sameEnd: 'mobile_money --provider mtn --phone +233551234567',
    telecel: `mobile_money --provider telecel --phone ${PHONE}`,
    shortened: `mobile_money --provider mtn --phone 0241234567 --no-validate`,
    blanks: `mobile_money --provider mtn --phone +233-24-123-4567 --no-validate`,
    noPhone: 'mobile_money --provider mtn --no-validate',
    number: 'ussd --no-validate --param provider:=737',
    text: 'ussd --no-validate --provider 737',
    none: 'ussd --no-validate',
    bank: 'pay_with_bank --param bank=gtb',
    otherBank: 'pay_with_bank --param bank=zenith',
    noBank: 'pay_with_bank --no-validate',
  } as const;

  it.each<[keyof typeof BY, readonly (keyof typeof BY)[], readonly (keyof typeof BY)[]]>([
    ['transfer', ['transfer', 'soon', 'until', 'tagged'], ['gtb', 'mtn', 'none']],
    ['soon', ['transfer', 'soon', 'until'], ['gtb']],
    ['gtb', ['gtb', 'gtbTagged'], ['zenith', 'mtn', 'transfer', 'none']],
    ['mtn', ['mtn', 'blanks'], ['otherEnd', 'sameEnd', 'telecel', 'shortened', 'noPhone', 'gtb']],
    ['noPhone', ['noPhone'], ['mtn']],
    ['number', ['number', 'text'], ['gtb', 'none']],
    ['none', ['none'], ['gtb', 'text']],
    ['bank', ['bank'], ['otherBank', 'noBank', 'gtb']],
  ])('with --reuse, a charge by %s is reused for %j, and is another than %j', async (first, same, others) => {
    const by = (how: keyof typeof BY): string[] => ['ugwo', 'charge', UGWO_ID, '--medium', ...BY[how].split(' ')];
    const service = await serveBy(() => json(200, ACTIVITY));
    const { home } = await scene({ service, argv: by(first), stderr: /^/ });
    for (const how of same) {
      const argv = [...by(how), '--reuse'];
      await scene({ home, service, argv, stderr: /Reusing chg-/, requests: ['GET'] });
    }
    for (const how of others) await scene({ home, service, argv: [...by(how), '--reuse'], exit: 9, requests: [] });
  });

  it('is refused with --reuse if the activity is unknown, and sent with --again', async () => {
    const answers = [reset, problem(404, 'Unheard of'), json(200, made(2))];
    const lost = await scene({ service: answers, argv: [...CHARGE, '--json'], exit: 6 });
    const { home, service } = lost;
    const run = { home, service, stderr: /^/ };
    const resolve = ['ledger', 'resolve', String(errorOf(lost)['ledger_id']), '--yes', '--reason', 'was told so'];
    const reuse = [...CHARGE, '--reuse'];
    await scene({ ...run, argv: [...resolve, '--as', 'created'] });
    await scene({ ...run, argv: reuse, exit: 9, stderr: ['still under way'] });
    await scene({ ...run, argv: [...resolve, '--as', 'created', '--activity', uidOf(9)] });
    await scene({ ...run, argv: reuse, exit: 3 });
    await scene({ ...run, argv: [...CHARGE, '--again'] });
  });

  it('is sent after the first charge was resolved as not created', async () => {
    const lost = await scene({ service: [reset, json(200, made(2))], argv: [...CHARGE, '--json'], exit: 6 });
    const { home, service } = lost;
    const run = { home, service, stderr: /^/ };
    const resolve = ['ledger', 'resolve', String(errorOf(lost)['ledger_id']), '--yes', '--reason', 'a reason'];
    await scene({ ...run, argv: [...resolve, '--as', 'created'] });
    await scene({
      ...run,
      argv: [...resolve, '--as', 'not-created', '-o', 'tsv', '--columns', 'provider,next_action,evidence'],
      entries: [{ state: 'not_created', activity: null }],
    });
    await scene({ ...run, argv: CHARGE, requests: ['POST'] });
  });

  it('waits for the open payment with --reuse --wait', () =>
    scene({
      service: [json(200, ACTIVITY), json(200, { ...ACTIVITY, status: 'successful', next_action: null })],
      before: [CHARGE],
      argv: [...CHARGE, '--reuse', '--wait', '--json'],
      json: { status: 'successful' },
      stderr: /^/,
    }));

  it.each([[[]], [['--again']], [['--reuse']]])('is refused while the first charge is unknown: %j', async (more) => {
    const lost = await scene({ service: [reset], argv: CHARGE, exit: 6 });
    const { service, home } = lost;
    for (const other of [CHARGE, TRANSFER]) {
      const argv = [...other, ...more, '--json'];
      const ended = await scene({ service, home, argv, exit: 9, requests: [] });
      const { hint, ledger_id: id } = errorOf(ended);
      expect(hint).toContain(`paycli ledger sync ${id}`);
    }
  });

  it('rejects --again with --reuse', () => scene({ service: [], argv: [...CHARGE, '--again', '--reuse'], exit: 2 }));
});

describe('a charge in flight', () => {
  it('blocks another process', async () => {
    const options = await against(hang);
    const running = start(CHARGE, options);
    await options.service.came(1);
    await scene({ ...options, argv: CHARGE, exit: 9, stderr: ['right now'], entries: [{ state: 'sending' }] });
    running.kill('SIGKILL');
    await running.ended;
  });

  it('is unknown after a second signal (exit code 6); after one signal, it completes', async () => {
    const options = await against(hang);
    const running = start(CHARGE, options);
    await options.service.came(1);
    running.kill('SIGTERM');
    await running.saw(/Finishing requests in flight/);
    running.kill('SIGTERM');
    expect((await running.ended).code).toBe(6);
    expect(await rowsIn(options.home)).toMatchObject([{ state: 'unknown', exit_code: 6 }]);
  });
});

describe("a ledger that can't record the outcome", () => {
  /** Hides the table while the charge is in flight, so that its outcome can't be recorded. */
  const hiding =
    (home: string, answer: Answer): Answer =>
    (...request) => {
      const db = new DatabaseSync(ledgerIn(home));
      db.exec('ALTER TABLE charge RENAME TO hidden');
      db.close();
      answer(...request);
    };
  const show = (home: string): void => {
    const db = new DatabaseSync(ledgerIn(home));
    db.exec('ALTER TABLE hidden RENAME TO charge');
    db.close();
  };

  it.each([[[]], [['--wait']]])(
    'makes an accepted charge exit with 7; the activity is printed, and the recovery record is on stderr and in a file: %j',
    async (more) => {
      const home = newFolder();
      const service = await serve([hiding(home, json(200, ACTIVITY))]);
      const ended = await paycli([...CHARGE, '--json', ...more], { home, service });
      expect(ended).toMatchObject({ code: 7, stdout: `${JSON.stringify(ACTIVITY)}\n` });
      const { answer, ledger_id: id } = errorOf(ended);
      expect(answer).toMatchObject({
        ledger_id: id,
        state: 'accepted',
        ugwo: UGWO_ID,
        activity: { uid: ACTIVITY.uid },
      });
      const file = readdirSync(home).find((name) => name.includes('emergency')) ?? '';
      expect(JSON.parse(readFileSync(join(home, file), 'utf8'))).toEqual(answer);
      show(home);
      expect(await rowsIn(home)).toMatchObject([{ id, state: 'accepted', activity: ACTIVITY.uid, exit_code: 0 }]);
      expect(readdirSync(home).filter((name) => name.includes('emergency'))).toEqual([]);
    },
  );

  it.each([
    ['rejected', problem(422, 'No'), 3],
    ['unknown', reset, 6],
  ])('keeps the exit code of a charge that is %s', async (state, answer, exit) => {
    const home = newFolder();
    const argv = [...CHARGE, '--json'];
    await scene({ home, service: [hiding(home, answer)], argv, exit, error: { answer: { state, exitCode: exit } } });
    show(home);
    expect(await rowsIn(home)).toMatchObject([{ state }]);
  });
});

describe.runIf(process.platform !== 'win32')("a ledger that can't be used", () => {
  it.each<[what: string, spoil: (file: string) => void, says: RegExp]>([
    [
      'is damaged',
      (file) => {
        const whole = readFileSync(file);
        writeFileSync(file, whole.fill(0xff, 4096, 6144));
      },
      /damaged|cannot be used/,
    ],
    ['is not a ledger', (file) => writeFileSync(file, 'hello, this is not a database'), /not one of its files/],
    ['is readable by others', (file) => chmodSync(file, 0o640), /open to other users.*0640/s],
    ['is empty', (file) => writeFileSync(file, ''), /what it held is lost/],
  ])('because it %s stops the charge with exit code 10', async (_what, spoil, message) => {
    const { home, service } = await scene({ service: [json(200, ACTIVITY)], argv: CHARGE, stderr: /^/ });
    spoil(ledgerIn(home));
    const argv = [...TRANSFER, '--json'];
    await scene({ home, service, argv, exit: 10, error: { kind: 'ledger', exit_code: 10, message }, requests: [] });
  });

  it('opened through a symbolic link to its folder is the same ledger', async () => {
    const [home, link] = [newFolder(), join(newFolder(), 'link')];
    symlinkSync(home, link);
    const { service } = await scene({ home: link, service: [json(200, ACTIVITY)], argv: CHARGE, stderr: /^/ });
    await scene({ home, service, argv: CHARGE, exit: 9 });
  });

  it('is created with modes for its user alone', async () => {
    const home = join(newFolder(), 'new', 'home');
    await scene({ home, service: [json(200, ACTIVITY)], argv: CHARGE, stderr: /^/ });
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(statSync(ledgerIn(home)).mode & 0o777).toBe(0o600);
  });
});

describe('the reminder of unknown charges on a terminal', () => {
  const REMINDER = /1 charge is unknown: it may have been made\. Find out:\n {2}paycli ledger sync/;
  const lost = async (): Promise<RunOptions> => {
    const options = await against(reset);
    await inProcess(CHARGE, options);
    return options;
  };
  const shown = async (...run: Parameters<typeof onTerminal>): Promise<string> => (await onTerminal(...run)).raw;

  it('is printed by ledger commands', async () => {
    const options = await lost();
    expect(await shown(['profile', 'list'], options)).not.toMatch(REMINDER);
    expect(await shown(['ledger', 'list'], options)).toMatch(REMINDER);
  });

  it('has the sync command for the profile that charged', async () => {
    const home = newFolder();
    const practised = await inProcess(['ugwo', 'list', '--local', '--all', '--json'], { home });
    const { data } = JSON.parse(practised.stdout) as { data: { uid: string; metadata: { emulate?: string } }[] };
    const losing = data.find(({ metadata }) => metadata.emulate === 'lost')?.uid ?? '';
    const words = ['ugwo', 'charge', losing, '--local', '--medium', 'bank_transfer'];
    expect((await inProcess(words, { home })).code).toBe(6);
    expect(await shown(['ledger', 'jobs', '--local'], { home })).toMatch(/Find out:\n {2}paycli ledger sync --local$/m);
    // Charges of the emulator cause no reminder in other profiles.
    rmSync(join(home, 'reminded'));
    expect(await shown(['ledger', 'status'], { home })).not.toMatch(/Find out/);
    const real = await inProcess(['ledger', 'sync'], { home, service: await serve([]) });
    expect(real).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^Not checked: chg-\w+: practice; run `paycli ledger sync --local`\.\nNo charge is /,
      ),
    });
    expect((await inProcess(['ledger', 'sync', '--local'], { home })).code).toBe(0);
  });

  it('is absent with --quiet, in a pipe, from ledger sync, and without unknown charges', async () => {
    const options = await lost();
    const piped: Ended = await inProcess(['ledger', 'status'], options);
    const texts = [
      piped.stdout + piped.stderr,
      await shown(['ledger', 'status', '--quiet'], options),
      // Its own output names the unknown charges.
      await shown(['ledger', 'sync'], { ...options, env: { PAYCLI_BASE_URL: 'http://127.0.0.1:1' } }),
      // The error names the unknown charge.
      await shown(CHARGE, options),
      await shown(['ledger', 'status'], { home: newFolder() }),
    ];
    for (const text of texts) expect(text).not.toMatch(/may have been made\. Find out/);
    // None of them counts as a reminder, which would silence the next hour.
    expect(await shown(['ledger', 'status'], options)).toMatch(REMINDER);
  });
});
