/**
 * Runs under Node for Windows: starts paycli for a client (client.ts) with pipes of its own. A program under Wine can't
 * use the pipes of a program outside. The first argument is the port of whoever started this one: when that connection
 * ends, this program and all that it has started end. The second is a standalone program to start in place of Node's.
 */
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { connect, createServer } = require('node:net');
const { createInterface } = require('node:readline');
const { join, resolve } = require('node:path');

const [port, standalone] = process.argv.slice(2);
const NPMS = [process.execPath, '--require', join(__dirname, 'before.cjs'), resolve(__dirname, '../../bin/paycli.js')];
const [program, ...first] = standalone === undefined ? NPMS : [resolve(standalone)];
/** Variables of the system outside that mean something else here. */
const NOT_OURS = /^(?:path|home|tmpdir|shell|pwd|oldpwd|shlvl|_)$/i;
const children = new Set();
/** Ends of programs whose client was killed: a program that starts later finds them dead. */
const dying = new Set();

const environmentOf = (env) => ({
  ...process.env,
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !NOT_OURS.test(name))),
});

const start = ({ args, env, cwd }, say) => {
  const child = spawn(program, [...first, ...args], {
    cwd: resolve(cwd),
    env: environmentOf(env),
    // The last one is for signals (before.cjs).
    stdio: ['pipe', 'pipe', 'pipe', ...(standalone === undefined ? ['ipc'] : [])],
  });
  children.add(child);
  child.stdin.on('error', () => undefined);
  child.stdout.on('data', (data) => say({ out: data.toString('base64') }));
  child.stderr.on('data', (data) => say({ err: data.toString('base64') }));
  child.on('error', (error) => say({ failed: error.message }));
  child.on('close', (code) => {
    children.delete(child);
    say({ code });
  });
  return child;
};

const heed = (child, message) => {
  if (message.in !== undefined) child.stdin.write(Buffer.from(message.in, 'base64'));
  if (message.end) child.stdin.end();
  if (message.closed) child.stdout.destroy();
  if (message.signal !== undefined && child.connected) child.send(message.signal);
};

/** Kills a program whose client was killed. */
const abandon = (child) => {
  if (!children.has(child)) return;
  const ended = once(child, 'close').then(() => dying.delete(ended));
  dying.add(ended);
  child.kill('SIGKILL');
};

const serve = (socket) => {
  const say = (message) => socket.writable && socket.write(`${JSON.stringify(message)}\n`);
  let child;
  // A line is heeded after the ones before it.
  let last = Promise.resolve();
  createInterface({ input: socket }).on('line', (line) => {
    const message = JSON.parse(line);
    last = last.then(async () => {
      if (child !== undefined) return heed(child, message);
      await Promise.all(dying);
      child = start(message, say);
    });
  });
  socket.on('error', () => undefined);
  socket.on('close', () => last.then(() => abandon(child)));
};

const server = createServer(serve).listen(0, '127.0.0.1', () => {
  const owner = connect(Number(port), '127.0.0.1', () => owner.write(`${server.address().port}\n`));
  // Its streams go nowhere.
  process.on('uncaughtException', (error) => owner.write(`${error.stack}\n`));
  owner.on('error', () => undefined);
  owner.on('close', () => {
    for (const child of children) child.kill('SIGKILL');
    process.exit();
  });
});
