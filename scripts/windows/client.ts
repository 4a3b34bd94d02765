/**
 * Stands for paycli outside of Wine: passes arguments, environment, streams and signals to the starter (starter.cjs),
 * and ends with the exit code of the program there.
 */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

interface Said {
  readonly out?: string;
  readonly err?: string;
  readonly failed?: string;
  readonly code?: number | null;
}

const [port, ...args] = process.argv.slice(2);
const socket = connect(Number(port), '127.0.0.1');
const say = (message: object): void => void socket.write(`${JSON.stringify(message)}\n`);
const bytes = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64');

const { PROGRAM_NODE_OPTIONS: NODE_OPTIONS, ...env } = process.env;
say({ args, env: { ...env, ...(NODE_OPTIONS === '' ? {} : { NODE_OPTIONS }) }, cwd: process.cwd() });
process.stdin.on('data', (data: Buffer) => say({ in: data.toString('base64') }));
process.stdin.on('end', () => say({ end: true }));
process.stdout.on('error', () => say({ closed: true }));
process.stderr.on('error', () => undefined);
process.on('SIGINT', (signal) => say({ signal }));
createInterface({ input: socket }).on('line', (line) => {
  const { out, err, failed, code } = JSON.parse(line) as Said;
  process.stdout.write(bytes(out));
  process.stderr.write(bytes(err));
  if (failed !== undefined) process.stderr.write(`${failed}\n`);
  if (code === undefined) return;
  process.exitCode = code ?? 1;
  process.stdin.destroy();
  socket.end();
});
