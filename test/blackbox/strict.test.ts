import { describe, expect, it } from 'vitest';
import { operations } from '../../src/contract/operations.ts';
import { scene } from '../support/scene.ts';
import { ACTIVITY, json, ONYE_ID, UGWO_ID, ugwo } from '../support/service.ts';
import { ACT_ID, CHECKOUT_ID, serveStrict } from '../support/strict.ts';

type Line = readonly [line: string, asked: readonly string[], printed: object];

const LINES: readonly Line[] = [
  ['onye create --email ada@example.com --first-name Ada', ['POST /v1/onye'], { uid: ONYE_ID }],
  ['onye list --limit 5', ['GET /v1/onye?limit=5'], { data: [{ uid: ONYE_ID }], next_cursor: null }],
  ['onye list --email ada@example.com --all', ['GET /v1/onye?limit=100'], { data: [{ uid: ONYE_ID }] }],
  [`onye get ${ONYE_ID}`, [`GET /v1/onye/${ONYE_ID}`], { uid: ONYE_ID, email: 'ada@example.com' }],
  [`onye update ${ONYE_ID} --meta tier=vip`, [`PATCH /v1/onye/${ONYE_ID}`], { uid: ONYE_ID }],
  [
    `onye delete ${ONYE_ID} --yes`,
    [`GET /v1/onye/${ONYE_ID}`, `DELETE /v1/onye/${ONYE_ID}`],
    { uid: ONYE_ID, email: 'ada@example.com' },
  ],
  [
    'ugwo create --amount 5,000.00 --currency NGN --customer ada@example.com --ref INV-1 --metadata a=b',
    ['POST /v1/ugwo'],
    { uid: UGWO_ID },
  ],
  ['ugwo list --status requires_ugwo --all', ['GET /v1/ugwo?limit=100'], { data: [{ uid: UGWO_ID }] }],
  [`ugwo get ${UGWO_ID}`, [`GET /v1/ugwo/${UGWO_ID}`], { uid: UGWO_ID, activities: [] }],
  [
    `ugwo cancel ${UGWO_ID} --yes`,
    [`GET /v1/ugwo/${UGWO_ID}`, `DELETE /v1/ugwo/${UGWO_ID}`],
    { uid: UGWO_ID, status: 'cancelled' },
  ],
  [
    `ugwo charge ${UGWO_ID} --medium bank_transfer --no-preflight`,
    [`POST /v1/ugwo/${UGWO_ID}/activities`],
    { activity_type: 'charge' },
  ],
  [`activity get ${UGWO_ID} ${ACT_ID}`, [`GET /v1/ugwo/${UGWO_ID}/activities/${ACT_ID}`], { uid: ACT_ID }],
  [
    'checkout list --status inactive --currency ngn',
    ['GET /v1/checkouts?filter%5Bstatus%5D%5B%5D=2&filter%5Bcurrency%5D%5B%5D=NGN'],
    { data: [{ uid: CHECKOUT_ID, name: 'Naira' }] },
  ],
  [`checkout get ${CHECKOUT_ID}`, [`GET /v1/checkouts/${CHECKOUT_ID}`], { uid: CHECKOUT_ID, currency: 'NGN' }],
  [
    `checkout providers ${CHECKOUT_ID} ussd`,
    [`GET /v1/checkouts/${CHECKOUT_ID}/ussd`],
    { data: [{ psp: 'psp.AbCd.1', code: 'gtb', name: 'GTBank' }] },
  ],
  [
    `refund create ${ACT_ID} --amount-minor 20000 --reason returned --provider gtb --account-number 0123456789 --yes`,
    ['POST /v1/refunds'],
    { uid: 'anything', amount: 20_000 },
  ],
  [`onye update ${ONYE_ID} --address Broad --zip 101 --clear ref`, [`PATCH /v1/onye/${ONYE_ID}`], { uid: ONYE_ID }],
  ['api /v1/checkouts?filter[status][]=1', ['GET /v1/checkouts?filter%5Bstatus%5D%5B%5D=1'], { data: [{}] }],
  ['api /v1/onye -X GET -f limit=5 --paginate', ['GET /v1/onye?limit=5'], { data: [{ uid: ONYE_ID }] }],
  [`api /v1/onye/${ONYE_ID} -X PATCH -f first_name=Ada`, [`PATCH /v1/onye/${ONYE_ID}`], { uid: ONYE_ID }],
  ['api /v1/ugwo -F amount=500000 -f currency=NGN', ['POST /v1/ugwo'], { uid: UGWO_ID }],
  [`api /v1/ugwo/${UGWO_ID} -X DELETE --yes`, [`DELETE /v1/ugwo/${UGWO_ID}`], { uid: UGWO_ID, status: 'cancelled' }],
];

describe('with a service that only knows the documented API', () => {
  it.each(LINES)('`%s` works', async (line, requests, json) => {
    await scene({ service: serveStrict(), argv: [...line.split(' '), '--json'], stderr: /^/, json, requests });
  });

  it('every operation is covered', () => {
    const missing = Object.entries(operations).filter(([, { method, path }]) => {
      const template = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(?:\\?|$)`);
      return !LINES.some(([, asked]) => asked.some((one) => template.test(one)));
    });
    expect(missing.map(([id]) => id)).toEqual([]);
  });
});

describe('an irreversible command', () => {
  it.each([
    [`onye delete ${ONYE_ID}`, [`GET /v1/onye/${ONYE_ID}`]],
    [`ugwo cancel ${UGWO_ID}`, [`GET /v1/ugwo/${UGWO_ID}`]],
    [`refund create ${ACT_ID} --amount-minor 20000`, []],
  ])('is not sent by a script without --yes: %s', async (line, requests) => {
    await scene({ service: serveStrict(), argv: line.split(' '), exit: 2, stderr: ['--yes'], requests });
  });

  it('shows before a refund the paid amount in both units and the customer', async () => {
    const activity = { ...ACTIVITY, uid: ACT_ID, status: 'successful', amount: 500_000 };
    await scene({
      service: [json(200, { ...ugwo(1), uid: UGWO_ID, activities: [activity] })],
      looks: 'asked',
      argv: `refund create ${ACT_ID} --ugwo ${UGWO_ID} --amount 2,500.00`.split(' '),
      exit: 2,
      stderr: ['NGN 2,500.00 (250000 kobo)'],
      requests: ['GET'],
    });
  });
});
