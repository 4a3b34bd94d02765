import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };
import { usesColor } from '../cli/globals.ts';
import { attempt } from '../core/async.ts';
import { countText } from '../core/charge.ts';
import { LOCAL_PROFILE } from '../core/data-files.ts';
import { PayError, reasonOf } from '../core/error.ts';
import { unwritable } from '../core/files.ts';
import { speaksUtf8, withTimeout } from '../core/io.ts';
import { ENVIRONMENTS, environmentName } from '../core/origin.ts';
import type { ApiRecord } from '../core/record.ts';
import type { CheckResult, Identity } from '../core/result.ts';
import { keyTail } from '../core/secret.ts';
import { shellQuote } from '../core/shell.ts';
import { verifies } from '../core/unsafe-settings.ts';
import { connectTarget, openClient, type RunCredentials } from './client.ts';
import { hasFileLedger, ledgerPath, openLedgerOf, sharedSetting, syncCommand } from './ledger.ts';
import { openLedgerAdmin } from './ledger-admin.ts';
import { foldersOf, profilesOf, type RunContext } from './run.ts';

/** Maximum total wait for the service, or for a shared ledger, in milliseconds. */
const CHECK_LIMIT_MS = 15_000;
const LONGEST_ATTEMPT_MS = 10_000;
/** Clock difference that does not yet matter to an expiry, in milliseconds. */
const CLOCK_CHECK_MS = 30_000;

const ok = (check: string, detail: string): CheckResult => ({ check, status: 'ok', detail, advice: null, kind: null });
const skipped = (check: string, detail: string): CheckResult => ({ ...ok(check, detail), status: 'skipped' });
const warn = (check: string, detail: string, advice: string): CheckResult => ({
  ...ok(check, detail),
  status: 'warn',
  advice,
});

const failedCheck = (check: string, thrown: unknown): CheckResult => {
  const { kind, message, detail } = thrown instanceof PayError ? thrown : new PayError('internal', reasonOf(thrown));
  return { check, status: 'fail', detail: message, advice: detail.hint ?? null, kind };
};

/** Runs one check. An error becomes a finding, except an interruption, which stops the run. */
const look = async (
  check: string,
  find: () => Promise<CheckResult | readonly CheckResult[]>,
): Promise<readonly CheckResult[]> => {
  try {
    return [await find()].flat();
  } catch (thrown) {
    if (thrown instanceof PayError && thrown.kind === 'interrupted') throw thrown;
    return [failedCheck(check, thrown)];
  }
};

/** Reports one fault once: a later finding with the same detail becomes `skipped`. */
const unlessSaid = (finding: CheckResult, before: readonly CheckResult[]): CheckResult => {
  const same = before.find(({ status, detail }) => status === 'fail' && detail === finding.detail);
  return finding.status === 'fail' && same !== undefined
    ? skipped(finding.check, `not known: see ${same.check}`)
    : finding;
};

const withinLimit = async <T extends object>(
  { clock }: RunContext['io'],
  what: string,
  work: () => Promise<T>,
): Promise<T> => {
  const answer = await withTimeout(work(), CHECK_LIMIT_MS, clock);
  if (answer !== undefined) return answer;
  throw new PayError('read_failed', `${what} did not answer within ${CHECK_LIMIT_MS / 1000} s`, {
    hint: 'check the network, the proxy and the address',
  });
};

const WRITABLE = 'make it writable for you, or set PAYCLI_HOME to a folder that is: charges need it, and profiles';

const folderFinding = async (check: string, path: string): Promise<CheckResult> => {
  const [{ stateOfFolder }, { realMachine }] = await Promise.all([
    import('../config/store.ts'),
    import('../config/machine.ts'),
  ]);
  const state = stateOfFolder(path, realMachine);
  const why = unwritable(path);
  if (why !== undefined) return warn(check, `nothing can be written in ${path}: ${why}`, WRITABLE);
  if (state === 'missing') return ok(check, `${path} is not there yet; it is made when it is needed`);
  const mode = `mode ${(lstatSync(path).mode & 0o777).toString(8).padStart(4, '0')}`;
  if (state === 'private') return ok(check, realMachine.platform === 'win32' ? path : `${path} (${mode})`);
  return warn(check, `${path} is open to other users (${mode})`, `run: chmod 700 ${shellQuote(path)}`);
};

