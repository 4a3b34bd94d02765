#!/usr/bin/env node
// Read by Nodes of any age: only what the oldest one understands, until the version is known.
import * as nodeModule from 'node:module';
import * as os from 'node:os';
import * as path from 'node:path';

const version = process.versions.node.split('.').map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
  process.stderr.write(`paycli needs Node.js 22.19 or later; this is ${process.versions.node}.\n`);
  process.exitCode = 4;
} else {
  // A cache in the shared temporary folder could be planted by another user; this one is the user's own.
  const home = process.env.PAYCLI_HOME;
  const cache = home || path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'paycli');
  nodeModule.enableCompileCache(path.join(cache, 'compile-cache'));
  import('../dist/main.js').then((program) => program.main());
}
