#!/usr/bin/env node
// Read by Nodes of any age: only what the oldest one understands, until the version is known.
// Without a listener SIGUSR1 opens Node's inspector, from which any program of this machine could take the secret key.
process.on('SIGUSR1', () => {});
const version = process.versions.node.split('.').map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
  if (version[0] >= 18) handOver();
  else refuse();
} else {
  // Node's own warnings (an experimental module, variables that contradict each other) are for those who write paycli;
  // on stderr they would stand beside the one JSON line that a script reads there.
  process.removeAllListeners('warning');
  enableCache();
  import('../dist/main.js').then((program) => program.main()).catch(notLoaded);
}

function refuse() {
  process.stderr.write(`paycli needs Node.js 22.19 or later; this is ${process.versions.node}.\n`);
  process.exitCode = 4;
}

/** In a checkout the Node that builds and tests lies in node_modules; what npm installs brings none. */
async function handOver() {
  const names = ['child_process', 'fs', 'url'];
  const [{ spawn }, { closeSync, existsSync, openSync }, { fileURLToPath }] = await Promise.all(
    names.map((name) => import(name)),
  );
  const pinned = ['node', 'node-bin'].flatMap((name) =>
    ['node', 'node.exe'].map((file) =>
      fileURLToPath(new URL(`../node_modules/${name}-${systemName()}/bin/${file}`, import.meta.url)),
    ),
  );
  const opens = (path) => {
    try {
      closeSync(openSync(path, 'r'));
      return true;
    } catch {
      return process.platform === 'win32';
    }
  };
  const node = pinned.find((path) => existsSync(path));
  if (node === undefined) return refuse();
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both by itself: sent on, it would count twice. Other signals come to this process alone.
  const isSentOn = { SIGINT: !opens('/dev/tty'), SIGQUIT: !opens('/dev/tty'), SIGTERM: true, SIGHUP: true };
  for (const signal of Object.keys(isSentOn)) process.on(signal, (name) => isSentOn[name] && child.kill(name));
  child.on('error', notLoaded);
  child.on('close', (code, signal) => {
    if (signal === null) process.exitCode = code;
    else process.removeAllListeners(signal).kill(process.pid, signal);
  });
}

function systemName() {
  return `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
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
