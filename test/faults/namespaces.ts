import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { toolOf } from '../support/tool.ts';

/**
 * What a worker in its own network may reach: a server on this machine's loopback, by this name and on the same port.
 */
export interface Peer {
  readonly name: string;
  readonly port: number;
}

/** A network namespace with one cable to each peer. */
export interface Namespace {
  /** The command that starts a program in the namespace, without a wrapper process. */
  command(file: string, ...args: readonly string[]): [file: string, ...args: string[]];
  /** Drops all packets to and from the peer, without notice to either end. */
  cut(name: string): void;
  heal(name: string): void;
  remove(): Promise<void>;
}

const ip = (...args: readonly string[]): string =>
  execFileSync(toolOf('ip') ?? 'ip', args, { encoding: 'utf8', stdio: 'pipe' });

/** Programs in a namespace see this folder as /etc. */
const ETC = '/etc/netns';

const removeNamespace = (name: string): void => {
  ip('netns', 'del', name);
  rmSync(join(ETC, name), { recursive: true, force: true });
};

/** Whether this process may create network namespaces: root may, if its container allows it. */
export const mayMakeNamespaces = (): boolean => {
  const name = `paycli-${process.pid}-tried`;
  try {
    ip('netns', 'add', name);
    removeNamespace(name);
    return true;
  } catch {
    return false;
  }
};

/** Removes what killed processes have left. */
const sweep = (): void => {
  for (const [name, pid] of ip('netns', 'list').matchAll(/^paycli-(\d+)-\S+/gm)) {
    if (!existsSync(`/proc/${pid}`)) removeNamespace(name);
  }
};

/** One cable: the addresses of this machine's end and of the worker's. */
interface Cable {
  readonly device: string;
  readonly here: string;
  readonly there: string;
}

const MAC = { here: '02:00:00:00:00:01', there: '02:00:00:00:00:02' };

/** Both ends have static neighbor entries: a failed lookup would reveal the cut. */
const knows = (address: string, mac: string, device: string): string[] => [
  'neigh',
  'replace',
  address,
  'lladdr',
  mac,
  'dev',
  device,
  'nud',
  'permanent',
];

const plugIn = ({ device, there }: Cable): void => {
  ip('link', 'set', device, 'up');
  ip(...knows(there, MAC.there, device));
};

const lay = (namespace: string, number: number): Cable => {
  const net = `10.${randomInt(256)}.${randomInt(256)}`;
  const cable = { device: `paycli${randomInt(2 ** 24).toString(36)}`, here: `${net}.1`, there: `${net}.2` };
  const inside = ['-n', namespace];
  const end = `cable${number}`;
  const peer = ['peer', 'name', end, 'address', MAC.there, 'netns', namespace];
  ip('link', 'add', cable.device, 'address', MAC.here, 'type', 'veth', ...peer);
  ip('addr', 'add', `${cable.here}/30`, 'dev', cable.device);
  ip(...inside, 'addr', 'add', `${cable.there}/30`, 'dev', end);
  ip(...inside, 'link', 'set', end, 'up');
  ip(...inside, ...knows(cable.here, MAC.here, end));
  plugIn(cable);
  return cable;
};

/** Forwards a cable to the server on loopback; returns the function that stops it. */
const forward = async (address: string, port: number): Promise<() => Promise<void>> => {
  const sockets = new Set<Socket>();
  const server = createServer((from) => {
    const to = connect({ port, host: '127.0.0.1' });
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroySoon();
      });
    }
  });
  await once(server.listen(port, address), 'listening');
  return async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  };
};

let namespaces = 0;

/** Creates a network namespace for workers. The caller removes it. Throws without the permission. */
export const makeNamespace = async (peers: readonly Peer[]): Promise<Namespace> => {
  if (!mayMakeNamespaces()) throw new Error('this test makes networks of its own: it needs root and iproute2');
  sweep();
  namespaces += 1;
  const name = `paycli-${process.pid}-${namespaces}`;
  ip('netns', 'add', name);
  const cables = new Map<string, Cable>();
  const ends: (() => Promise<void>)[] = [];
  const remove = async (): Promise<void> => {
    await Promise.all(ends.map((end) => end()));
    // The other ends disappear with the namespace, but not at once.
    for (const { device } of cables.values()) ip('link', 'del', device);
    removeNamespace(name);
  };
  try {
    for (const [number, peer] of peers.entries()) {
      const cable = lay(name, number);
      cables.set(peer.name, cable);
      ends.push(await forward(cable.here, peer.port));
    }
  } catch (thrown) {
    await remove();
    throw thrown;
  }
  ip('-n', name, 'link', 'set', 'lo', 'up');
  mkdirSync(join(ETC, name), { recursive: true });
  const hosts = [...cables].map(([peer, { here }]) => `${here} ${peer}\n`);
  writeFileSync(join(ETC, name, 'hosts'), hosts.join(''));
  const cableTo = (peer: string): Cable => {
    const cable = cables.get(peer);
    if (cable === undefined) throw new Error(`there is no cable to ${peer}`);
    return cable;
  };
  return {
    command: (file, ...args) => [toolOf('ip') ?? 'ip', 'netns', 'exec', name, file, ...args],
    cut: (peer) => void ip('link', 'set', cableTo(peer).device, 'down'),
    heal: (peer) => plugIn(cableTo(peer)),
    remove,
  };
};
