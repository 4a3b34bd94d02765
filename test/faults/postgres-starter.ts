import { startCluster } from '../support/postgres/cluster.ts';

// Starts a PostgreSQL, reports it to its parent, and stays.
const { port, socketDir } = await startCluster();
process.send?.({ port, socketDir });
