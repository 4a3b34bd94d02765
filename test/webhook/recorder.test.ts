import { describe, expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import type { KeptEvent } from '../../src/webhook/event.ts';
import type { Queue } from '../../src/webhook/queue.ts';
import { type EventFindings, Recorder, type ReportedEvent } from '../../src/webhook/recorder.ts';
import { settled } from '../bulk/virtual-clock.ts';
import { TestClock } from './support.ts';

type RecordEvents = (ugwo: string, events: readonly ReportedEvent[]) => Promise<EventFindings | undefined>;

const eventOf = (seq: number, ugwo: string | undefined): KeptEvent =>
  ({ seq, uid: `evt.${seq}`, event: 'ugwo.updated', activity: undefined, ugwo }) as KeptEvent;

const open = (record: RecordEvents, place = 0, written: Promise<void> = Promise.resolve(), printed = place) => {
  const [events, said, failures, clock, stop]: [KeptEvent[], string[], PayError[], TestClock, AbortController] = [
    [],
    [],
    [],
    new TestClock(),
    new AbortController(),
  ];
  const kept = { place };
  const listeners: (() => void)[] = [];
  const queue = {
    place: (reader: string) => (reader === 'printed' ? printed : kept.place),
    setPlace: async (_reader: string, seq: number) => {
      kept.place = seq;
    },
    onKept: (listener: () => void) => void listeners.push(listener),
    behind: (seq: number, limit: number) => events.filter((one) => one.seq > seq).slice(0, limit),
  } as unknown as Queue;
  const deps = {
    ...{ clock, random: () => 1, ledger: { service: 'here', record } },
    say: (text: string) => {
      said.push(text);
      return written;
    },
    failed: (failure: PayError) => void failures.push(failure),
  };
  const consumer = new Recorder(queue, deps, stop.signal);
  return {
    ...{ clock, said, failures, consumer, kept },
    /** Runs what is ready, then advances time to the next timer, this many times. */
    pass: async (times = 1): Promise<void> => {
      await settled();
      for (let time = 0; time < times; time += 1) await clock.step();
    },
    come: (...some: readonly KeptEvent[]): void => {
      events.push(...some);
      for (const listener of listeners) listener();
    },
    end: async (): Promise<void> => {
      stop.abort();
      await consumer.ended;
    },
  };
};

describe('events passed to the ledger', () => {
  it('are passed together for each payment request', async () => {
    const told: string[] = [];
    const { come, pass, kept, end } = open(async (ugwo, events) => {
      told.push(`${ugwo}: ${events.map(({ seq }) => seq).join(' ')}`);
      return undefined;
    });
    come(eventOf(1, 'a'), eventOf(2, 'b'), eventOf(3, undefined), eventOf(4, 'a'));
    await pass();
    expect(told).toEqual(['a: 1 4', 'b: 2']);
    expect(kept.place).toBe(4);
    come(eventOf(5, 'a'));
    await pass();
    expect(told.at(-1)).toBe('a: 5');
    await end();
  });

  it('are done when their message is written: after a kill before that they are passed again', async () => {
    const written = Promise.withResolvers<void>();
    const { come, pass, kept, said, end } = open(async () => ({ said: ['paid twice'] }), 0, written.promise);
    come(eventOf(1, 'a'));
    await pass();
    expect({ said, place: kept.place }).toEqual({ said: ['paid twice'], place: 0 });
    written.resolve();
    await pass(0);
    expect(kept.place).toBe(1);
    await end();
  });

  it('are retried with growing pauses; others proceed, and the position stays before the first', async () => {
    const told: string[] = [];
    let broken = true;
    const { come, clock, pass, kept, said, end } = open(async (ugwo, events) => {
      told.push(`${ugwo}: ${events.map(({ seq }) => seq).join(' ')} at ${clock.ticks()}`);
      if (ugwo === 'a' && broken) throw new PayError('read_failed', 'no answer');
      return undefined;
    });
    come(eventOf(1, 'b'), eventOf(2, 'a'), eventOf(3, 'b'));
    await pass(3);
    expect(told).toEqual(['b: 1 3 at 200', 'a: 2 at 200', 'a: 2 at 1200', 'a: 2 at 3200']);
    expect(kept.place).toBe(1);
    broken = false;
    come(eventOf(4, 'a'));
    await pass(2);
    expect(told.at(-1)).toBe('a: 2 4 at 7200');
    expect(kept.place).toBe(4);
    expect(said).toEqual(["couldn't check a yet, trying again: no answer"]);
    await end();
  });

  it('are passed next if they come during a call, whose success ends the pauses', async () => {
    const calls: { told: string; end: ReturnType<typeof Promise.withResolvers<undefined>> }[] = [];
    const { come, clock, pass, kept, said, end } = open((_ugwo, events) => {
      const end = Promise.withResolvers<undefined>();
      calls.push({ told: `${events.map(({ seq }) => seq).join(' ')} at ${clock.ticks()}`, end });
      return end.promise;
    });
    const failed = new Error('no');
    come(eventOf(1, 'a'));
    await pass();
    calls[0]?.end.reject(failed);
    await pass();
    come(eventOf(2, 'a'));
    calls[1]?.end.resolve(undefined);
    await pass();
    expect(kept.place).toBe(1);
    calls[2]?.end.reject(failed);
    await pass();
    expect(calls.map(({ told }) => told)).toEqual(['1 at 200', '1 at 1200', '2 at 1400', '2 at 2400']);
    expect(said).toHaveLength(2);
    calls[3]?.end.resolve(undefined);
    await end();
    expect(kept.place).toBe(2);
  });

  it('are heard of once the call in progress has ended, though one has failed', async () => {
    const second = Promise.withResolvers<EventFindings>();
    let calls = 0;
    const { come, consumer, pass, end } = open(() => {
      calls += 1;
      return calls === 1 ? Promise.reject(new Error('no')) : second.promise;
    });
    come(eventOf(1, 'a'));
    await pass(2);
    const heard = consumer.findings(eventOf(1, 'a'));
    await pass(0);
    second.resolve({ fields: new Map([['evt.1', { paid: 2 }]]) });
    expect(await heard).toEqual({ paid: 2 });
    await end();
  });

  it('say nothing of a failure after the stop, which may have caused it', async () => {
    const answer = Promise.withResolvers<undefined>();
    const { come, pass, said, kept, end } = open(() => answer.promise);
    come(eventOf(1, 'a'));
    await pass();
    const ended = end();
    answer.reject(new Error('stopped'));
    await ended;
    expect({ said, place: kept.place }).toEqual({ said: [], place: 0 });
  });

  it('begin after the stored position', async () => {
    const told: number[] = [];
    const { come, pass, end } = open(async (_ugwo, events) => {
      told.push(...events.map(({ seq }) => seq));
      return undefined;
    }, 2);
    come(eventOf(1, 'a'), eventOf(2, 'a'), eventOf(3, 'a'));
    await pass();
    expect(told).toEqual([3]);
    await end();
  });

  it('begin earlier if an event was not reported: its findings were lost with the process', async () => {
    const fields = new Map([2, 3].map((seq) => [`evt.${seq}`, { paid: seq }]));
    const { come, consumer, pass, end } = open(async () => ({ fields }), 3, undefined, 1);
    const late = [2, 3].map((seq) => eventOf(seq, 'a'));
    come(eventOf(1, 'a'), ...late);
    const heard = Promise.all(late.map((event) => consumer.findings(event)));
    await pass();
    expect(await heard).toEqual([{ paid: 2 }, { paid: 3 }]);
    await end();
  });

  it('are passed for at most four payment requests at once', async () => {
    const waiting: (() => void)[] = [];
    const { come, pass, end } = open(() => new Promise((resolve) => waiting.push(() => resolve(undefined))));
    come(...Array.from({ length: 6 }, (_, at) => eventOf(at + 1, `u${at}`)));
    await pass();
    expect(waiting).toHaveLength(4);
    waiting[0]?.();
    await pass();
    expect(waiting).toHaveLength(5);
    for (let at = 0; at < 6; at += 1) {
      waiting[at]?.();
      await pass();
    }
    await end();
  });

  it('return fields to print with an event, keep none of them, and return the failure of the run', async () => {
    const failure = new PayError('rejected', 'twice');
    const fields = new Map([['evt.1', { double_charge: true }]]);
    const { come, pass, failures, consumer, end } = open(async () => ({ said: ['twice'], fields, failure }));
    const heard = consumer.findings(eventOf(1, 'a'));
    come(eventOf(1, 'a'));
    await pass();
    expect(await heard).toEqual({ double_charge: true });
    expect(await consumer.findings(eventOf(1, 'a'))).toBeUndefined();
    expect(failures).toEqual([failure]);
    await consumer.quiet();
    await end();
  });

  it("block nobody who waits for an event that can't be passed", async () => {
    const { come, pass, consumer, end } = open(async () => {
      throw new Error('no');
    });
    come(eventOf(1, 'a'));
    const [heard, quiet] = [consumer.findings(eventOf(1, 'a')), consumer.quiet()];
    await pass(1);
    expect(await heard).toBeUndefined();
    await quiet;
    await end();
  });
});
