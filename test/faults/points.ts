import { bytesOf, type Call, isWholeText, streamsOf, targetOf } from './strace.ts';

/** A system call of the program on its ledger or its socket. */
export interface Point {
  readonly call: Call;
  /** A description that is the same in each run: without random numbers or names. */
  readonly what: string;
  readonly on: 'file' | 'socket';
}

const LEFT_OUT = new Set(['getcwd', 'execve', 'epoll_ctl']);
const WITH_OFFSET = new Set(['pread64', 'pwrite64', 'ftruncate']);

const withoutChance = (path: string): string =>
  path.replace(/-emergency-.*$/s, '-emergency-*').replaceAll(/\.[0-9a-f]{12}\.new/g, '.*.new');

/** The paths below a folder in a call, by text or by descriptor; relative to the folder. */
const pathsOf = ({ args }: Call, folder: string): string[] =>
  args
    .flatMap((arg) => [targetOf(arg), isWholeText(arg) ? bytesOf(arg).toString() : undefined])
    .filter((path) => path === folder || path?.startsWith(`${folder}/`) === true)
    .map((path) => withoutChance(`${path}`.slice(folder.length + 1)) || '.');

const fileCall = (call: Call, folder: string): string | undefined => {
  const paths = pathsOf(call, folder);
  if (paths.length === 0) return undefined;
  // The result of F_GETLK is recorded only if it succeeds.
  const [, order = '', range = ''] = call.args;
  const lock = call.name === 'fcntl' ? ` ${order}${order === 'F_GETLK' ? '' : ` ${range}`}` : '';
  const last = call.args.at(-1) ?? '';
  // A call in which the process died is recorded incompletely.
  const offset = WITH_OFFSET.has(call.name) && /^\d+$/.test(last) ? ` at ${last}` : '';
  return `${call.name} ${paths.join(' ')}${lock}${offset}`;
};

const socketCall = ({ name, args }: Call, streams: ReadonlySet<string>): string | undefined => {
  if (name === 'socket' && args[0]?.startsWith('AF_INET') === true) return 'socket';
  const isConnection = (target: string | undefined): boolean =>
    target?.startsWith('socket:') === true && !streams.has(target);
  if (!args.map(targetOf).some(isConnection)) return undefined;
  return `${name} socket ${name.endsWith('sockopt') ? args.slice(1, 3).join(' ') : ''}`.trim();
};

/** The calls on the ledger and the socket, from the first mention of the folder, in order. */
export const pointsOf = (calls: readonly Call[], folder: string): Point[] => {
  const start = calls.findIndex((call) => pathsOf(call, folder).length > 0);
  if (start === -1) return [];
  // A parent's pipes for the standard streams are sockets, too.
  const streams = streamsOf(calls, [0, 1, 2]);
  return calls.slice(start).flatMap((call): Point[] => {
    if (LEFT_OUT.has(call.name)) return [];
    const file = fileCall(call, folder);
    if (file !== undefined) return [{ call, what: file, on: 'file' }];
    const socket = socketCall(call, streams);
    return socket === undefined ? [] : [{ call, what: socket, on: 'socket' }];
  });
};
