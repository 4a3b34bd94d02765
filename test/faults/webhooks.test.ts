import { expect, it } from 'vitest';
import { newFolder } from '../support/program.ts';
import { webhookHostile } from './webhook-hostile.ts';
import { webhookKills } from './webhook-kills.ts';

const say = (): void => undefined;

it('forwards every acknowledged event in order, and reports each once, whenever the listener is killed', async () => {
  const size = { events: 200, requests: 20, kills: 3 };
  const { failures } = await webhookKills(size, { folder: newFolder(), say });
  expect(failures).toEqual([]);
});

it.runIf(process.platform === 'linux')(
  'accepts honest events among hostile senders, in memory that is bounded',
  async () => {
    const size = { events: 20, connections: 1200, large: 6 };
    const { failures } = await webhookHostile(size, { folder: newFolder(), say });
    expect(failures).toEqual([]);
  },
);
