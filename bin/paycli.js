#!/usr/bin/env node
// Read by Nodes of any age: only what the oldest one understands, until the version is known.
// Without a listener SIGUSR1 opens Node's inspector, from which any program of this machine could take the secret key.
process.on('SIGUSR1', () => {});
const version = process.versions.node.split('.').map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
  process.stderr.write(`paycli needs Node.js 22.19 or later; this is ${process.versions.node}.\n`);
  process.exitCode = 4;
} else {
  // Node's own warnings (an experimental module, variables that contradict each other) are for those who write paycli;
  // on stderr they would stand beside the one JSON line that a script reads there.
  process.removeAllListeners('warning');
  enableCache();
  import('../dist/main.js').then((program) => program.main()).catch(notLoaded);
}

/** Nothing was begun: what runs says by itself how it ends. */
function notLoaded(error) {
  process.stderr.write(`error: paycli can't be loaded: ${error.message}\n`);
  process.exitCode = 1;
}

/**
 * Keeps compiled code between starts. In the shared temporary folder, where Node would put it, another user could plant
 * some: so it lies in the user's own cache folder, and only while nobody else can write there, nor to a folder inside.
 */
function enableCache() {
  try {
    // An import of `fs` would load all that its exports need, streams among it.
    const [fs, path, os, nodeModule] = ['fs', 'path', 'os', 'module'].map((name) => process.getBuiltinModule(name));
    const xdg = process.env.XDG_CACHE_HOME;
    const base = xdg && path.isAbsolute(xdg) ? xdg : path.join(os.homedir(), '.cache');
    const folder = path.join(base, 'paycli');
    const cache = path.join(folder, 'compile-cache');
    const isOurs = (at) => {
      const { mode, uid } = fs.lstatSync(at);
      return process.platform === 'win32' || ((mode & 0o170022) === 0o040000 && uid === process.geteuid());
    };
    // What is made here, by Node too, is made for its user alone; the folders above may be for others.
    for (const at of [folder, cache]) {
      fs.mkdirSync(at, { recursive: true, mode: 0o700 });
      if (!isOurs(at)) return;
    }
    if (!fs.readdirSync(cache).every((name) => isOurs(path.join(cache, name)))) return;
    const umask = process.umask(0o077);
    nodeModule.enableCompileCache(cache);
    process.umask(umask);
  } catch {
    // A read-only or missing home only makes the start slower.
  }
}
