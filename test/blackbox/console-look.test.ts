import { expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { type Console, useConsole } from './console-support.ts';

const [browse, console] = [useBrowser(), useConsole()];

/** Records of every kind that the console shows. */
const filled = async ({ request, charge, origin, control_token: token }: Console): Promise<readonly string[]> => {
  const [open, dialled, twice] = [await request({ onye_email: 'ada@example.com' }), await request(), await request()];
  await charge(open);
  await charge(dialled, { medium: 'ussd', provider: 'gtb' });
  await charge(dialled, { medium: 'ussd', provider: 'nobank' });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const control = (method: string, path: string, body: object) =>
    fetch(`${origin}/emulator/${path}`, { method, headers, body: JSON.stringify(body) }).then((answer) =>
      answer.json(),
    );
  for (const as of ['successful', 'failed']) {
    await control('POST', 'settle', { activity: (await charge(twice)).json.uid, as });
  }
  await control('POST', 'webhooks', { url: 'http://127.0.0.1:9/hooks' });
  await control('POST', 'webhooks/trigger', { event: 'ugwo.activity.double_charge_detected', ugwo: twice });
  const rule = { method: 'POST', path: '/v1/ugwo/*/activities', times: 1, reset: true, when: 'after' };
  await control('PUT', 'faults', { rules: [rule, { event: '*', twice: true }] });
  await charge(open);
  return [
    'requests',
    'requests/6',
    'payments',
    ...[open, dialled, twice].map((uid) => `payments/${uid}`),
    'webhooks',
    'faults',
    'clock',
  ];
};

/** Layout and contrast errors of a page, measured in the browser. */
const faultsOf = `(() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const rgb = (color) => {
    if (known.has(color)) return known.get(color);
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    known.set(color, [...canvas.getImageData(0, 0, 1, 1).data]);
    return known.get(color);
  };
  const light = (color) => {
    const [r, g, b] = color.map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (node) => {
    for (let at = node; at !== null; at = at.parentElement) {
      const color = rgb(getComputedStyle(at).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const contrast = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) faults.push('is ' + (root.scrollWidth - root.clientWidth) + ' pixels too wide');
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
    const node = text.parentElement;
    if (text.data.trim() === '' || !node.checkVisibility() || node.closest('.unseen, .skip, option')) continue;
    texts += 1;
    const ratio = contrast(rgb(getComputedStyle(node).color), groundOf(node));
    if (ratio < 4.5) faults.push('contrast ' + ratio.toFixed(2) + ': ' + text.data.trim().slice(0, 40));
    const box = node.getBoundingClientRect();
    if (box.right > root.clientWidth + 1) faults.push('sticks out: ' + text.data.trim().slice(0, 40));
  }
  if (texts < 10) faults.push('shows hardly a text');
  for (const field of document.querySelectorAll('input:not([type=hidden]), select')) {
    const border = contrast(rgb(getComputedStyle(field).borderTopColor), groundOf(field.parentElement));
    if (border < 3 && field.type !== 'checkbox') faults.push('faint border: ' + field.name);
    if (field.getBoundingClientRect().right > field.form.parentElement.getBoundingClientRect().right) faults.push('sticks out: ' + field.name);
    if (field.labels.length === 0) faults.push('no label: ' + field.name);
  }
  for (const button of document.querySelectorAll('button, a, summary')) {
    if ((button.getAttribute('aria-label') ?? button.textContent).trim() === '') faults.push('no name: ' + button.outerHTML);
    const { height } = button.getBoundingClientRect();
    if (button.checkVisibility() && button.tagName === 'BUTTON' && height < 24) faults.push('too small: ' + button.textContent);
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  if (new Set(ids).size !== ids.length) faults.push('an id twice');
  if (document.querySelectorAll('h1').length !== 1) faults.push('not one heading of the first level');
  return faults;
})()`;

/** The notice at the end of a page, and any text that suggests real money. */
const practiceOf = `(() => {
  scrollTo(0, document.documentElement.scrollHeight);
  const notice = document.querySelector('.practice');
  const { top, bottom } = notice.getBoundingClientRect();
  const seen = top >= 0 && bottom <= innerHeight && notice.checkVisibility() ? notice.textContent : '';
  const texts = [document.title, document.body.innerText];
  const claims = texts.flatMap((text) => text.match(/\\b(?:live|production|real money)\\b/gi) ?? []);
  const green = document.querySelectorAll('body > :not(main) [data-tone=good]').length;
  return { seen, claims, green };
})()`;

/** Colours don't depend on the width, nor the width on colours. */
const LOOKS = [
  [1400, 'light'],
  [1400, 'dark'],
  [400, 'dark'],
] as const;

it.runIf(hasBrowser)('fits and is legible at 1400 and 400 pixels, light and dark', async () => {
  const [service, { page }] = [await console(), await browse()];
  for (const path of await filled(service)) {
    await page.goto('about:blank');
    await page.goto(`${service.console}#${path}`);
    await page.locator(`nav [aria-current][href="#${path.split('/')[0]}"]`).waitFor();
    for (const summary of await page.locator('summary').all()) await summary.press('Enter');
    for (const [width, colorScheme] of LOOKS) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate(faultsOf), `${path}, ${width}, ${colorScheme}`).toEqual([]);
    }
  }
});

it.runIf(hasBrowser)('shows the practice notice on every screen, and nothing that suggests real money', async () => {
  const [service, { page }] = [await console(), await browse({ viewport: { width: 400, height: 600 } })];
  for (const path of await filled(service)) {
    await page.goto('about:blank');
    await page.goto(`${service.console}#${path}`);
    await page.locator(`nav [aria-current][href="#${path.split('/')[0]}"]`).waitFor();
    await page.getByText('connected', { exact: true }).waitFor();
    expect(await page.title(), path).toMatch(/ · paycli emulator \(practice\)$/);
    expect(await page.evaluate(practiceOf), path).toEqual({ seen: 'Practice: no money moves', claims: [], green: 0 });
  }
  const icon = await (await fetch(`${service.console}icon.svg`)).text();
  expect(icon).not.toMatch(/#17663a/);
});

it.runIf(hasBrowser)('shows the focus from the first key on, in page order', async () => {
  const [service, { page }] = [await console(), await browse()];
  const ugwo = await service.request();
  await service.charge(ugwo);
  await page.goto(`${service.console}#payments/${ugwo}`);
  await page.getByText('Timeline').waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
  const reached: string[] = [];
  const all = Number(
    await page.locator('main :is(a, button, select, summary, input:not([type=hidden])):visible').count(),
  );
  for (let presses = 0; presses < all; presses += 1) {
    await page.keyboard.press('Tab');
    reached.push(
      await page.evaluate(`(() => {
        const { activeElement: at } = document;
        const { outlineStyle, outlineWidth } = getComputedStyle(at);
        const { top, bottom, left, right } = at.getBoundingClientRect();
        const isSeen = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
        return outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2 && isSeen && at.closest('main') ? 'seen' : at.outerHTML;
      })()`),
    );
  }
  expect(reached).toEqual(Array(all).fill('seen'));
});

it.runIf(hasBrowser)('runs no animation with prefers-reduced-motion', async () => {
  const [service, { page }] = [await console(), await browse({ reducedMotion: 'reduce' })];
  await service.request();
  await page.goto(service.console);
  await page.getByText('connected', { exact: true }).waitFor();
  await service.request();
  await page.locator('tr.fresh').waitFor();
  expect(await page.evaluate('document.getAnimations().length')).toBe(0);
});
