import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { linesIn } from './lines.ts';
import type { Command, Environment } from './programs.ts';

const LOOK_EVERY_MS = 20;

/** What a program did while it was watched. */
export interface Watched {
  readonly lines: number;
  readonly firstRowMs: number;
  /** The most memory that it had; NaN where no Linux tells it. */
  readonly peakMb: number;
}

/** The most memory that a process had so far, in MB (proc(5), VmHWM), which Linux tells of every program alike. */
export const peakOf = (pid: number): number => {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
};

/** Runs a program to its end, which must be a good one, and reads what it prints as fast as it comes. */
export const watch = async ([file, ...args]: Command, env: Environment): Promise<Watched> => {
  const started = performance.now();
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [lines, firstRowMs, peakMb] = [0, Number.NaN, Number.NaN];
  let said = '';
  const look = (): void => {
    const now = peakOf(child.pid ?? 0);
    if (!Number.isNaN(now)) peakMb = now;
  };
  const looking = setInterval(look, LOOK_EVERY_MS);
  child.stdout.on('data', (chunk: Buffer) => {
    const more = linesIn(chunk);
    if (lines === 0 && more > 0) firstRowMs = performance.now() - started;
    lines += more;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const code = await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
  clearInterval(looking);
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}: ${said}`);
  return { lines, firstRowMs, peakMb };
};

/** What is missing for a peak to be told. */
export const missingPeak = (): string | undefined =>
  process.platform === 'linux' ? undefined : 'only Linux tells a peak';
