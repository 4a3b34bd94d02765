/** undici's second parser of HTTP/1.1 is an experiment, and two programs in WebAssembly of 80 KB each: no variable turns it on here. */
export const H1Parser = undefined;
export const getMiloEnabled = (): boolean => false;
