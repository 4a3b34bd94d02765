import { beforeEach, describe, expect, it } from 'vitest';
import { inProcess, startHere } from '../support/in-process.ts';
import { newFolder, quickClock, type RunOptions } from '../support/program.ts';
import { ACTIVITY, hang, json, type Seen, serveAllBy, ugwo } from '../support/service.ts';
import { activityOf, charged, ugwoOf, ussdFile } from './bulk-support.ts';

beforeEach(() => void quickClock());

const CHARGE = ['ugwo', 'charge', ugwoOf(1), '--medium', 'ussd', '--provider', 'gtb'];

/** Commands that read an open charge again until it ends. `makes`: the command makes the charge itself. */
const COMMANDS = {
  'activity wait': { makes: false, args: () => ['activity', 'wait', ugwoOf(1), activityOf(1)] },
  'ugwo charge --wait': { makes: true, args: () => [...CHARGE, '--wait'] },
  'ugwo charge --from --wait': { makes: true, args: () => ['ugwo', 'charge', '--from', ussdFile(1), '--wait'] },
  'watch --until-final': { makes: false, args: () => ['watch', ugwoOf(1), '--until-final'] },
  'ledger sync': { makes: false, args: () => ['ledger', 'sync'] },
} as const;
type Command = keyof typeof COMMANDS;

const ENDS = {
  paid: { status: 'successful', total: 500_001 },
  failed: { status: 'failed', total: 0 },
  underpaid: { status: 'successful', total: 40_000 },
} as const;

const kindOf = ({ method, url }: Seen): string => {
  if (method === 'POST') return 'POST';
  if (url.startsWith('/v1/ugwo?')) return 'list';
  return url.includes('/activities/') ? 'activity' : 'request';
};

/** A service with one payment request. Its charge is open for the first reads, and then has ended; without `end`, they hang. */
const openWorld = async (command: Command, open: number, end?: keyof typeof ENDS) => {
  const { makes, args } = COMMANDS[command];
  let [isMade, reads, before] = [false, 0, 0];
  const service = await serveAllBy((seen) => {
    if (seen.method === 'POST') {
      isMade = true;
      return charged(1);
    }
    const isOver = isMade && ++reads > open;
    if (isOver && end === undefined) return hang;
    const { status, total } = isOver && end !== undefined ? ENDS[end] : { status: 'requires_action', total: 0 };
    const activity = { ...ACTIVITY, uid: activityOf(1), status };
    if (kindOf(seen) === 'activity') return json(200, activity);
    const request = { ...ugwo(1), checkout: { uid: 'chk.AbCd.1' }, total_amount_paid: total };
    return json(200, { ...request, activities: isMade ? [activity] : [] });
  });
  const options: RunOptions = { service, home: newFolder() };
  if (!makes) {
    const { code, stderr } = await inProcess(CHARGE, options);
    expect(code, stderr).toBe(0);
    before = service.seen.length;
  }
  return { args: args(), options, service, before, requests: () => service.seen.slice(before).map(kindOf).join(' ') };
};

describe('the requests of a command that reads an open charge again', () => {
  it.each<[Command, open: number, keyof typeof ENDS, code: number, requests: string]>([
    ['activity wait', 1, 'paid', 0, 'activity activity request'],
    ['activity wait', 0, 'failed', 11, 'activity'],
    ['activity wait', 0, 'underpaid', 13, 'activity request'],
    ['ugwo charge --wait', 1, 'paid', 0, 'request POST activity activity request'],
    ['ugwo charge --wait', 0, 'failed', 11, 'request POST activity'],
    ['ugwo charge --wait', 0, 'underpaid', 13, 'request POST activity request'],
    ['ugwo charge --from --wait', 1, 'paid', 0, 'request POST request request'],
    ['ugwo charge --from --wait', 0, 'failed', 11, 'request POST request'],
    ['ugwo charge --from --wait', 0, 'underpaid', 13, 'request POST request'],
    ['watch --until-final', 1, 'paid', 0, 'request request'],
    ['watch --until-final', 0, 'failed', 11, 'request'],
    ['watch --until-final', 0, 'underpaid', 13, 'request'],
    ['ledger sync', 1, 'paid', 0, 'request'],
    ['ledger sync', 0, 'failed', 0, 'request'],
    ['ledger sync', 0, 'underpaid', 0, 'request'],
  ])('are counted: %s, open for %i reads, then %s', async (command, open, end, code, requests) => {
    const world = await openWorld(command, open, end);
    const ended = await inProcess(world.args, world.options);
    expect([ended.code, world.requests()], ended.stderr).toEqual([code, requests]);
  });

  it.each(['activity wait', 'ugwo charge --wait', 'ugwo charge --from --wait', 'watch --until-final'] as const)(
    'end with 12 in time: %s',
    async (command) => {
      const { args, options } = await openWorld(command, Number.POSITIVE_INFINITY);
      const ended = await inProcess([...args, '--wait-timeout', '1s'], options);
      expect(ended.code, ended.stderr).toBe(12);
    },
  );

  it.each<[Command, number, string]>([
    ['activity wait', 130, 'activity activity'],
    ['ugwo charge --wait', 130, 'request POST activity activity'],
    ['ugwo charge --from --wait', 130, 'request POST request request'],
    ['watch --until-final', 130, 'request request'],
    ['ledger sync', 130, 'request'],
  ])('end at Ctrl-C: %s with %i', async (command, code, requests) => {
    const {
      args,
      options,
      service,
      before,
      requests: sent,
    } = await openWorld(command, command === 'ledger sync' ? 0 : 1);
    const run = startHere(args, options);
    await service.came(before + requests.split(' ').length);
    run.kill('SIGINT');
    const ended = await run.ended;
    expect([ended.code, sent()], ended.stderr).toEqual([code, requests]);
  });
});
