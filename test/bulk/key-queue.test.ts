import { expect, it } from 'vitest';
import { keyQueue } from '../../src/bulk/walk.ts';

it('keyQueue runs work with the same key in order, and other work at once', async () => {
  const inTurn = keyQueue();
  const log: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const work = (key: string, name: string): Promise<string> =>
    inTurn(key, async () => {
      log.push(`${name} begins`);
      const gate = Promise.withResolvers<void>();
      gates.set(name, gate);
      await gate.promise;
      log.push(`${name} ends`);
      return name;
    });
  const pass = (name: string): void => gates.get(name)?.resolve();
  const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

  const all = [work('a', 'a1'), work('a', 'a2'), work('b', 'b1'), work('a', 'a3')];
  await turn();
  expect(log).toEqual(['a1 begins', 'b1 begins']);
  // A failure delays nobody.
  gates.get('a1')?.reject(new Error('no'));
  await expect(all[0]).rejects.toThrow('no');
  await turn();
  expect(log).toEqual(['a1 begins', 'b1 begins', 'a2 begins']);
  pass('b1');
  pass('a2');
  await turn();
  pass('a3');
  expect(await Promise.all(all.slice(1))).toEqual(['a2', 'b1', 'a3']);
  expect(log.slice(3)).toEqual(['b1 ends', 'a2 ends', 'a3 begins', 'a3 ends']);
});
