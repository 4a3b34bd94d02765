/** Imports the driver's client alone: paycli uses one connection and no pool. */
declare module 'pg/lib/client.js' {
  import { Client } from 'pg';
  export default Client;
}
