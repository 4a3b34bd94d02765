import type { CommandSpec } from '../../cli/define.ts';
import { chargeCommand } from './charge-spec.ts';
import { getCommand } from './get-spec.ts';
import { listCommand } from './list-spec.ts';

export const ugwoCommands: readonly CommandSpec[] = [chargeCommand, getCommand, listCommand];
