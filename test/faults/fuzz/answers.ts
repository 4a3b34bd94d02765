import fc from 'fast-check';
import type { Failed, Outcome } from '../../../src/charge/outcome.ts';
import { type Exchange, judgeAttempt } from '../../../src/client/answer.ts';
import type { AttemptResult } from '../../../src/client/transport.ts';
import { operations } from '../../../src/contract/operations.ts';
import { BOUNDS } from '../../../src/core/bounds.ts';
import { EXIT_CODES } from '../../../src/core/error.ts';
import { Redactor } from '../../../src/core/secret.ts';
import { keptActivity } from '../../../src/ledger/snapshot.ts';
import { errorLine } from '../../../src/output/error.ts';
import { mutatedInput, mutatedText } from './mutate.ts';
import { mutatedJson } from './mutate-json.ts';
import { bodyOf } from './over.ts';
import { ACTIVITIES, CUSTOMERS, HEADERS, JSON_SEEDS, JSON_TEXTS, ONYE, UGWO } from './seeds.ts';
import { must, target } from './target.ts';

const ORIGIN = 'https://api.example';
const CHARGE: Exchange = {
  operation: operations['ugwo.charge'],
  path: `/v1/ugwo/${UGWO}/activities`,
  body: '{}',
  params: { ugwoUid: UGWO },
};
const UPDATE: Exchange = {
  operation: operations['onye.update'],
  path: `/v1/onye/${ONYE}`,
  body: '{}',
  params: { uid: ONYE },
};

/** Statuses that prove, alone or with an error document, that nothing was applied. */
const NO: readonly number[] = [400, 401, 402, 403, 404, 405, 409, 415, 422];

const json = mutatedJson(JSON_SEEDS).map((text) => Uint8Array.from(Buffer.from(text)));
const bytes = fc.oneof(json, mutatedInput(JSON_TEXTS));
const status = fc.oneof(
  fc.constantFrom(200, 201, 204, 301, ...NO, 408, 429, 500, 502),
  fc.integer({ min: 200, max: 999 }),
);
const retryAfter = fc.option(mutatedText(HEADERS, 2), { nil: undefined });

/** A complete answer, or what arrived instead. */
const answer = fc.record({ status, retryAfter, body: bytes });
const failure = fc.constantFrom<AttemptResult>(
  { kind: 'broken', reason: 'the connection was cut', code: 'ECONNRESET' },
  { kind: 'not_sent', reason: 'no connection', untrusted: false },
  { kind: 'not_sent', reason: 'an unknown certificate', untrusted: true },
);

const first = (value: unknown): string => {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  // A number tells nothing.
  return typeof one === 'string' ? one : '';
};

const isId = (prefix: string, text: unknown): text is string =>
  typeof text === 'string' && text.length <= 256 && new RegExp(`^${prefix}(\\.\\w+){2,}$`).test(text);

/** A field beyond the bounds is not read. */
const isUnread = (value: unknown, levels: number = BOUNDS.depth): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.entries(value).some(([name, one]) => name.length > BOUNDS.name || isUnread(one, levels - 1)));

/** An independent, simple version of the rule: what an answer with HTTP 2xx must contain to be accepted. */
const isProven = (exchange: Exchange, raw: Uint8Array): boolean => {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw));
  } catch {
    return false;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const fields = new Map(Object.entries(value).filter(([, field]) => !isUnread(field)));
  if (exchange === UPDATE) return isId('ony', fields.get('uid'));
  const [named, type] = [first(fields.get('ugwo_uid')), first(fields.get('activity_type'))];
  return (
    isId('act', fields.get('uid')) &&
    (!isId('ugw', named) || named === UGWO) &&
    (type === 'charge' || !Number.isNaN(Number(type)))
  );
};

/** The next steps with an accepted answer must not fail either. */
const holdsAccepted = ({ record }: Extract<Outcome, { certain: 'accepted' }>): void => {
  const { nextAction, uid } = keptActivity(record.value, record);
  must(uid === (record.value as { uid?: unknown }).uid, () => 'another identifier is kept');
  must(JSON.stringify(nextAction).length <= 2 * BOUNDS.kept, () => 'too much is kept of what the customer must do');
};

const io = { redactor: new Redactor() };

const holdsFailed = ({ error }: Failed): void => {
  const line = [...errorLine(error, EXIT_CODES[error.kind], io)].join('');
  must(JSON.parse(line).error.exit_code === EXIT_CODES[error.kind], () => `another exit code in ${line}`);
};

const expected = (
  exchange: Exchange,
  { status: code, body }: { status: number; body: Uint8Array },
): readonly string[] => {
  if (code >= 200 && code < 300) return [isProven(exchange, body) ? 'accepted' : 'unknown'];
  if (NO.includes(code)) return ['rejected', 'unknown'];
  return code === 429 ? ['slow_down', 'unknown'] : ['unknown'];
};

/** Any answer to a write gets a verdict, and none that it does not prove. */
export const answers = target(
  'answers',
  () => fc.tuple(fc.constantFrom(CHARGE, UPDATE), answer),
  async ([exchange, given]) => {
    const body = await bodyOf(given.body);
    const verdict = judgeAttempt(ORIGIN, exchange, { kind: 'answer', ...given, body });
    const states = expected(exchange, given);
    const state = verdict.slowDown === undefined ? verdict.certain : 'slow_down';
    must(states.includes(state), () => `judged as ${state}, and ${states.join(' or ')} was expected`);
    if (verdict.certain === 'accepted') holdsAccepted(verdict);
    else holdsFailed(verdict);
  },
);

/** A failure after the hand-over is unknown; what provably did not leave was not sent. */
export const failures = target(
  'failures',
  () => fc.tuple(fc.constantFrom(CHARGE, UPDATE), failure),
  ([exchange, outcome]) => {
    const { certain } = judgeAttempt(ORIGIN, exchange, outcome);
    const wanted = outcome.kind === 'broken' ? 'unknown' : 'not_sent';
    must(certain === wanted, () => `judged as ${certain}`);
  },
);

const PROOF: readonly string[] = ['uid', 'ugwo_uid', 'activity_type'];
const isNoProof = ([name = '']: readonly string[]): boolean => !PROOF.includes(name);

/** A proven charge stays proven, whatever else its answer contains. */
export const proven = target(
  'proven',
  () =>
    fc.oneof(
      fc.tuple(fc.constant(CHARGE), mutatedJson(ACTIVITIES, isNoProof)),
      fc.tuple(fc.constant(UPDATE), mutatedJson(CUSTOMERS, isNoProof)),
    ),
  async ([exchange, text]) => {
    const body = await bodyOf(Buffer.from(text));
    const verdict = judgeAttempt(ORIGIN, exchange, { kind: 'answer', status: 200, retryAfter: undefined, body });
    must(verdict.certain === 'accepted', () => `judged as ${verdict.certain}`);
    if (verdict.certain === 'accepted') holdsAccepted(verdict);
  },
);
