/** What the frame's parent is told: `{source: "kwugwo", type, …}` (public material), and only the origin that was named. */
export const SCRIPT = `
'use strict';
const { origin, code, message } = document.body.dataset;
const PAID = ['ugwo_successful', 'partially_refunded', 'refunded'];
const [EVERY_MS, TIMES] = [2000, 150];
const say = (type, more) => {
  if (origin && window.parent !== window) window.parent.postMessage({ source: 'kwugwo', type, ...more }, origin);
};
const resize = () => say('resize', { height: document.documentElement.scrollHeight });
const tell = (text) => {
  document.getElementById('said').textContent = text;
  resize();
};
const fail = (code, message) => {
  tell(message);
  say('error', { code, message });
  return true;
};
const isOver = async () => {
  const answer = await fetch(location.href, { headers: { accept: 'application/json' } });
  const { status, activity, code, message } = await answer.json();
  if (PAID.includes(status)) {
    tell('Paid. Thank you.');
    say('success', { activityUid: activity.uid });
    return true;
  }
  if (code) return fail(code, message);
  if (activity && activity.status === 'failed') return fail(activity.code, activity.message);
  return false;
};
const lookUntilOver = async () => {
  tell('Waiting for the payment …');
  for (let turn = 0; turn < TIMES; turn += 1) {
    if (await isOver()) return;
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  tell('No payment was seen.');
};
document.getElementById('paid')?.addEventListener('click', (event) => {
  event.target.disabled = true;
  lookUntilOver().catch(() => fail('unreachable', 'The service could not be reached.')).finally(() => {
    event.target.disabled = false;
  });
});
document.getElementById('close')?.addEventListener('click', () => say('close'));
say('ready');
say('theme', { theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light' });
resize();
if (code) say('error', { code, message });
`;

export const STYLE = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
body { margin: 0 auto; max-width: 26rem; padding: 1rem; }
dt { opacity: .7; }
dd { font-size: 1.2rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
button { font: inherit; padding: .5rem 1rem; }
small { opacity: .7; }
`;
