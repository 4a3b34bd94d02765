import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';

/**
 * Paths of installed browsers (`apt-get install chromium-headless-shell`); the first needs half the CPU time of the
 * others.
 */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:/Program Files/Google/Chrome/Application/chrome.exe',
];

const executablePath = PLACES.find((place) => existsSync(place));

/** Whether a browser is installed; where its tests must not be skipped, it is installed first. */
export const hasBrowser = executablePath !== undefined;

/** Root can't use the sandbox. */
const ARGS = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

export interface Opened {
  readonly page: Page;
  /** The browser's errors, such as a blocked script. */
  readonly complaints: readonly string[];
}

/** One real browser for the tests of a file, started by the first test that needs it. */
export const useBrowser = () => {
  let started: Promise<Browser> | undefined;
  afterAll(async () => (await started)?.close());
  /** `allowed`: the errors that the browser may report. */
  return async (options: BrowserContextOptions = {}, allowed?: RegExp): Promise<Opened> => {
    if (executablePath === undefined) throw new Error('there is no Chromium: apt-get install chromium-headless-shell');
    started ??= chromium.launch({ executablePath, args: ARGS });
    const context = await (await started).newContext(options);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    onTestFinished(() => expect(complaints.filter((one) => allowed?.test(one) !== true)).toEqual([]));
    return { page, complaints };
  };
};