const folderFindings = async (run: RunContext): Promise<readonly CheckResult[]> => {
  const { config, data } = await foldersOf(run);
  const first = await look('settings', () => folderFinding('settings', config));
  return data === config ? first : [...first, ...(await look('data', () => folderFinding('data', data)))];
};

const profileSource = ({ globals, io }: RunContext): string => {
  if (globals.profile !== undefined) return '--profile';
  return io.env['PAYCLI_PROFILE'] === undefined ? 'the default' : 'PAYCLI_PROFILE';
};

const profileFinding = async (run: RunContext): Promise<CheckResult> => {
  const room = await profilesOf(run);
  const { name, origin } = room.chosen(run.globals);
  if (name === undefined && origin !== undefined && run.io.env['PAYCLI_SECRET_KEY'] !== undefined) {
    return ok('profile', `none is used: PAYCLI_SECRET_KEY and ${origin.from} say it all`);
  }
  // Reads the file again, so that an unsafe or damaged file is reported here.
  return ok('profile', `${room.show(name).name} (${profileSource(run)})`);
};

const KEY_FROM = {
  environment: 'PAYCLI_SECRET_KEY',
  profile: 'stored in the profile',
  keychain: 'kept in the keychain',
  command: 'printed by the key command',
} as const;

const tlsFinding = async ({ io: { env } }: RunContext, origin: string | undefined): Promise<CheckResult> => {
  verifies(origin ?? ENVIRONMENTS.live, env, 'the secret key');
  const named = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'].filter((name) => env[name]);
  const missing = named.find((name) => !existsSync(env[name] ?? ''));
  if (missing !== undefined) {
    return warn('tls', `${missing} names ${env[missing]}, which is not there`, 'fix the path, or unset it');
  }
  const also = [...new Set(named.map((name) => `, and by ${env[name]}`))].join('');
  if (origin?.startsWith('http:') === true) return ok('tls', 'not used: the service is on this machine');
  return ok('tls', `certificates are verified by the usual authorities, the system's${also}`);
};

/** Host of a URL, without a password that the URL may contain. */
const hostOfUrl = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'an address that is no URL');

const proxyFinding = async ({ io: { env } }: RunContext, origin: string | undefined): Promise<CheckResult> => {
  const scheme = origin?.startsWith('http:') === true ? 'http' : 'https';
  const proxy = env[`${scheme}_proxy`] ?? env[`${scheme.toUpperCase()}_PROXY`] ?? '';
  if (proxy === '') return ok('proxy', 'none');
  const but = env['no_proxy'] ?? env['NO_PROXY'] ?? '';
  const detail = `${hostOfUrl(proxy)}${but === '' ? '' : ` (not for ${but})`}`;
  return URL.canParse(proxy) ? ok('proxy', detail) : warn('proxy', detail, `fix ${scheme.toUpperCase()}_PROXY`);
};

const clockFinding = ({ servedAt, age }: ApiRecord, now: number, local: boolean): CheckResult => {
  if (servedAt === undefined || age !== undefined) return skipped('clock', "the service didn't say what time it is");
  const ahead = Math.round((now - servedAt) / 1000);
  const size = Math.abs(ahead);
  // The service dates its answers to the second.
  if (size <= 2) return ok('clock', "agrees with the service's");
  const detail = `${size} s ${ahead > 0 ? 'ahead of' : 'behind'} the service's`;
  if (size * 1000 <= CLOCK_CHECK_MS) return ok('clock', detail);
  const advice = local ? "put the emulator's clock back with `paycli emulator clock back`" : "set this machine's clock";
  return warn('clock', detail, `${advice}: an expiry that you give is wrong by as much`);
};

