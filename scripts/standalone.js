// What the standalone program starts: no Node whose age would be asked, and its code is compiled beforehand.

import wasm from '../dist/jq/jq.wasm' with { type: 'file' };
import worker from '../dist/jq/worker.js' with { type: 'file' };
import { main } from '../dist/main.js';

// The runtime's own warnings would stand on stderr beside the one JSON line of an error: see bin/paycli.js.
process.removeAllListeners('warning');
// A signal without a listener would end the program, or open the runtime's inspector.
process.on('SIGUSR1', () => undefined);
void main({ jq: { worker, wasm } });
