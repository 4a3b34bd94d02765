/** Its client alone: there is one connection, and no pool of them. */
declare module 'pg/lib/client.js' {
  import { Client } from 'pg';
  export default Client;
}
