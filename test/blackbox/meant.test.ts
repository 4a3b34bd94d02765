import { describe, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { scene } from '../support/scene.ts';

/** Typos at every level, and their suggestions. */
const MISTYPED: readonly (readonly [line: string, meant: string])[] = [
  ['webhook evnts list', 'events'],
  ['help ugwo chrge', 'charge'],
  ['schema ugwo lst', 'ugwo list'],
  ['ugwo list --colums uid', '--columns'],
  ['ugwo charge --from x.csv --concurency 4', '--concurrency'],
  ['-o jsn ugwo list', 'json'],
  [`ugwo charge ${SEEDED.ugwo} --medium usdd`, 'ussd'],
  [`checkout providers ${SEEDED.checkout} usd`, 'ussd'],
  ['ugwo list --local --columns uid,statsu', 'status'],
  ['ugwo list --status processing,requires_ugo', 'requires_ugwo'],
  ['ledger list --state unknwn', 'unknown'],
  [`onye update ${SEEDED.onye} --clear first_nam`, 'first_name'],
  ['api -X GTE /v1/ugwo', 'GET'],
  ['completion install bsh', 'bash'],
  ['webhook events list --event ugwo.sucessful', 'ugwo.successful'],
  ['webhook listen --port 0 --until ugwo.sucessful', 'ugwo.successful'],
];

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

describe('did you mean', () => {
  it.each(MISTYPED)('%s', async (line, meant) => {
    await scene({ argv: line.split(' '), exit: 2, stderr: [new RegExp(`did you mean ${escaped(meant)}\\?`, 'i')] });
  });

  it.each<[readonly string[], string]>([
    [['ugwo', 'get', 'order-7'], 'find order-7 --service'],
    [['ugwo', 'charge', 'order-7', '--medium', 'bank_transfer'], 'find order-7 --service'],
    [['ugwo', 'charge', 'ada@example.com', '--medium', 'bank_transfer'], 'find ada@example.com --service'],
    [['activity', 'wait', 'order-7', 'act.Ab.1'], 'find order-7 --service'],
    [['watch', SEEDED.ugwo, 'order-7'], 'find order-7 --service'],
    [['onye', 'update', 'ada@example.com', '--ref', '7'], 'onye list'],
  ])('suggests a search for a name that nothing has: %j', async (args, find) => {
    const line = new RegExp(`→ find it with:\\s+paycli ${escaped(find)} --local\n`);
    await scene({ argv: [...args, '--local'], exit: 2, stderr: [line] });
    await scene({ argv: [...find.split(' '), '--local'], stderr: /^/ });
  });

  it('suggests a stored profile, or `local`', async () => {
    await scene({ argv: ['ugwo', 'list', '--profile', 'locl'], exit: 4, stderr: ['did you mean "local"?'] });
    await scene({
      before: [['login', '--profile', 'shop', '--environment', 'sandbox', '--key-stdin', '--no-verify']],
      stdin: `sk.Test.${'0'.repeat(80)}`,
      argv: ['profile', 'show', 'shp'],
      exit: 4,
      stderr: ['did you mean "shop"?'],
    });
  });

  it.each([
    ['on_hold', [], 2],
    ['on_hold', ['--no-validate'], 0],
    ['requires_ugo', ['--no-validate'], 0],
  ])('is disabled by --no-validate: %s %j', async (status, more, exit) => {
    await scene({ argv: ['ugwo', 'list', '--local', '--status', status, ...more], exit, stderr: /^/ });
  });
});
