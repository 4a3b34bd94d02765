import type { Locator, Page } from 'playwright-core';
import { afterAll, onTestFinished } from 'vitest';
import { newFolder, start } from '../support/program.ts';

interface Started {
  readonly origin: string;
  readonly key: string;
  readonly control_token: string;
  readonly console: string;
  readonly data: string;
}

export interface Console extends Started {
  readonly home: string;
  readonly stop: () => Promise<void>;
  /** The answer to an HTTP client; status 0 if the connection was cut. */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    // biome-ignore lint/suspicious/noExplicitAny: what came over the wire is what the test is about
  ) => Promise<{ readonly status: number; readonly json: any }>;
  /** Creates a payment request. */
  readonly request: (more?: object) => Promise<string>;
  readonly charge: (ugwo: string, data?: object) => ReturnType<Console['call']>;
}

/** Starts the built program's emulator with its console. */
export const startConsole = async (
  atEnd: (end: () => void | Promise<void>) => void = onTestFinished,
): Promise<Console> => {
  const home = newFolder();
  const running = start(['emulator', 'start', '--json'], { home, atEnd });
  await running.saw(/"console":"http.*\n/);
  const started = JSON.parse(running.stdout()) as Started;
  const stop = async (): Promise<void> => {
    running.kill('SIGINT');
    await running.ended;
  };
  atEnd(stop);
  const headers = { authorization: `Bearer ${started.key}`, 'content-type': 'application/json' };
  const call: Console['call'] = async (method, path, body) => {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    try {
      const answer = await fetch(`${started.origin}${path}`, init);
      return { status: answer.status, json: await answer.json() };
    } catch {
      return { status: 0, json: undefined };
    }
  };
  return {
    ...started,
    home,
    stop,
    call,
    request: async (more = {}) =>
      (await call('POST', '/v1/ugwo', { amount: 500_000, currency: 'NGN', ...more })).json.uid,
    charge: (ugwo, data = { medium: 'bank_transfer' }) =>
      call('POST', `/v1/ugwo/${ugwo}/activities`, { type: 'charge', data }),
  };
};

/** One console for all tests of a file, started on first use. */
export const useConsole = (): (() => Promise<Console>) => {
  const ends: (() => void | Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  let started: Promise<Console> | undefined;
  return () => {
    started ??= startConsole((end) => void ends.push(end));
    return started;
  };
};

/** A way to operate a page. */
export interface Hands {
  readonly press: (what: Locator) => Promise<void>;
  readonly fill: (field: Locator, text: string) => Promise<void>;
  readonly choose: (field: Locator, label: string) => Promise<void>;
}

/** More than on any page. */
const MOST_TABS = 200;

/** Gives the focus to the element before it in the order of Tab. */
const focusBefore = (what: Locator): Promise<void> =>
  what.evaluate((node) => {
    const found = node.ownerDocument.querySelectorAll('a[href], button, input, select, summary');
    const order = Array.from<typeof node>(found).filter(
      (one) => one.tabIndex >= 0 && one.checkVisibility() && !one.matches(':disabled'),
    );
    const before = order[order.indexOf(node) - 1];
    if (before !== undefined) before.focus();
    else (node.ownerDocument.activeElement as typeof node | null)?.blur();
  });

/** Reaches an element by Tab from the one before it. A date field takes several presses, and a render may steal one. */
const reach = async (page: Page, what: Locator): Promise<void> => {
  await focusBefore(what);
  for (let presses = 0; presses < MOST_TABS; presses += 1) {
    await page.keyboard.press('Tab');
    if (await what.evaluate((node) => node === node.ownerDocument.activeElement)) return;
  }
  throw new Error(`the keyboard does not reach ${what}`);
};

/** Keyboard only. */
export const withKeyboard = (page: Page): Hands => ({
  press: async (what) => {
    await reach(page, what);
    const isBox = (await what.getAttribute('type')) === 'checkbox';
    if (isBox) return page.keyboard.press('Space');
    await page.keyboard.press('Enter');
  },
  fill: async (field, text) => {
    await reach(page, field);
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(text);
  },
  choose: async (field, label) => {
    await reach(page, field);
    await page.keyboard.type(label);
  },
});
