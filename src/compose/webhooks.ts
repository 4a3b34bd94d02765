import type { SecretOptions } from '../commands/deps.ts';
import { canAsk } from '../core/asking.ts';
import { usageError } from '../core/error.ts';
import type { Secrets } from '../webhook/genuine.ts';
import type { RunContext } from './run.ts';

/** The secrets that were named; typed where none were, and there is a terminal. */
export const openWebhookSecrets =
  ({ io, globals }: RunContext) =>
  async ({ main, sandbox }: SecretOptions): Promise<Secrets> => {
    const { askWebhookSecret, webhookSecrets } = await import('../config/webhook-secret.ts');
    const [all, apart] = [await webhookSecrets(main, io), await webhookSecrets(sandbox, io)];
    if (all.length + apart.length > 0) return { all, sandbox: apart };
    if (!canAsk(io, globals)) {
      throw usageError("the webhook endpoint's secret is needed", { hint: 'add --secret-file or --secret-command' });
    }
    return { all: [await askWebhookSecret(io)], sandbox: [] };
  };
