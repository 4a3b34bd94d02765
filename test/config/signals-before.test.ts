import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';

const listen = (signal: NodeJS.Signals, add: 'on' | 'once'): (() => void) => {
  const listener = (): void => undefined;
  process[add](signal, listener);
  onTestFinished(() => void process.off(signal, listener));
  return listener;
};

it('dropNewSignalListeners removes the listeners added since the module was loaded, and no others', async () => {
  const before = [listen('SIGUSR2', 'on'), listen('SIGWINCH', 'once')];
  // The module takes its snapshot of the listeners when it is loaded.
  vi.resetModules();
  const { dropNewSignalListeners } = await import('../../src/config/signals-before.ts');
  const since = [listen('SIGUSR2', 'on'), listen('SIGHUP', 'once')];
  dropNewSignalListeners();
  const left = (['SIGUSR2', 'SIGWINCH', 'SIGHUP'] as const).flatMap((signal) => process.listeners(signal));
  for (const listener of before) expect(left).toContain(listener);
  for (const listener of since) expect(left).not.toContain(listener);
});

it('conf leaves no signal listener', () => {
  const store = pathToFileURL('src/config/store.ts').href;
  const code = `await import('${store}'); console.log(process.eventNames().filter((name) => String(name).startsWith('SIG')))`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect(out.trim()).toBe('[]');
});
