// What the standalone program starts: no Node whose age would be asked, and its code is compiled beforehand.
import { main } from '../dist/main.js';

// The runtime's own warnings would stand on stderr beside the one JSON line of an error: see bin/paycli.js.
process.removeAllListeners('warning');
// A signal without a listener would end the program, or open the runtime's inspector.
process.on('SIGUSR1', () => undefined);
void main();
