import { loadSchemas } from '../../src/contract/zod.ts';

// Loads zod for unit tests. The program loads it when it validates.
await loadSchemas();