/** Sends one GET: checks the key, and compares the clock with the answer's date. */
const serviceFindings = async (run: RunContext, target: RunCredentials): Promise<readonly CheckResult[]> => {
  const { clock } = run.io;
  const timeout = Math.min(run.globals.timeout, LONGEST_ATTEMPT_MS);
  const client = await openClient({ ...run, globals: { ...run.globals, timeout } }, target);
  const began = clock.ticks();
  const answer = await withinLimit(run.io, 'the service', () => client.call('ugwo.list', { query: { limit: '1' } }));
  const took = Math.round(clock.ticks() - began);
  return [
    ok('service', `accepts the key (answered in ${took} ms)`),
    clockFinding(answer, clock.now(), run.globals.local),
  ];
};

const missingLedger = (folder: string): CheckResult => {
  const why = unwritable(folder);
  if (why === undefined) return ok('ledger', 'none yet: the first charge makes it');
  throw new PayError('ledger', `none yet, and none can be made: ${why}`, { hint: WRITABLE });
};

const ledgerFindings = async (run: RunContext, offline: boolean): Promise<readonly CheckResult[]> => {
  const setting = await sharedSetting(run);
  const isShared = setting !== undefined;
  const path = await ledgerPath(run);
  if (isShared && offline) return [skipped('ledger', 'a shared one; not asked (--offline)')];
  // If the file can't be read or is gone, opening it reports the reason.
  const isMissing = attempt(() => statSync(path, { throwIfNoEntry: false }) === undefined) === true;
  if (!isShared && isMissing && !(await hasFileLedger(run))) return [missingLedger(dirname(path))];
  const status = await withinLimit(run.io, 'the ledger', async () => (await openLedgerAdmin(run)).status());
  const ledger = await withinLimit(run.io, 'the ledger', () => openLedgerOf(run, setting));
  const unknown = await ledger.unknown();
  const about = isShared
    ? `${status.at}, tables of version ${status.schema ?? 'unknown'}, ${status.version ?? 'PostgreSQL'}`
    : `${status.at} (${(statSync(path).size / 1e6).toFixed(1)} MB, tables of version ${status.schema}), opened and checked; synced to the disk before anything is sent`;
  return [
    status.warnings.length === 0 ? ok('ledger', about) : warn('ledger', about, status.warnings.join('; ')),
    unknown.length === 0
      ? ok('charges', 'none is unknown')
      : warn(
          'charges',
          `${countText(unknown)} unknown`,
          `find out whether they were made: \`${syncCommand(unknown, run)}\``,
        ),
  ];
};

const terminalFinding = async ({ io, globals }: RunContext): Promise<CheckResult> => {
  const { stdout, env } = io;
  const color = usesColor(globals.color, env, stdout.isTerminal) ? 'color' : 'no color';
  const text = speaksUtf8(env) ? 'UTF-8' : 'ASCII';
  const where = stdout.isTerminal ? `${stdout.columns} columns` : 'not a terminal';
  return ok('terminal', [where, color, text].join(', '));
};

/** Asks `man` for the page of paycli; without one, names the line that adds the pages beside the program. */
const manualFinding = async ({ io }: RunContext): Promise<CheckResult> => {
  const { findProgram, printedBy } = await import('../config/key-command.ts');
  if (findProgram('man', io.env) === undefined) return skipped('manual', 'this machine has no `man`');
  const page = (await printedBy('man', ['-w', 'paycli'], io))?.trim() ?? '';
  if (page !== '') return ok('manual', page);
  const folder = fileURLToPath(new URL('../man', import.meta.url));
  const line = `add to the startup file of your shell: export MANPATH="$MANPATH":`;
  return warn(
    'manual',
    '`man paycli` finds no page',
    existsSync(folder)
      ? `${line}${shellQuote(folder)}`
      : `unpack paycli-man.tar.gz in ~/.local/share; if \`man paycli\` still fails, ${line}~/.local/share/man`,
  );
};

