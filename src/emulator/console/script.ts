/** Keeps pages up to date beyond links and forms. Writes only texts and attributes, never markup. */
export const SCRIPT = `
'use strict';
const { root, shape } = document.body.dataset;
const isFeed = 'feed' in document.body.dataset;
const link = document.getElementById('link');
const changed = document.getElementById('changed');
const MOST_ROWS = 300;
const AGAIN_MS = 3000;
let source;
let looking = false;
// When the page was loaded, or the pointer has moved in it.
let movedAt = 0;
let last = Number(document.getElementById('requests')?.dataset.last ?? 0);

const tell = (text, tone) => {
  link.textContent = text;
  link.dataset.tone = tone;
};

const element = (name, text, dataset = {}) => {
  const made = document.createElement(name);
  made.textContent = text;
  Object.assign(made.dataset, dataset);
  return made;
};

const cell = (inside, className) => {
  const made = document.createElement('td');
  made.className = className;
  made.append(inside);
  return made;
};

/** The same row as the server makes. */
const rowOf = ({ seq, at, moment, method, path, word, tone, why }) => {
  const row = document.createElement('tr');
  row.className = 'fresh';
  const time = element('time', moment);
  time.dateTime = at;
  const way = element('a', method + ' ' + path);
  way.href = root + 'requests/' + Number(seq);
  const pill = element('span', '');
  pill.className = 'pill';
  pill.append(element('span', word, { tone }));
  row.append(cell(time, ''), cell(pill, 'end'), cell(way, 'wide id'), cell(element('span', why), 'wide'));
  return row;
};

const addRow = (data) => {
  const body = document.querySelector('#requests tbody');
  // The first one ever: the table is not there yet.
  if (body === null) return location.reload();
  body.prepend(rowOf(data));
  last = Number(data.seq);
  while (body.rows.length > MOST_ROWS) body.lastElementChild.remove();
};

/** Somebody is at it: nothing is taken from under their hands. */
const isHeld = () => document.activeElement !== document.body || !getSelection().isCollapsed;

const showCells = (cells) => {
  for (const [id, text, tone] of cells) {
    for (const found of document.querySelectorAll('[data-live]')) {
      if (found.dataset.live !== id || found.textContent === text) continue;
      found.textContent = text;
      found.dataset.tone = tone;
    }
  }
};

const look = async () => {
  if (looking || isFeed) return;
  looking = true;
  const answer = await fetch(location.href, { headers: { accept: 'application/json' } }).finally(() => {
    looking = false;
  });
  if (!answer.ok) return;
  const now = await answer.json();
  showCells(now.cells);
  if (now.shape === shape) return;
  if (isHeld()) changed.hidden = false;
  else if (performance.now() - movedAt > AGAIN_MS) location.reload();
  else setTimeout(() => void look().catch(() => undefined), AGAIN_MS);
};

const close = () => {
  if (source !== undefined) source.close();
  source = undefined;
};

/** Only while it is seen: a browser opens few connections to one place. */
const open = () => {
  close();
  if (document.hidden) return;
  source = new EventSource(root + 'live?after=' + last);
  source.addEventListener('open', () => {
    tell('live', 'good');
    void look().catch(() => undefined);
  });
  source.addEventListener('error', () => tell('not connected', 'bad'));
  source.addEventListener('changed', () => void look().catch(() => undefined));
  if (isFeed) source.addEventListener('request', (event) => addRow(JSON.parse(event.data)));
};

document.addEventListener('pointermove', () => {
  movedAt = performance.now();
});
document.addEventListener('visibilitychange', open);
addEventListener('pagehide', close);
addEventListener('pageshow', open);
`;
