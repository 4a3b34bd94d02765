import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { peakOf } from '../../scripts/bench/run/watched.ts';
import { PROGRAM } from '../support/built.ts';
import { type Shape, shapes } from './answer-shapes.ts';
import { type Part, spread } from './part.ts';
import { environmentOf } from './surroundings.ts';

const LOOK_EVERY_MS = 5;
/** In seconds: the `--timeout` of an attempt, and the extra time of a run. */
const DEADLINE_S = 20;
const BEYOND_S = 1;
/** A run with a small answer needs 70 MB; the worst shape needed 145 on Node and 135 on Bun. */
const MOST_MB = 150;

/** The run is killed there, to protect the machine. */
const FAR_TOO_MUCH_MB = 1000;

/** The result of one run. */
export interface Ran {
  readonly code: number | null;
  readonly ms: number;
  readonly peakMb: number;
  readonly stderr: string;
}

/** Runs the built program against a service that gives one answer, and reads all of its output. */
const answered = async (shape: Shape, folder: string): Promise<Ran> => {
  const body = Buffer.from(shape.body());
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(shape.status, { ...shape.headers, 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const home = mkdtempSync(join(folder, 'home-'));
  const [file, ...first] = PROGRAM;
  const args = [...first, ...shape.args, '--timeout', `${DEADLINE_S}s`];
  const started = performance.now();
  const child = spawn(file, args, {
    env: { ...environmentOf({ home, folder, origin }), LANG: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [peakMb, stderr] = [0, ''];
  const looking = setInterval(() => {
    const now = peakOf(child.pid ?? 0);
    if (!Number.isNaN(now)) peakMb = now;
    if (peakMb > FAR_TOO_MUCH_MB) child.kill('SIGKILL');
  }, LOOK_EVERY_MS);
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(0, 2000);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearInterval(looking);
  server.closeAllConnections();
  server.close();
  return { code, ms: performance.now() - started, peakMb, stderr };
};

/** What is wrong with the end of a run; undefined if nothing is. */
const faultOf = ({ name, codes }: Shape, { code, ms, peakMb, stderr }: Ran): string | undefined => {
  const faults = [
    ...(codes.includes(code ?? -1) ? [] : [`it ended with ${code}: ${stderr.slice(0, 300)}`]),
    ...(peakMb <= MOST_MB ? [] : [`it took ${Math.round(peakMb)} MB`]),
    ...(ms <= (DEADLINE_S + BEYOND_S) * 1000 ? [] : [`it took ${Math.round(ms)} ms`]),
  ];
  return faults.length === 0 ? undefined : `${name}: ${faults.join('; ')}`;
};

const SHORT = 10;

/** Answers below the size limit that are hostile in every other way. */
export const answers: Part = async ({ short, folder, say }) => {
  const all = spread(shapes(), short ? SHORT : Number.POSITIVE_INFINITY);
  const failures: string[] = [];
  let [peakMb, slowest] = [0, 0];
  for (const [nth, shape] of all.entries()) {
    const ran = await answered(shape, folder);
    const fault = faultOf(shape, ran);
    if (fault !== undefined) failures.push(fault);
    peakMb = Math.max(peakMb, ran.peakMb);
    slowest = Math.max(slowest, ran.ms);
    if ((nth + 1) % 50 === 0) say(`answers: ${nth + 1} of ${all.length}, ${failures.length} failed`);
  }
  return {
    figures: [
      { name: 'answers: shapes', value: all.length },
      { name: 'answers: most memory', value: Math.round(peakMb), unit: 'MB' },
      { name: 'answers: slowest', value: Math.round(slowest), unit: 'ms' },
    ],
    failures,
  };
};
