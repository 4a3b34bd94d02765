import { cancelCommand } from './cancel-spec.ts';
import { chargeCommand } from './charge-spec.ts';
import { createCommand } from './create-spec.ts';
import { getCommand } from './get-spec.ts';
import { listCommand } from './list-spec.ts';

export const ugwoCommands = [createCommand, chargeCommand, getCommand, listCommand, cancelCommand];