/** Runs all checks in turn. A failed check becomes a finding and does not end the run. */
export const checkUp = async (run: RunContext, offline: boolean): Promise<readonly CheckResult[]> => {
  const isLocal = run.globals.local;
  const findings: CheckResult[] = [];
  const add = async (check: string, find: () => Promise<CheckResult | readonly CheckResult[]>): Promise<void> => {
    findings.push(...(await look(check, find)).map((one) => unlessSaid(one, findings)));
  };
  let origin: string | undefined;
  let target: RunCredentials | undefined;
  await add('paycli', async () =>
    ok('paycli', `${packageJson.version} on ${(await import('../config/machine.ts')).runtime}`),
  );
  await add('settings', () => folderFindings(run));
  await add('profile', async () =>
    isLocal ? ok('profile', `${LOCAL_PROFILE}: the emulator on this machine`) : profileFinding(run),
  );
  if (!isLocal) {
    await add('origin', async () => {
      origin = await (await profilesOf(run)).origin(run.globals);
      return ok('origin', `${environmentName(origin)}: ${origin}`);
    });
  }
  await add('key', async () => {
    if (isLocal) {
      target = await connectTarget(run);
      return ok('key', "the emulator's own");
    }
    const found = await (await profilesOf(run)).target(run.globals);
    target = { ...found, keyHint: (await import('../config/target.ts')).refusedKeyHint(found) };
    return ok('key', `${keyTail(found.key)}, ${KEY_FROM[found.keySource]}`);
  });
  await add('tls', () => tlsFinding(run, origin ?? target?.origin));
  await add('proxy', () => proxyFinding(run, origin ?? target?.origin));
  await add('service', async () => {
    if (offline) return skipped('service', 'not asked (--offline)');
    return target === undefined
      ? skipped('service', 'not asked: there is no key to ask with')
      : serviceFindings(run, target);
  });
  await add('ledger', () => ledgerFindings(run, offline));
  await add('terminal', () => terminalFinding(run));
  await add('manual', () => manualFinding(run));
  return findings;
};

const NO_PROFILE = { name: null, default: false, origin: '', environment: '', key: '', created_at: null };

/**
 * Identity that a call would use, with the named profile if there is a name. With `check`, asks the service and throws
 * its error if it does not accept the key.
 */
export const whoAmI = async (run: RunContext, named: string | undefined, check: boolean): Promise<Identity> => {
  const { operator } = await import('../ledger/sender.ts');
  const verify = async (target: RunCredentials): Promise<void> => {
    if (check) await (await openClient(run, target)).call('ugwo.list', { query: { limit: '1' } });
  };
  const said = (origin: string) => ({ origin, environment: environmentName(origin) });
  const rest = { operator: operator(), accepted: check ? true : null };
  if (run.globals.local && named === undefined) {
    const target = await connectTarget(run);
    await verify(target);
    const own = { ...NO_PROFILE, name: LOCAL_PROFILE, ...said(target.origin), key: keyTail(target.key) };
    return { ...own, key_from: 'emulator', ...rest };
  }
  const asked = named === undefined ? run.globals : { ...run.globals, local: false, profile: named };
  const room = await profilesOf(run);
  const { name, origin: given } = room.chosen(asked);
  const origin = await room.origin(asked);
  if (check) await verify(await connectTarget({ ...run, globals: asked }));
  const key = run.io.env['PAYCLI_SECRET_KEY'];
  const isAlone = key !== undefined && given !== undefined && name === undefined;
  const stored = isAlone ? NO_PROFILE : room.show(name);
  const shown = key === undefined ? stored.key : keyTail(key);
  const from = key !== undefined ? 'environment' : shown === 'command' ? 'command' : 'profile';
  return { ...stored, ...said(origin), key: shown, key_from: from, ...rest };
};
