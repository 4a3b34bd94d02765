import { cancelCommand } from './cancel-spec.ts';
import { chargeCommand } from './charge-spec.ts';
import { getCommand } from './get-spec.ts';
import { listCommand } from './list-spec.ts';

export const ugwoCommands = [chargeCommand, getCommand, listCommand, cancelCommand];
