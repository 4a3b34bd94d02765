import type { Completes } from '../cli/define.ts';
import { LOCAL_PROFILE } from '../core/data-files.ts';
import type { Io } from '../core/io.ts';
import { ledgerPath } from './ledger.ts';
import { openRooms, type Rooms } from './run.ts';

interface Offer {
  readonly word: string;
  readonly about: string;
}

/** Time limit of a completion, in milliseconds: nobody waits longer for a Tab. */
const LIMIT_MS = 1000;
const MOST_OFFERS = 100;

/** Words that a shell takes without quotes. */
const SAFE = /^[\w.@:+-]{1,200}$/;

const profiles = async (rooms: Rooms): Promise<Offer[]> => {
  const stored = (await rooms.profiles()).list();
  return [...stored.map(({ name, environment }) => ({ word: name, about: environment })), LOCAL];
};
const LOCAL: Offer = { word: LOCAL_PROFILE, about: 'the built-in emulator' };

const columns = async (command: string): Promise<Offer[]> =>
  (await (await import('../commands/schema/columns.ts')).columnsOf(command)).map((word) => ({ word, about: '' }));

const offersFor = async (kind: Completes, place: string, local: boolean, rooms: Rooms): Promise<readonly Offer[]> => {
  switch (kind) {
    case 'profile':
      return await profiles(rooms);
    case 'column':
      return await columns(place);
    case 'charge':
    case 'job':
    case 'entry':
    case 'ugwo':
    case 'onye':
    case 'activity': {
      const { recentIds: seenLately } = await import('../ledger/sqlite/lately.ts');
      return seenLately(await ledgerPath(rooms), kind, local).map(({ id, about }) => ({ word: id, about }));
    }
    default:
      return [];
  }
};

/**
 * Line for a shell: the word, a tab, its description. The description is reduced to plain ASCII, since others may have
 * written it.
 */
const lineOf = ({ word, about }: Offer): string => `${word}\t${about.replaceAll(/[^ -~]/g, '').slice(0, 60)}\n`;

const offer = async ([kind = '', prefix = '', place = '', flag]: readonly string[], io: Io): Promise<void> => {
  const local = flag === '--local' || io.env['PAYCLI_PROFILE'] === LOCAL_PROFILE;
  const all = await offersFor(kind as Completes, place, local, openRooms(io));
  const fit = all.filter(({ word }, at) => {
    const isFirst = all.findIndex((one) => one.word === word) === at;
    return isFirst && word.startsWith(prefix) && SAFE.test(word);
  });
  await io.stdout.write(fit.slice(0, MOST_OFFERS).map(lineOf).join(''));
};

/**
 * Answers the scripts of `paycli completion`: `__complete KIND PREFIX PLACE [--local]`. Uses no network, creates no
 * file, hides its failures and ends soon.
 */
export const complete = async (args: readonly string[], io: Io): Promise<void> => {
  const late = io.clock.sleep(LIMIT_MS);
  await Promise.race([offer(args, io), late]).catch(() => undefined);
};
