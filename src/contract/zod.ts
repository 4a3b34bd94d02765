/** The parts of zod that schemas use. Undefined until `loadSchemas` has loaded them. */
export let z: typeof import('./zod-parts.ts');

/** Loads zod, on demand: a command that only reads answers needs no schema. Call it before anything is validated. */
export const loadSchemas = async (): Promise<void> => {
  z ??= await import('./zod-parts.ts');
};
