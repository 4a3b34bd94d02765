import { createCommand } from './create-spec.ts';
import { deleteCommand } from './delete-spec.ts';
import { getCommand } from './get-spec.ts';
import { listCommand } from './list-spec.ts';
import { updateCommand } from './update-spec.ts';

export const onyeCommands = [createCommand, getCommand, listCommand, updateCommand, deleteCommand];
