import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVENTS, isWanted, readEvent } from '../../src/core/webhook-event.ts';

const UGWO = 'ugw.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE';
const ACTIVITY = 'act.VCvr.7K2qPmRtV9xLnQ8sD1cYwHfE';

describe('what an event is about', () => {
  it.each([
    ['a payment request', { uid: UGWO }, UGWO, undefined],
    ['an activity with ugwo_uid', { uid: ACTIVITY, ugwo_uid: UGWO }, UGWO, ACTIVITY],
    ['an activity with an object', { uid: ACTIVITY, ugwo: { uid: UGWO } }, UGWO, ACTIVITY],
    ['an activity with a text', { uid: ACTIVITY, ugwo: UGWO }, UGWO, ACTIVITY],
    ['a refund', { uid: 'rfd.a.b', ugwo: { uid: UGWO }, ugwo_activity: { uid: ACTIVITY } }, UGWO, ACTIVITY],
    ['an empty object of the service’s language', [], undefined, undefined],
    ['a customer', { uid: 'ony.a.b' }, undefined, undefined],
  ])('%s', (_, data, ugwo, activity) => {
    expect(readEvent({ uid: 'evt.a.b', event: 'any', data })).toEqual({
      uid: 'evt.a.b',
      event: 'any',
      data,
      ugwo,
      activity,
    });
  });

  it('is read of any JSON without a throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(typeof readEvent(body).event).toBe('string');
      }),
    );
  });

  it('takes its name as a pair', () => {
    expect(readEvent({ event: ['ugwo.successful', 'label'] }).event).toBe('ugwo.successful');
  });
});

describe('which events are wanted', () => {
  it.each([
    ['ugwo.activity.updated', ['ugwo.activity.*'], true],
    ['ugwo.successful', ['ugwo.activity.*'], false],
    ['ugwo.successful', ['refund.*', 'ugwo.successful'], true],
    ['ugwoXsuccessful', ['ugwo.successful'], false],
    ['', ['*'], true],
    ['ugwo.activity.next_action.expired', ['ugwo.*'], true],
  ])('%s of %j: %s', (event, wanted, is) => {
    expect(isWanted(event, wanted)).toBe(is);
  });

  it('every one that is known, by its own name', () => {
    for (const event of EVENTS) expect(EVENTS.filter((other) => isWanted(other, [event]))).toEqual([event]);
  });
});
