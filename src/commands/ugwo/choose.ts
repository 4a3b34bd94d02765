import { MEDIUM_NAMES } from '../../charge/mediums.ts';
import type { Choice } from '../../cli/define.ts';
import type { Resource } from '../../contract/proof.ts';
import { statusOf, textAt } from '../../core/charge.ts';
import { PayError } from '../../core/error.ts';
import { canBeName } from '../../core/ids.ts';
import { valueAt } from '../../core/json.ts';
import { formatMoney } from '../../core/money.ts';
import { DAY_MS, formatDuration, HOUR_MS, parseInstant } from '../../core/time.ts';
import { requestNamed } from '../names.ts';
import type { Run } from '../run.ts';

/** The number of choices that are listed one per line. */
const MOST_CHOICES = 9;

const ageOf = (request: Resource, now: number): string => {
  const age = now - (parseInstant(textAt(request, 'created_at'))?.ms ?? now);
  return age < 48 * HOUR_MS ? formatDuration(age) : `${Math.floor(age / DAY_MS)} days`;
};

/** Cells that fit on the terminal: reference or the end of the id, customer where 80 columns are, amount, age. */
const choiceLabel = (request: Resource, { clock, stderr }: Run['io']): string => {
  const [uid, ref, email] = ['uid', 'ref', 'onye.email'].map((path) => textAt(request, path));
  const name = ref === '' ? `…${uid?.slice(-6)}` : ref;
  const columns = [
    [name, 18],
    ...(stderr.columns < 80 ? [] : [[email, 24] as const]),
    [formatMoney(textAt(request, 'amount'), textAt(request, 'currency')), 16],
  ] as const;
  const cells = columns.map(([text = '', width]) =>
    text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width),
  );
  return [...cells, ageOf(request, clock.now())].join('  ').trimEnd();
};

/** The newest payment requests that can be charged, for a person to choose from. */
export const unpaidRequests = async (run: Pick<Run, 'client' | 'io'>): Promise<readonly Choice[]> => {
  const client = await run.client('read');
  const choices: Choice[] = [];
  for await (const { records } of client.pages('ugwo.list', { query: { limit: '100' } }, { pages: 1 })) {
    for (const { value } of records) {
      if (statusOf(value) !== 'requires_ugwo' || choices.length === MOST_CHOICES) continue;
      choices.push({ value: String(value['uid']), label: choiceLabel(value as Resource, run.io) });
    }
  }
  return choices;
};

/**
 * The mediums that the checkout of a payment request, given by its id or ref, offers, in its order. None if the service
 * doesn't show them. Throws if paycli can charge by none of them.
 */
export const mediumsOf =
  (name: string) =>
  async (run: Run): Promise<readonly Choice[]> => {
    const ugwo = canBeName('ugw', name) ? await requestNamed(name, run) : name;
    const client = await run.client('read');
    const shown = await client.look('ugwo.get', { params: { uid: ugwo } }, { mustExist: true });
    if (shown !== undefined) await run.observe('request', shown);
    const mediums = valueAt(shown?.value, 'checkout.mediums');
    const offered = Array.isArray(mediums) ? mediums.map((one) => textAt(one, 'medium')) : [];
    const usable = offered.filter((name) => MEDIUM_NAMES.includes(name));
    if (usable.length === 0 && offered.join('') !== '') {
      throw new PayError('refused', `the checkout of ${ugwo} offers only ${offered.join(', ')}; nothing was sent`, {
        hint: `paycli knows ${MEDIUM_NAMES.join(', ')}; to charge by another, name it with --medium, and what it needs with --param`,
      });
    }
    return usable.map((medium) => ({ value: medium, label: medium }));
  };
