import { describe, expect, it } from 'vitest';
import { readNextAction } from '../../src/core/charge.ts';
import type { ShareOptions, View } from '../../src/core/result.ts';
import { render } from '../../src/output/render.ts';
import { options, pipe, recordOf, terminal } from './support.ts';

const view: View = { columns: [{ path: 'uid' }], nextAction: readNextAction };
const DIAL = recordOf({ uid: 'act.A.b', status: 'requires_action', next_action: { headers: { ussd: '*737*1#' } } });
const NOTHING = recordOf({ uid: 'act.A.b', status: 'processing', next_action: null });

const shown = async (how: Partial<ShareOptions>, io = terminal(), record = DIAL) => {
  const passOn: ShareOptions = { copy: false, share: false, ...how };
  const ended = await render({ kind: 'record', record, view, passOn }, io, options({ format: 'table' }));
  return { ended, stdout: io.stdout.text, copied: io.stderr.copied ?? io.stdout.copied };
};

describe('--share and --copy', () => {
  it('copy the main value, with a cautious notice', async () => {
    expect(await shown({ copy: true })).toMatchObject({
      copied: '*737*1#',
      stdout: expect.stringMatching(/^uid +act\.A\.b\n/),
      ended: { notice: ['Copied the code to dial, if this terminal lets programs copy.'] },
    });
  });

  it('print the message instead of the record, and copy it', async () => {
    expect(await shown({ copy: true, share: true })).toMatchObject({
      copied: 'Dial: *737*1#',
      stdout: 'Dial: *737*1#\n',
    });
  });

  it('print nothing if the customer has nothing to do', async () => {
    expect(await shown({ copy: true, share: true }, terminal(), NOTHING)).toEqual({
      copied: undefined,
      stdout: '',
      ended: {
        notice: [
          'Nothing to send to the customer: act.A.b asks nothing of the customer (processing).',
          'Nothing was copied: there is no account number and no code to pay with now.',
        ],
      },
    });
  });

  it('copy nothing without a terminal', async () => {
    expect((await shown({ copy: true }, pipe())).ended).toEqual({
      notice: ['Nothing was copied: this is no terminal.'],
    });
  });
});
