import { cutName } from '../../core/bounds.ts';
import { PayError } from '../../core/error.ts';

/** Where in a file something is wrong. The first data row is 1, and the header of a CSV file is 0. */
export interface RowFault {
  readonly row: number;
  readonly column: string | undefined;
  readonly what: string;
}

/** A file that can't be read, or can't be read on; `fault` where it is one row of it. */
export class InputError extends PayError {
  readonly fault: RowFault | undefined;

  constructor(message: string, hint: string, fault?: RowFault) {
    super('usage', message, { hint });
    this.fault = fault;
  }
}

/** Makes the error for a row of the file that this was made for. */
export type Fail = (row: number, column: string | undefined, what: string, hint: string) => InputError;

export const failIn =
  (name: string): Fail =>
  (row, column, what, hint) => {
    const place = row === 0 ? 'header' : `row ${row}`;
    const where = column === undefined ? place : `${place}, column ${JSON.stringify(cutName(column))}`;
    return new InputError(`${name}: ${where}: ${what}`, hint, { row, column, what });
  };
