import { readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorOf, newFolder, paycli, start } from '../support/program.ts';
import { ACTIVITY, json, serve, UGWO_ID } from '../support/service.ts';

const OTHER = 'ugw.AbCd.0a1b2c3d4e5f6g7h8i9j0k1m';
const chargeOf = (ugwo: string): readonly string[] => {
  return ['ugwo', 'charge', ugwo, '--medium', 'ussd', '--provider', 'gtb', '--json'];
};

/** A home whose ledger another process keeps locked. */
const locked = async () => {
  const home = newFolder();
  const service = await serve([json(200, ACTIVITY)]);
  expect(await paycli(chargeOf(OTHER), { home, service })).toMatchObject({ code: 0 });
  const db = new DatabaseSync(`${home}/ledger.sqlite`);
  onTestFinished(() => db.close());
  // With a WAL this acts like EXCLUSIVE, but allows opening the ledger.
  db.exec('BEGIN IMMEDIATE');
  return { home, db };
};

/** Resolves once the charge has created its emergency file. */
const aboutToBegin = async (home: string): Promise<void> => {
  while (!readdirSync(home).some((name) => name.includes('-emergency-'))) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

describe('a charge while another process locks the ledger', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'is ended by %s (%i) before the lock is released, with nothing sent or recorded',
    async (signal, code) => {
      const { home, db } = await locked();
      const service = await serve([]);
      const running = start(chargeOf(UGWO_ID), { home, service });
      await aboutToBegin(home);
      running.kill(signal);
      const ended = await running.ended;
      expect(ended).toMatchObject({ code, stdout: '' });
      expect(errorOf(ended)).toMatchObject({ kind: 'interrupted', exit_code: code });
      expect(service.seen).toEqual([]);
      db.exec('ROLLBACK');
      expect(db.prepare('SELECT ugwo FROM charge').all()).toEqual([{ ugwo: OTHER }]);
      expect(readdirSync(home).filter((name) => name.includes('-emergency-'))).toEqual([]);
    },
  );

  it('continues once the lock is released', async () => {
    const { home, db } = await locked();
    const service = await serve([json(200, { ...ACTIVITY, uid: 'act.AbCd.0a1b2c3d4e5f6g7h8i9j0k1m' })]);
    const running = start(chargeOf(UGWO_ID), { home, service });
    await aboutToBegin(home);
    expect(service.seen).toEqual([]);
    db.exec('ROLLBACK');
    expect(await running.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('error') });
  });
});
