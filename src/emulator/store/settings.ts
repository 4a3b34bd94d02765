import type { DatabaseSync } from 'node:sqlite';
import type { DeliveryRule, FaultRule } from '../../contract/fault-rule.ts';
import { optionalText } from '../../database/values.ts';
import { recordOf } from './rows.ts';

/** A rule of how the service is to misbehave, and how often it has matched a request or a delivery and been heeded. */
export interface KeptFault {
  readonly seq: number;
  readonly rule: FaultRule | DeliveryRule;
  readonly seen: number;
  readonly fired: number;
}

/** What a data file holds beside its records: the keys, how far its clock was moved, and the rules for faults. */
export const settings = (db: DatabaseSync) => {
  const read = db.prepare('SELECT value FROM setting WHERE name = ?');
  const write = db.prepare('INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)');
  const faults = db.prepare('SELECT seq, rule, seen, fired FROM fault ORDER BY seq');
  const add = db.prepare('INSERT INTO fault (rule) VALUES (?)');
  const count = db.prepare('UPDATE fault SET seen = seen + 1, fired = fired + ? WHERE seq = ?');
  const setting = (name: string): string | undefined => optionalText(read.get(name)?.['value']);
  return {
    setting,
    /** How far the clock was moved, in milliseconds. A request that was cut off may be answered when the file is closed. */
    clockOffset: () => (db.isOpen ? Number(setting('clock') ?? 0) : 0),
    setClockOffset: (ms: number) => void write.run('clock', String(ms)),
    faults: (): KeptFault[] =>
      faults.all().flatMap((row) => {
        const rule = recordOf<FaultRule | DeliveryRule>(row, 'rule');
        const [seq, seen, fired] = [row['seq'], row['seen'], row['fired']].map(Number) as [number, number, number];
        return rule === undefined ? [] : [{ seq, rule, seen, fired }];
      }),
    /** In place of all that there were. */
    replaceFaults: (rules: readonly (FaultRule | DeliveryRule)[]) => {
      db.exec('DELETE FROM fault');
      for (const rule of rules) add.run(JSON.stringify(rule));
    },
    addFault: (rule: FaultRule | DeliveryRule) => void add.run(JSON.stringify(rule)),
    removeFault: (seq: number) => void db.prepare('DELETE FROM fault WHERE seq = ?').run(seq),
    countFault: (seq: number, fired: boolean) => void count.run(fired ? 1 : 0, seq),
  };
};
