/** The rows that are being worked on. */
export const openFlights = () => {
  let [inFlight, open] = [0, 0];
  let next = Promise.withResolvers<void>();
  const tell = (): void => {
    next.resolve();
    next = Promise.withResolvers();
  };
  return {
    /** Those that the service is at. */
    get inFlight(): number {
      return inFlight;
    },
    /** Those that have no end yet, among them the landed ones. */
    get open(): number {
      return open;
    },
    add: () => {
      inFlight += 1;
      open += 1;
      let landed = false;
      /** The service has answered, or never will: what is left of the row is ours. Its place is free from here on. */
      const land = (): void => {
        if (landed) return;
        landed = true;
        inFlight -= 1;
        tell();
      };
      return {
        land,
        /** Nothing of it is left to do. */
        end: (): void => {
          land();
          open -= 1;
          tell();
        },
      };
    },
    /** Resolves when one row more has landed or ended; never when there is none. */
    change: (): Promise<void> => next.promise,
  };
};
export type Flights = ReturnType<typeof openFlights>;
export type FlightOfRow = ReturnType<Flights['add']>;
