import { describe, expect, it } from 'vitest';
import type { Charge } from '../../src/ledger/entry.ts';
import type { RefusalReason } from '../../src/ledger/ledger.ts';
import { refusedError } from '../../src/ledger/refused.ts';
import { account, charge, intent, MINUTE, momentAt, NOON } from './support/charges.ts';

const refused = (why: RefusalReason, by: Charge, { same = true, words = [] as string[] } = {}) => {
  const { activity } = by;
  const of = { kind: 'refused', why, intent: by, by, activity, moment: momentAt(NOON) } as const;
  const { kind, message, detail } = refusedError(of, words, same);
  return { kind, message, lines: message.split('\n'), ...detail };
};
const DIAL = { type: 'user_action', instruction: 'Dial', headers: { ussd: '*737#' } };

describe('a refusal', () => {
  it.each<[RefusalReason, RegExp, RegExp]>([
    [
      'unresolved',
      /may have been made; its result is unknown$/,
      /`paycli ledger sync chg-000000000000`; --again doesn't/,
    ],
    ['in_progress', /another paycli process is charging it right now \(by /, /`paycli ledger show chg-000000000000`/],
    ['paid', /is already paid \(by bank_transfer/, /--reuse prints the payment, --again makes a second charge/],
  ])('that is %s says what stands in the way and what to do', (why, what, hint) => {
    const said = refused(why, charge());
    expect(said.kind).toBe('refused');
    expect(said.message).toMatch(what);
    expect(said.hint).toMatch(hint);
    expect(said.lines).toHaveLength(1);
    expect(said.ledgerId).toBe('chg-000000000000');
  });

  it('promises a payment only where one can be shown', () => {
    const of = {
      kind: 'refused',
      why: 'paid',
      intent: intent({ about: 'ugw.AbCd.1' }),
      by: undefined,
      moment: momentAt(NOON),
    } as const;
    expect(refusedError({ ...of, activity: account() }, [], false).detail.hint).toContain('--reuse');
    expect(refusedError({ ...of, activity: undefined }, [], false).detail.hint).not.toContain('--reuse');
  });

  it('shows the account and until when, as the service wrote it, whose clock the customer is told by', () => {
    const slow = charge({
      told: { ...momentAt(NOON), service: NOON + 5 * MINUTE },
      activity: account({ createdAt: undefined }),
    });
    const until = new Date(NOON + 15 * MINUTE);
    const clock = [until.getHours(), until.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
    for (const by of [charge(), slow, charge({ told: undefined })]) {
      expect(refused('payable', by).lines.slice(1)).toEqual([
        'Wema Bank, Ada',
        `account number 0123456789, until ${clock}`,
      ]);
    }
  });

  it('shows the code to dial, or the words of an action that is not known', () => {
    const other = { type: 'new', instruction: 'Wave at the camera.' };
    expect(refused('payable', charge({ activity: account({ nextAction: DIAL }) })).lines[1]).toBe('dial *737#');
    expect(refused('payable', charge({ activity: account({ nextAction: other }) })).lines[1]).toBe(
      'Wave at the camera.',
    );
  });

  it('speaks of --reuse only to who asks the same customer for the same', () => {
    expect(refused('payable', charge()).hint).toContain('--reuse');
    expect(refused('payable', charge(), { same: false }).hint).not.toContain('--reuse');
  });

  it('says that it is under way where there is nothing to pass on', () => {
    for (const activity of [undefined, account({ nextAction: null })]) {
      const said = refused('payable', charge({ activity }));
      expect(said.message).toContain('still under way');
      expect(said.lines).toHaveLength(1);
    }
  });

  it('names the provider, the end of the phone number, and the place', () => {
    const by = charge({ medium: 'mobile_money', provider: 'mtn', phone: '…4567', activity: undefined });
    const said = refused('paid', by, { words: ['--profile', 'shop'] });
    expect(said.message).toContain('by mobile_money (mtn, …4567)');
    expect(said.hint).toContain(`\`paycli ugwo get ${by.about} --profile shop\``);
  });

  it('carries the activity for programs', () => {
    expect(JSON.parse(refused('payable', charge()).activity ?? '')).toMatchObject({ uid: account().uid });
    expect(refused('unresolved', charge({ activity: undefined }))).not.toHaveProperty('activity');
  });
});
