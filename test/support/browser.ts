import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';

/** Where a browser lies that is not ours (`apt-get install chromium-headless-shell`); the first takes half the processor's time of the others. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:/Program Files/Google/Chrome/Application/chrome.exe',
];

const executablePath = PLACES.find((place) => existsSync(place));

/** Whether there is one; where tests must not be left out, it is installed first. */
export const hasBrowser = executablePath !== undefined;

/** As root there is no sandbox to be had. */
const ARGS = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

export interface Opened {
  readonly page: Page;
  /** What the browser complained of, a refused script say. */
  readonly complaints: readonly string[];
}

/** One real browser for the tests of a file, started by the first that needs it. */
export const useBrowser = () => {
  let started: Promise<Browser> | undefined;
  afterAll(async () => (await started)?.close());
  /** `allowed`: what the browser may complain of here. */
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
