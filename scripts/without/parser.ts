/** undici's experimental second parser of HTTP/1.1 brings 160 KB of WebAssembly. Without it no variable of the environment can turn it on. */
export const H1Parser = undefined;
export const getMiloEnabled = (): boolean => false;
