import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';

const listen = (signal: NodeJS.Signals, add: 'on' | 'once'): (() => void) => {
  const listener = (): void => undefined;
  process[add](signal, listener);
  onTestFinished(() => void process.off(signal, listener));
  return listener;
};

it('takes away what has come to listen to a signal since, and nothing else', async () => {
  const before = [listen('SIGUSR2', 'on'), listen('SIGWINCH', 'once')];
  // What listens when the module is loaded is what was there before.
  vi.resetModules();
  const { dropNewSignalListeners } = await import('../../src/config/signals-before.ts');
  const since = [listen('SIGUSR2', 'on'), listen('SIGHUP', 'once')];
  dropNewSignalListeners();
  const left = (['SIGUSR2', 'SIGWINCH', 'SIGHUP'] as const).flatMap((signal) => process.listeners(signal));
  for (const listener of before) expect(left).toContain(listener);
  for (const listener of since) expect(left).not.toContain(listener);
});

it('leaves nothing of conf to listen to a signal', () => {
  const conf = pathToFileURL('src/config/conf.ts').href;
  const code = `await import('${conf}'); console.log(process.eventNames().filter((name) => String(name).startsWith('SIG')))`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect(out.trim()).toBe('[]');
});
