import packageJson from '../../package.json' with { type: 'json' };
import type { AnsweredAttempt, AttemptResult } from '../client/transport.ts';
import { interrupted, PayError, usageError } from '../core/error.ts';
import { openTransportOf } from './client.ts';
import { printedBy, type RunContext } from './run.ts';

/** The newest version of paycli, and the registry that named it. */
export interface Newest {
  readonly registry: string;
  readonly latest: string;
}

const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** The registry that npm uses: its variable, else npm's own setting. --global leaves out files of the working folder. */
const registryOf = async ({ io }: RunContext): Promise<URL> => {
  const set = io.env['npm_config_registry'] || (await printedBy('npm', ['config', 'get', 'registry', '--global'], io));
  const address = set?.trim() ?? '';
  if (isAddress(address)) return new URL(address);
  const why = address === '' ? 'npm was not found, and npm_config_registry is not set' : 'npm names none';
  throw usageError(`paycli does not know npm's registry: ${why}`, {
    hint: 'set npm_config_registry to its address; where npm is installed, `npm config get registry` prints it',
  });
};

const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:[-+][\w.+-]{1,60})?$/;

const latestIn = ({ body }: AnsweredAttempt): string | undefined => {
  const value = 'value' in body && body.isJson && body.excess === undefined ? body.value : undefined;
  const latest = (value as { 'dist-tags'?: { latest?: unknown } } | null | undefined)?.['dist-tags']?.latest;
  return typeof latest === 'string' && VERSION.test(latest) ? latest : undefined;
};

/** The version in an answer; throws for everything else that a registry, or what is in its place, can answer. */
const judged = async (outcome: AttemptResult, { origin, host }: URL): Promise<string> => {
  if (outcome.kind === 'not_sent' && outcome.untrusted) {
    throw (await import('../client/connection.ts')).untrustedError(origin, outcome.reason);
  }
  const failed = (why: string): PayError =>
    new PayError('read_failed', `couldn't ask the registry ${host}: ${why}`, {
      hint: 'check the network, the proxy and npm_config_registry',
    });
  if (outcome.kind !== 'answer') throw failed(outcome.reason);
  const { status } = outcome;
  if (status === 404) {
    throw new PayError('rejected', `the registry ${host} has no package ${packageJson.name}`, { status });
  }
  const latest = status === 200 ? latestIn(outcome) : undefined;
  if (latest === undefined) throw failed(`it answered ${status}${status === 200 ? ' without a version' : ''}`);
  return latest;
};

/**
 * Asks npm's registry once for the newest version. Sends neither the key nor anything about this machine. Only
 * `version --check` calls it: paycli looks for updates when a person asks, and at no other time.
 */
export const newestVersion = async (run: RunContext): Promise<Newest> => {
  const { io, globals } = run;
  const registry = await registryOf(run);
  const transport = await openTransportOf(run, { origin: registry.origin });
  const outcome = await transport.send({
    method: 'GET',
    path: `${registry.pathname.replace(/\/$/, '')}/${packageJson.name}`,
    body: undefined,
    fresh: true,
    timeout: globals.timeout,
    signal: io.signals.stop,
  });
  if (outcome.kind !== 'answer' && io.signals.stop.aborted) throw interrupted(io.signals.stop.reason);
  return { registry: registry.origin, latest: await judged(outcome, registry) };
};
