/** A row that is being worked on. */
export interface FlightOfRow {
  /** The service has answered, or never will: what is left of the row is ours. Its place is free from here on. */
  land(): void;
  /** Nothing of it is left to do. */
  end(): void;
}

/** The rows that are being worked on. */
export interface Flights {
  /** Those that the service is at. */
  readonly inFlight: number;
  /** Those that have no end yet, among them the landed ones. */
  readonly open: number;
  add(): FlightOfRow;
  /** Resolves when one row more has landed or ended; never when there is none. */
  change(): Promise<void>;
}

export const openFlights = (): Flights => {
  let [inFlight, open] = [0, 0];
  let next = Promise.withResolvers<void>();
  const tell = (): void => {
    next.resolve();
    next = Promise.withResolvers();
  };
  return {
    get inFlight() {
      return inFlight;
    },
    get open() {
      return open;
    },
    add: () => {
      inFlight += 1;
      open += 1;
      let landed = false;
      const land = (): void => {
        if (landed) return;
        landed = true;
        inFlight -= 1;
        tell();
      };
      return {
        land,
        end: () => {
          land();
          open -= 1;
          tell();
        },
      };
    },
    change: () => next.promise,
  };
};
