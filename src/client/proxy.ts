import connect from 'undici/lib/api/api-connect.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';

// The proxy agent opens tunnels with the dispatchers' `connect`, which only undici's main module attaches to them.
Object.assign(Dispatcher.prototype, { connect });

export { EnvHttpProxyAgent };
