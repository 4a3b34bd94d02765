import { hostname, userInfo } from 'node:os';
import { thisMachine } from './machine.ts';

/** Who decides here, for the record: `ada@laptop`. A container may know no name, only a number. */
export const operator = (): string => {
  let name: string;
  try {
    name = userInfo().username;
  } catch {
    name = `uid ${thisMachine.uid ?? '?'}`;
  }
  return `${name}@${hostname()}`;
};
