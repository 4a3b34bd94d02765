import { charge, type Process } from './machine.ts';

/** What a worker is told. */
export interface Order extends Omit<Process, 'stop'> {
  readonly origin: string;
  readonly ugwo: string;
}

// Charges what it is told, and says what came of it.
process.on('message', ({ origin, ugwo, ...where }: Order) => {
  void charge(where, origin, ugwo).then((end) => process.send?.(end));
});
process.send?.('ready');
