import { join } from 'node:path';
import { expect } from 'vitest';
import { inProcess } from './in-process.ts';
import { errorOf, newFolder, paycli, type RunOptions } from './program.ts';
import { reportOf } from './report.ts';
import { type Answer, type Seen, type ServeOptions, type Service, serve, serveBy } from './service.ts';

/** The whole text, what it matches, or the parts that it has. */
type Text = string | RegExp | readonly (string | RegExp)[];

/** One run of paycli, and all that must be seen of it. A field that is left out is not compared. */
export interface Scene extends Omit<RunOptions, 'service'>, ServeOptions {
  readonly argv: readonly string[];
  /** Answers in turn, answers by request, or a service that already runs. */
  readonly service?: readonly Answer[] | ((seen: Seen) => Answer | undefined) | Service | Promise<Service> | undefined;
  /** Runs before it, in the same home and with the same service; each must exit with 0. */
  readonly before?: readonly (readonly string[])[];
  /** Runs the built program in a process of its own. */
  readonly built?: true;
  /** The exit code; by default 0. */
  readonly exit?: number;
  /** By default nothing after a failure, unless `json` is given. */
  readonly stdout?: Text;
  /** By default nothing after a success. */
  readonly stderr?: Text;
  /** Parts of what stdout holds as JSON. */
  readonly json?: object;
  /** Parts of the error on the last line of stderr, of a run with --json. */
  readonly error?: object;
  /** The requests to the service in these runs: `METHOD`, `METHOD path` or `METHOD path body`. */
  readonly requests?: readonly (string | RegExp)[];
  /** Parts of each row of a file's report by its number; the run gets --report. */
  readonly report?: object;
  /** Parts of the ledger's entries as `ledger list --json` prints them. */
  readonly entries?: readonly object[];
}

const isList = (wanted: Text | undefined): wanted is readonly (string | RegExp)[] => Array.isArray(wanted);

/** The same with a matcher for each RegExp, which `toMatchObject` would find in any text. */
const withMatchers = (wanted: unknown): unknown => {
  if (wanted instanceof RegExp) return expect.stringMatching(wanted);
  if (Array.isArray(wanted)) return wanted.map(withMatchers);
  if (Object.getPrototypeOf(wanted ?? 0) !== Object.prototype) return wanted;
  return Object.fromEntries(Object.entries(wanted as object).map(([name, value]) => [name, withMatchers(value)]));
};

const textOf = (wanted: Text): unknown => (isList(wanted) ? wanted.map(String) : withMatchers(wanted));

/** The text, or the wanted parts of it if it has them all. */
const partsOf = (text: string, wanted: Text | undefined): string | string[] => {
  if (!isList(wanted)) return text;
  const isThere = (part: string | RegExp) => (typeof part === 'string' ? text.includes(part) : part.test(text));
  const found = wanted.filter(isThere).map(String);
  return found.length === wanted.length ? found : [...found, text];
};

const jsonOf = (parse: () => unknown): unknown => {
  try {
    return parse();
  } catch {
    return 'not JSON';
  }
};

const started = async (service: Scene['service'], options: ServeOptions): Promise<Service | undefined> => {
  if (service === undefined || 'origin' in service || service instanceof Promise) return service;
  return typeof service === 'function' ? serveBy(service, options) : serve(service, options);
};

/** Each request with as many of its parts as its line has. */
const requestsOf = (seen: readonly Seen[], lines: readonly (string | RegExp)[]): string[] =>
  seen.map(({ method, url, body }, at) => {
    const line = lines[at];
    const parts = typeof line === 'string' ? line.split(' ').length : 3;
    return [method, url, body].slice(0, parts).join(' ').trim();
  });

const entriesOf = async (options: RunOptions): Promise<unknown> => {
  const { stdout } = await inProcess(['ledger', 'list', '--json'], options);
  return (JSON.parse(stdout) as { data: unknown }).data;
};

/** Runs a scene and compares everything at once; resolves to the run, its home, its service and its requests. */
export const scene = async (wanted: Scene) => {
  const { exit = 0, stdout, stderr, json, error, requests, report, entries, ...run } = wanted;
  const { argv, before = [], service: answers, looks = 'open', built, home = newFolder(), ...more } = run;
  const service = await started(answers, { looks });
  const earlier = service?.seen.length;
  const options: RunOptions = { ...more, home, ...(service && { service }) };
  for (const args of before) {
    const { code, stderr: said } = await inProcess(args, options);
    expect(code, said).toBe(0);
  }
  const file = join(newFolder('report'), 'report.csv');
  const ended = await (built ? paycli : inProcess)([...argv, ...(report ? ['--report', file] : [])], options);
  const seen = service?.seen.slice(earlier) ?? [];
  expect({
    exit: ended.code,
    stderr: partsOf(ended.stderr, stderr),
    stdout: partsOf(ended.stdout, stdout),
    json: json && jsonOf(() => JSON.parse(ended.stdout)),
    error: error && jsonOf(() => errorOf(ended)),
    requests: requests && requestsOf(seen, requests),
    report: report && Object.entries(reportOf(file)),
    entries: entries && (await entriesOf({ home, ...(more.env && { env: more.env }) })),
  }).toMatchObject({
    exit,
    stderr: textOf(stderr ?? (exit === 0 ? '' : /./)),
    stdout: textOf(stdout ?? (exit === 0 || json ? /^/ : '')),
    json: withMatchers(json),
    error: withMatchers(error),
    requests: requests?.map(textOf),
    report: report && Object.entries(report).map(withMatchers),
    entries: withMatchers(entries),
  });
  return { ...ended, home, service, seen };
};
