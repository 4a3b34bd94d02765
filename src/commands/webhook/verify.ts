import { PayError } from '../../core/error.ts';
import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import type { VerifyInput } from './spec.ts';
import { aboutFields, verifiedView } from './view.ts';

/** In bytes: ten times what `webhook listen` takes. */
const MOST = 10 * 1024 * 1024;

/** Whether the bytes of a body have this signature. */
export const run = async ({ secrets, signature, from }: VerifyInput, deps: Deps): Promise<Result> => {
  const [known, room] = [await deps.webhookSecrets(secrets), await deps.webhooks()];
  const body = await deps.bytes(from, MOST);
  const read = room.verify(known, { body, signature, at: deps.io.clock.now() });
  if ('problem' in read) {
    throw new PayError('rejected', `the delivery isn't genuine: ${read.problem}`, {
      hint: 'check that the body is byte for byte as it came, and that the secret is this endpoint’s',
    });
  }
  return { kind: 'record', record: madeHere({ valid: true, ...aboutFields(read.delivery) }), view: verifiedView };
};
