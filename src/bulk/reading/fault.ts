import { cutName } from '../../core/bounds.ts';
import { PayError } from '../../core/error.ts';

/** A file that can't be read, or can't be read on. */
export class InputError extends PayError {
  constructor(message: string, hint: string) {
    super('usage', message, { hint });
  }
}

/**
 * Makes the error for a row of the file that this was made for. The first data row is 1, and the header of a CSV file is 0. Its
 * hint says that nothing was sent: of a file that can't be read on while its rows are sent, only the message is told.
 */
export type Fail = (row: number, column: string | undefined, what: string, hint: string) => InputError;

export const failIn =
  (name: string): Fail =>
  (row, column, what, hint) => {
    const place = row === 0 ? 'header' : `row ${row}`;
    const where = column === undefined ? place : `${place}, column ${JSON.stringify(cutName(column))}`;
    return new InputError(`${name}: ${where}: ${what}`, `${hint}; nothing was sent`);
  };
