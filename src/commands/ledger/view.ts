import { standingOf } from '../../core/charge.ts';
import { readNextAction } from '../../core/next-action.ts';
import { valueAt } from '../../core/path.ts';
import type { Received } from '../../core/received.ts';
import { madeHere } from '../../core/received.ts';
import { formatDateAtom } from '../../core/time.ts';
import type { Charge } from '../../ledger/ledger.ts';
import type { Column, View } from '../../output/view.ts';

const atom = (ms: number | undefined): string | null => (ms === undefined ? null : formatDateAtom({ ms, offset: 0 }));

/** A charge as a row of output (cli.md, ledger): null for what is not there. */
export const recordOf = (charge: Charge): Received =>
  madeHere({
    id: charge.id,
    state: charge.state,
    ugwo: charge.ugwo,
    medium: charge.medium,
    origin: charge.origin,
    profile: charge.profile ?? null,
    activity: charge.activity?.uid ?? null,
    // A person who names an activity does not know how it stands.
    status: charge.activity?.status || null,
    next_action: charge.activity?.nextAction ?? null,
    job: charge.job ?? null,
    row: charge.row ?? null,
    created_at: atom(charge.createdAt),
    settled_at: atom(charge.settledAt),
    exit_code: charge.exitCode ?? null,
    evidence: charge.evidence,
    provider: charge.provider ?? null,
    phone: charge.phone ?? null,
  });

const created: Column = { path: 'created_at', kind: 'time', label: 'created' };
const settled: Column = { path: 'settled_at', kind: 'time', label: 'settled' };
const exitCode: Column = { path: 'exit_code', label: 'exit code' };

/** Charges in a list. */
export const listView: View = {
  columns: [
    { path: 'id' },
    { path: 'state', kind: 'state' },
    { path: 'ugwo', flexible: true },
    { path: 'medium' },
    { path: 'activity', flexible: true, always: true },
    { path: 'status', kind: 'state', always: true },
    created,
    { path: 'origin', machineOnly: true },
    { path: 'profile', machineOnly: true },
    { path: 'job', machineOnly: true },
    { path: 'row', machineOnly: true },
    { ...settled, machineOnly: true },
    { ...exitCode, machineOnly: true },
  ],
};

const stillToDo = (value: unknown): boolean =>
  valueAt(value, 'state') === 'accepted' && standingOf(String(valueAt(value, 'status'))) === 'open';

/** One charge with all that was seen of it. */
export const chargeView: View = {
  columns: [
    { path: 'id' },
    { path: 'state', kind: 'state' },
    { path: 'ugwo', label: 'payment request' },
    { path: 'medium' },
    { path: 'provider' },
    { path: 'phone' },
    { path: 'activity' },
    { path: 'status', kind: 'state' },
    { path: 'origin' },
    { path: 'profile' },
    { path: 'job' },
    { path: 'row' },
    created,
    settled,
    exitCode,
    { path: 'next_action', machineOnly: true },
    { path: 'evidence', machineOnly: true },
  ],
  nextAction: (value) => (stillToDo(value) ? readNextAction(value) : undefined),
  lists: [
    {
      path: 'evidence',
      heading: 'what was seen',
      columns: [
        { path: 'at', kind: 'time' },
        { path: 'kind' },
        { path: 'found' },
        { path: 'status' },
        { path: 'message', flexible: true },
        { path: 'why', flexible: true },
        { path: 'as' },
        { path: 'by', flexible: true },
        { path: 'reason', flexible: true },
        { path: 'candidates', flexible: true },
      ],
    },
  ],
};

/** Whole rows. */
export const exportView: View = {
  columns: [
    'id',
    'state',
    'ugwo',
    'medium',
    'origin',
    'profile',
    'activity',
    'status',
    'next_action',
    'job',
    'row',
    'created_at',
    'settled_at',
    'exit_code',
    'evidence',
    'provider',
    'phone',
  ].map((path) => ({ path })),
};
