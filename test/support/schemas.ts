import { loadSchemas } from '../../src/contract/zod.ts';

// Tests of single parts validate at once; the program loads zod when it must.
await loadSchemas();
