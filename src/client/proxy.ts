import connect from 'undici/lib/api/api-connect.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';

// A tunnel is opened by the dispatchers' `connect`, which only undici's own entry attaches to them.
Object.assign(Dispatcher.prototype, { connect });

export { EnvHttpProxyAgent };
