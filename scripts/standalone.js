// Entry point of the standalone program. It needs no version check and no compile cache.

import wasm from '../dist/jq/jq.wasm' with { type: 'file' };
import worker from '../dist/jq/worker.js' with { type: 'file' };
import { main } from '../dist/main.js';

// Silence the runtime's warnings, since a script expects one JSON line on stderr (see bin/paycli.js).
process.removeAllListeners('warning');
// Without a listener, this signal would end the program or open the inspector.
process.on('SIGUSR1', () => undefined);
void main({ jq: { worker, wasm } });
