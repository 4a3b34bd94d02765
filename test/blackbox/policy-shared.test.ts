import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { initLedger } from '../../src/ledger/postgres/admin.ts';
import { addressOf } from '../../src/ledger/postgres/url.ts';
import { newSharedPlace } from '../ledger/support/postgres.ts';
import { sharedCluster } from '../support/postgres.ts';
import { errorOf, newFolder, paycli, type RunOptions } from '../support/program.ts';
import { openTerminal } from '../support/terminal.ts';
import { chargeFrom, once, postsOf, serveCharges, summaryOf, ussdFile } from './bulk-support.ts';

/** A shared ledger with its owner and two operators, each on another machine. */
const team = async () => {
  const [cluster, url, service] = [await sharedCluster(), await newSharedPlace().url(), await serveCharges()];
  const roles = ['ada', 'obi'].map((name) => `${name}_${randomBytes(4).toString('hex')}`);
  for (const role of roles) await cluster.sql(`CREATE ROLE ${role} LOGIN`);
  await initLedger({ address: addressOf(url), password: async () => undefined }, roles);
  const as = (role: string | undefined): RunOptions => {
    const own = new URL(url);
    if (role !== undefined) own.username = role;
    return { service, home: newFolder(), env: { PAYCLI_LEDGER: own.href } };
  };
  const [ada, obi] = [as(roles[0]), as(roles[1])];
  return { service, roles, owner: as(undefined), ada, obi };
};

it('in a shared ledger, one role sends a file that another has approved, and only the owner sets policies', async () => {
  const { service, roles, owner, ada, obi } = await team();
  const set = ['policy', 'set', '--others', '--approve-above', 'NGN 10,000.00', '--max-charges', '3', '--json'];
  const denied = await paycli(set, ada);
  expect(denied.code).toBe(10);
  expect(errorOf(denied)['message']).toContain('permission denied for table policy');
  expect(await paycli(set, owner)).toMatchObject({ code: 0 });
  const file = ussdFile(1, 2);
  const waits = await chargeFrom(file, ada);
  const job = String(errorOf(waits)['ledger_id']);
  expect(waits.code).toBe(9);
  const own = await paycli(['approve', job, '--json'], ada);
  expect(errorOf(own)).toMatchObject({
    kind: 'refused',
    message: expect.stringContaining(`asked for by you, ${roles[0]}`),
  });
  const terminal = openTerminal(['approve', job], obi);
  await terminal.saw(/to approve: /);
  terminal.type('NGN 10,000.02\r');
  expect(await terminal.ended).toEqual({ code: 0 });
  expect(errorOf(await chargeFrom(file, obi))['message']).toContain(`were approved by you, ${roles[1]}`);
  expect(summaryOf(await chargeFrom(file, ada))).toMatchObject({ accepted: 2 });
  const more = await chargeFrom(ussdFile(3), obi);
  expect(more).toMatchObject({ code: 0 });
  const beyond = await chargeFrom(ussdFile(4), ada);
  expect(beyond.code).toBe(9);
  expect(errorOf(beyond)['message']).toContain('allows 3 a day, and all of them are used today');
  expect(postsOf(service)).toEqual(once(1, 2, 3));
});
