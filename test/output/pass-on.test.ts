import { describe, expect, it } from 'vitest';
import { readNextAction } from '../../src/core/charge.ts';
import type { ShareOptions, View } from '../../src/core/result.ts';
import { render } from '../../src/output/render.ts';
import { options, pipe, recordOf, terminal } from './support.ts';

const view: View = { columns: [{ path: 'uid' }], nextAction: readNextAction };
const DIAL = recordOf({ uid: 'act.A.b', status: 'requires_action', next_action: { headers: { ussd: '*737*1#' } } });
const NOTHING = recordOf({ uid: 'act.A.b', status: 'processing', next_action: null });

const shown = async (how: Partial<ShareOptions>, io = terminal(), record = DIAL) => {
  const passOn: ShareOptions = { copy: false, share: false, qr: 'never', ...how };
  const ended = await render({ kind: 'record', record, view, passOn }, io, options({ format: 'table' }));
  return { ended, stdout: io.stdout.text, copied: io.stderr.copied ?? io.stdout.copied };
};

describe('what is passed on', () => {
  it('is copied alone, and that is said no louder than it is known', async () => {
    expect(await shown({ copy: true })).toMatchObject({
      copied: '*737*1#',
      stdout: expect.stringMatching(/^uid +act\.A\.b\n/),
      ended: { notice: ['Copied the code to dial, if this terminal lets programs copy.'] },
    });
  });

  it('is the message in place of the record, which is copied then', async () => {
    expect(await shown({ copy: true, share: true })).toMatchObject({
      copied: 'Dial: *737*1#',
      stdout: 'Dial: *737*1#\n',
    });
  });

  it('is nothing on stdout where there is nothing to send', async () => {
    expect(await shown({ copy: true, share: true }, terminal(), NOTHING)).toEqual({
      copied: undefined,
      stdout: '',
      ended: {
        notice: [
          'Nothing to send to the customer: act.A.b asks nothing of the customer (processing).',
          'Nothing was copied: there is no account number and no code to dial.',
        ],
      },
    });
  });

  it('is not copied without a terminal', async () => {
    expect((await shown({ copy: true }, pipe())).ended).toEqual({
      notice: ['Nothing was copied: this is no terminal.'],
    });
  });
});
