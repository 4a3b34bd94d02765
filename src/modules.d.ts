/* Modules without types of their own: those that the build makes, and parts of packages. */

/** The contract as an OpenAPI document, which the build makes; package.json maps the module. */
declare module '#openapi' {
  const document: Readonly<Record<string, unknown>>;
  export default document;
}

/** Help topics as blocks of text, which the build makes from docs/; package.json maps the module. */
declare module '#topics' {
  type Block =
    | { readonly kind: 'heading' | 'text' | 'item' | 'code'; readonly text: string }
    | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };
  const topics: Readonly<Record<string, readonly Block[]>>;
  export default topics;
}

/** The commands on the first page of help by task, which the build makes from their declarations. */
declare module '#overview' {
  const tasks: readonly (readonly [task: string, entries: readonly (readonly [name: string, about: string])[]])[];
  export default tasks;
}

/** The command schema. The build generates it; package.json gives its path. */
declare module '#schema' {
  interface Command {
    readonly name: string;
    readonly aliases?: readonly string[];
    readonly output: { readonly columns: readonly string[] };
  }
  const document: Readonly<Record<string, unknown>> & {
    readonly commands: readonly Command[];
    readonly $defs: Readonly<Record<string, unknown>>;
  };
  export default document;
}

/** Modules of undici by path: the whole package would load fetch, WebSocket, caches and mocks at every start. */
declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici';
  export default buildConnector;
}
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';
  export default Client;
}
declare module 'undici/lib/dispatcher/env-http-proxy-agent.js' {
  import { EnvHttpProxyAgent } from 'undici';
  export default EnvHttpProxyAgent;
}
declare module 'undici/lib/dispatcher/dispatcher.js' {
  import { Dispatcher } from 'undici';
  export default Dispatcher;
}
declare module 'undici/lib/api/api-connect.js' {
  import type { Dispatcher } from 'undici';
  export default function connect(
    this: Dispatcher,
    options: Dispatcher.ConnectOptions,
  ): Promise<Dispatcher.ConnectData>;
}

/** Imports the driver's client alone: paycli uses one connection and no pool. */
declare module 'pg/lib/client.js' {
  import { Client } from 'pg';
  export default Client;
}
