import { expect, it } from 'vitest';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { errorOf, type RunOptions } from '../support/program.ts';
import { csvOf, fileOf, ugwoOf } from './bulk-support.ts';

/** Never reached: paycli refuses another job before sending. */
const NOWHERE = { origin: 'http://127.0.0.1:1' };

const CUSTOMERS = csvOf('uid,email', 'ony.AbCd.000000000000000000000001,ada@example.com');
const CHARGES = csvOf('ugwo', ugwoOf(1));
const BY_TRANSFER = csvOf('ugwo,medium', `${ugwoOf(1)},bank_transfer`);
/** Every column of a charge, for each medium. */
const MEDIUMS = csvOf(
  'ugwo,medium,expires_in,expires_at,provider,phone,param.k',
  `${ugwoOf(1)},bank_transfer,10m,,,,`,
  `${ugwoOf(2)},bank_transfer,,2026-11-20T14:05:00+01:00,,,`,
  `${ugwoOf(3)},ussd,,,gtb,,v`,
  `${ugwoOf(4)},mobile_money,,,mtn,+233201234567,`,
);
const EMAILS = csvOf('email', 'ada@example.com');
const AMOUNTS = csvOf('amount', '5000.00');
const REFUNDS = csvOf('activity', 'act.AbCd.000000000000000000000001');

/** The id of the job for this file and these options, from the error of --resume. */
const jobOf = async (file: string, args: readonly string[], options: RunOptions = {}): Promise<string | undefined> => {
  const other = 'job-0000000000000000';
  const given = [...args, '--from', fileOf(file), '--resume', other, '--yes', '--json'];
  const ended = await inProcess(given, { service: NOWHERE, ...options });
  return /is a different job, (job-\w+)/.exec(String(errorOf(ended)['message']))?.[1];
};

// An earlier version's file resumes only if its job id stays the same.
it.each([
  ['job-wsspsffvk1zvderj', CUSTOMERS, 'onye update'],
  [
    'job-b8k0zc5f3x5166w0',
    CUSTOMERS,
    'onye update --last-name Obi --first-name Ada --clear ref --country NG --city Lagos --meta b:=1.50',
  ],
  [
    'job-d1920kbkhbam83pq',
    CUSTOMERS,
    'onye update --ref R-1 --billing-address {"zip":"1"} --meta-json {"a":[1]} --data {"locale":"en"}',
  ],
  ['job-yy0erkdsjkxntkg7', CUSTOMERS, 'onye update --clear meta'],
  ['job-dn9xqsda7n2j6haw', CUSTOMERS, 'onye update --first-name Ada --merge-meta tier=vip --unset-meta trial'],
  ['job-v0y2ywxjd2j4thzv', EMAILS, 'onye create'],
  [
    'job-qd2e8efye3hd2z7x',
    EMAILS,
    'onye create --last-name Obi --first-name Ada --ref R-1 --address2 x --address y --meta a=1 --data {"locale":"en"}',
  ],
  ['job-58bbcmyztr6gj1cj', AMOUNTS, 'ugwo create'],
  [
    'job-254egpg96e6k353k',
    AMOUNTS,
    'ugwo create --checkout chk.1 --description d --customer ada@example.com --currency ngn --data {"b":1.0}',
  ],
  ['job-3kg59b85ryatjr3f', CHARGES, 'ugwo charge'],
  ['job-3kg59b85ryatjr3f', CHARGES, 'ugwo charge --ignore-columns note'],
  ['job-ztp21m21y30m9815', BY_TRANSFER, 'ugwo charge'],
  ['job-qz33rj5xr1f5rb2r', BY_TRANSFER, 'ugwo charge --ignore-columns medium'],
  ['job-8ngb017b2ygr46sy', CHARGES, 'ugwo charge --medium bank_transfer --expires-at 2026-11-20T14:05:00+01:00'],
  ['job-zcta3mwdwk51g8ct', CHARGES, 'ugwo charge --medium bank_transfer --expires-in 10m --param k:=1.0 --again'],
  [
    'job-gyxmcy10z9y3y6kf',
    CHARGES,
    'ugwo charge --phone +233201234567 --provider mtn --medium mobile_money --param k=v',
  ],
  ['job-fka7bxmxyqtb2ge3', CHARGES, 'ugwo charge --medium bank_transfer'],
  ['job-x7mg39ymg6p5x4a8', CHARGES, 'ugwo charge --medium bank_transfer --expires-in 15m'],
  ['job-9y8g1y6wpy1a37v7', CHARGES, 'ugwo charge --medium ussd --provider gtb'],
  ['job-0ga089ryb1a8ef3r', CHARGES, 'ugwo charge --medium ussd --provider zenith --remaining'],
  ['job-q38jgat5dv3zkvjq', CHARGES, 'ugwo charge --medium mobile_money --provider mtn --phone +233201234567'],
  ['job-egk99ja9yweg6gy6', CHARGES, 'ugwo charge --no-validate --medium pay_with_bank --param bank=gtb --param n:=[1]'],
  ['job-h01ndxdzcc18ff3d', MEDIUMS, 'ugwo charge --no-preflight'],
  ['job-jvs9g25td7r0hv7g', CHARGES, 'ugwo charge --provider zenith --phone +233550001234 --no-validate'],
  ['job-354gp56gncns5txg', REFUNDS, 'refund create --all-of-it'],
  [
    'job-x7s6mrs44v2qrzhp',
    REFUNDS,
    'refund create --account-number 0123456789 --provider gtb --reason damaged --again --all-of-it',
  ],
])('%s is the job id for these options: %#', async (id, file, args) => {
  expect(await jobOf(file, args.split(' '))).toBe(id);
});

it('is the same at another name of this machine, and another in another workspace', async () => {
  const jobAt = (options: RunOptions) => jobOf(CHARGES, ['ugwo', 'charge'], options);
  const id = await jobAt({});
  expect(await jobAt({ service: { origin: 'http://localhost:1' } })).toBe(id);
  const elsewhere = await jobAt({ env: { PAYCLI_SECRET_KEY: CANARY.replace(/^sk\.\w{4}/, 'sk.EfGh') } });
  expect([elsewhere, elsewhere === id]).toEqual([expect.stringMatching(/^job-/), false]);
});
