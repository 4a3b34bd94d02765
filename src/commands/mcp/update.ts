import { isDeepStrictEqual } from 'node:util';
import type { Tree } from '../../cli/tree.ts';
import { EXIT_CODES, outcomeOf, PayError } from '../../core/error.ts';
import { isJsonObject } from '../../core/json.ts';
import { isGuarded } from '../../core/origin.ts';
import type { Result } from '../../core/result.ts';
import { visible } from '../../core/text.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { NO_TOTAL, PLAN_VALID_MS } from '../../ledger/policy.ts';
import type { Caller, ToolAnswer } from '../../mcp/server.ts';
import type { Inner } from '../run.ts';
import { toolAnswer } from './plan.ts';
import { checkPlan, openSeal, recordPlan } from './token.ts';
import { argumentTexts, argvOf, type InnerEnd, idNamed, toolAnswerOf } from './tools.ts';

export const UPDATE_TOOL = 'update_customer';

const refusedUpdate = (
  message: string,
  hint = `call ${UPDATE_TOOL} again without a token, and show the person what it says`,
) => new PayError('refused', `this call changed nothing: ${message}`, { hint });

/** The update in words, for the person who approves it. */
const updateText = ({ onye, ...fields }: Readonly<Record<string, string>>, name: string): string =>
  [
    `update ${onye}${name === onye ? '' : ` (${name})`}`,
    ...Object.entries(fields).map(([name, text]) => `${name} ${JSON.stringify(text)}`),
  ]
    .map(visible)
    .join(', ');

/** Carries out the plan of an update, once. */
const updateOnce = async (ledger: Ledger, id: string, onye: string, update: () => Promise<Result>): Promise<Result> => {
  const row = { job: id, row: 1 };
  const start = await ledger.jobs.beginUpdate({ ...row, onye, bound: PLAN_VALID_MS }, { retry: false, looked: false });
  if (!start) throw refusedUpdate('the token was already used');
  const settle = (outcome: Parameters<Ledger['jobs']['settleUpdate']>[1]): Promise<void> =>
    // The update is made, or not, whatever the ledger can store.
    ledger.jobs.settleUpdate(row, outcome).catch(() => undefined);
  try {
    const result = await update();
    await settle({ state: 'accepted', exitCode: 0 });
    return result;
  } catch (thrown) {
    const error = thrown instanceof PayError ? thrown : undefined;
    await settle({
      state: error === undefined ? 'unknown' : outcomeOf(error),
      exitCode: EXIT_CODES[error?.kind ?? 'internal'],
    });
    throw thrown;
  }
};

/** Carries out the update of a token. */
const confirm = (tree: Tree, given: unknown, token: string, { signal }: Caller, inner: Inner): Promise<InnerEnd> =>
  inner(argvOf(tree, UPDATE_TOOL, given), signal, async (run, go) => {
    const [ledger, place] = [await run.ledger(), await run.target()];
    const sealed = openSeal(token, ledger, place);
    if (sealed === undefined) throw refusedUpdate('the token is not valid for this profile');
    const planned = argumentTexts(tree, UPDATE_TOOL, sealed.given);
    if (!isDeepStrictEqual(argumentTexts(tree, UPDATE_TOOL, given), planned))
      throw refusedUpdate('the token is for other arguments');
    await checkPlan(sealed, ledger, place, refusedUpdate, UPDATE_TOOL);
    return updateOnce(ledger, sealed.id, planned['onye'] ?? '', () => go(run));
  });

/**
 * Updates a customer. At a live service the first call only plans it, and the second one needs the token of the first,
 * and the approval of a person.
 */
export const answerUpdate = async (tree: Tree, given: unknown, caller: Caller, inner: Inner): Promise<ToolAnswer> => {
  const { token, ...named } = isJsonObject(given) ? given : {};
  const { onye = '' } = argumentTexts(tree, UPDATE_TOOL, named);
  const { id, failed } = await idNamed('onye', onye, caller.signal, inner);
  if (failed !== undefined) return toolAnswerOf(tree, UPDATE_TOOL, named, failed);
  const fields = { ...named, onye: id };
  const asked = argumentTexts(tree, UPDATE_TOOL, fields);
  if (typeof token === 'string' && token !== '')
    return toolAnswerOf(tree, UPDATE_TOOL, fields, await confirm(tree, fields, token, caller, inner));
  const argv = argvOf(tree, UPDATE_TOOL, fields);
  let isLive = false;
  const ended = await inner(argv, caller.signal, async (run, go) => {
    isLive = isGuarded((await run.target()).origin);
    return isLive ? { kind: 'text', text: '' } : go(run);
  });
  if (!isLive) return toolAnswerOf(tree, UPDATE_TOOL, fields, ended);
  const judged = await inner(['--dry-run', ...argv], caller.signal);
  if (judged.code !== 0) return toolAnswerOf(tree, UPDATE_TOOL, fields, judged);
  const text = updateText(asked, onye);
  let plan: object = {};
  const planned = await inner(argv, caller.signal, async (run) => {
    const job = { kind: 'update', command: 'onye update', text, total: { ...NO_TOTAL, rows: 1 } } as const;
    plan = await recordPlan(job, { given: fields, asked: {} }, run);
    return { kind: 'text', text: '' };
  });
  return planned.code === 0
    ? toolAnswer({ state: 'planned', update: text, ...plan }, false)
    : toolAnswerOf(tree, UPDATE_TOOL, fields, planned);
};
