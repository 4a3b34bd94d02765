#!/usr/bin/env node
// Any version of Node may read this file, so it uses old syntax until the version is checked.
// Without a listener, SIGUSR1 opens Node's inspector, through which any local program could read the secret key.
process.on('SIGUSR1', () => {});
const version = process.versions.node.split('.').map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
  if (version[0] >= 18) handOver();
  else refuse();
} else {
  // Silence Node's warnings: they are for developers of paycli,
  // and a script expects one JSON line on stderr.
  process.removeAllListeners('warning');
  enableCache();
  // A shorter command doesn't pay for it.
  setTimeout(boundHeap, 200).unref();
  import('../dist/main.js').then((program) => program.main()).catch(notLoaded);
}

function refuse() {
  process.stderr.write(`paycli needs Node.js 22.19 or later; this is ${process.versions.node}.\n`);
  process.exitCode = 4;
}

/** Starts the pinned Node in node_modules, which exists in a checkout only. */
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
  // A terminal sends Ctrl-C to both processes, so don't forward it. Other signals reach only this process.
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

/**
 * Keeps the heap near to what is in use, about 15 MB even for a large file of charges. V8 would let garbage fill 128 MB
 * before it collects it. This limits nothing: a heap that needs more still grows.
 */
function boundHeap() {
  const { setFlagsFromString } = process.getBuiltinModule('v8');
  for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=50']) setFlagsFromString(flag);
}

/** Reports that the program could not be loaded. A loaded program sets its own exit code. */
function notLoaded(error) {
  process.stderr.write(`error: paycli can't be loaded: ${error.message}\n`);
  process.exitCode = 1;
}

/**
 * Caches compiled code. In Node's default place, the shared temporary folder, another user could plant code.
 * So the cache is in the user's own cache folder, and is used only if no one else can write there. A relative folder
 * would be in the working folder, whose files may come from others.
 */
function enableCache() {
  try {
    // An import of `fs` would also load its streams.
    const [fs, path, os, nodeModule] = ['fs', 'path', 'os', 'module'].map((name) => process.getBuiltinModule(name));
    const xdg = process.env.XDG_CACHE_HOME;
    const base = xdg && path.isAbsolute(xdg) ? xdg : path.join(os.homedir(), '.cache');
    if (!path.isAbsolute(base)) return;
    const folder = path.join(base, 'paycli');
    const cache = path.join(folder, 'compile-cache');
    const isOurs = (at) => {
      const { mode, uid } = fs.lstatSync(at);
      return process.platform === 'win32' || ((mode & 0o170022) === 0o040000 && uid === process.geteuid());
    };
    // Create private folders; parent folders may be shared.
    for (const at of [folder, cache]) {
      fs.mkdirSync(at, { recursive: true, mode: 0o700 });
      if (!isOurs(at)) return;
    }
    if (!fs.readdirSync(cache).every((name) => isOurs(path.join(cache, name)))) return;
    const umask = process.umask(0o077);
    nodeModule.enableCompileCache(cache);
    process.umask(umask);
  } catch {
    // Without a writable home the start is only slower.
  }
}
