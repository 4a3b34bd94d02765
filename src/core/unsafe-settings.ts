import { readFileSync } from 'node:fs';
import { delimiter, isAbsolute } from 'node:path';
import { debuglog } from 'node:util';
import { attempt } from './async.ts';
import { PayError, variableIs } from './error.ts';
import type { Env } from './io.ts';
import { isLoopback } from './origin.ts';

/** Throws for a variable that names a relative path: in every working folder it would mean another file. */
export const refuseRelative = (env: Env, name: string, paths = [env[name] ?? '']): void => {
  if (paths.every((path) => path === '' || isAbsolute(path))) return;
  throw new PayError('auth', `${variableIs(name, env[name] ?? '')}, not an absolute path`, {
    hint: `set ${name} to an absolute path: a relative one would mean another file in every working folder`,
  });
};

/** Throws for a variable whose certificate authorities the working folder would choose. */
export const refuseRelativeTrust = (env: Env): void => {
  refuseRelative(env, 'NODE_EXTRA_CA_CERTS');
  refuseRelative(env, 'SSL_CERT_FILE');
  refuseRelative(env, 'SSL_CERT_DIR', env['SSL_CERT_DIR']?.split(delimiter));
};

/**
 * True if certificates are verified. The usual variable may disable that only for this machine; `what` names the
 * data that would be sent.
 */
export const verifies = (origin: string, env: Env, what: string): boolean => {
  if (origin.startsWith('https:')) refuseRelativeTrust(env);
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return true;
  if (isLoopback(origin)) return false;
  throw new PayError('auth', `NODE_TLS_REJECT_UNAUTHORIZED=0 would send ${what} to anyone who answers`, {
    hint: 'unset it; to trust a certificate authority of your own, name its file in NODE_EXTRA_CA_CERTS',
  });
};

/**
 * The certificate authorities of the runtime, of the system and of SSL_CERT_FILE. Node trusts only its own, and the
 * standalone program the system's too. Reading them takes longer than a request, so this is for a connection that fails
 * without them.
 */
export const everyAuthority = async (env: Env): Promise<string> => {
  const { getCACertificates } = await import('node:tls');
  // Only some systems' own authorities include SSL_CERT_FILE.
  const named = attempt(() => readFileSync(env['SSL_CERT_FILE'] ?? '', 'utf8')) ?? '';
  return [...getCACertificates('default'), ...getCACertificates('system'), named].join('\n');
};

/**
 * Throws when Node itself would print the contents of streams (NODE_DEBUG=stream), secrets included. Called before
 * anything is read.
 */
export const refuseStreamLog = (what: string): void => {
  if (!debuglog('stream').enabled) return;
  throw new PayError('auth', `NODE_DEBUG would print ${what}, so it was not read`, {
    hint: 'unset NODE_DEBUG; --debug shows the requests without secrets',
  });
};
