import { charge, type Process } from './machine.ts';

/** The order for a worker. */
export interface Order extends Omit<Process, 'stop'> {
  readonly origin: string;
  readonly ugwo: string;
}

// Executes its orders, and reports the results.
process.on('message', ({ origin, ugwo, ...where }: Order) => {
  void charge(where, origin, ugwo).then((end) => process.send?.(end));
});
process.send?.('ready');
