/** The parts of zod that schemas use. Undefined until `loadSchemas` has loaded them. */
export let z: typeof import('./zod-parts.ts');

/** Loads zod. Call it before anything is validated: a command that only reads answers needs no schema. */
export const loadSchemas = async (): Promise<void> => {
  z ??= await import('./zod-parts.ts');
};
