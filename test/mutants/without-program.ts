import { TestRunner, vi } from 'vitest';
import { PROGRAM } from '../support/built.ts';

/** Skips the test that starts the built program, which has no mutants. */
const skip = (): never => {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error('a hook starts the program: leave this file out');
  return test.context.skip('it starts the built program');
};

const isOurs = (word: unknown): boolean => word === PROGRAM.at(-1);

vi.mock('@lydell/node-pty', () => ({ spawn: skip }));
vi.mock('node:child_process', async (original) => {
  const real = await original<typeof import('node:child_process')>();
  const spawn = (...given: Parameters<typeof real.spawn>) =>
    given.flat().some(isOurs) ? skip() : real.spawn(...given);
  return { ...real, spawn };
});
