/** Output schema of each command. A missing command fails `test/structure/reference.test.ts`. */
import { activityView } from '../../src/commands/activity/view.ts';
import { checkoutView, providerView } from '../../src/commands/checkout/checkout.ts';
import { settingView } from '../../src/commands/config/settings.ts';
import { checkView } from '../../src/commands/doctor/doctor.ts';
import {
  deliveryView,
  faultView,
  movedClockView,
  resetView,
  seededView,
  serviceView,
  settledView,
  triggeredView,
  webhookView,
} from '../../src/commands/emulator/emulator.ts';
import { matchView, paymentSumsView } from '../../src/commands/ledger/view.ts';
import { onyeView } from '../../src/commands/onye/view.ts';
import { policyView } from '../../src/commands/policy/policies.ts';
import { identityView, profileView } from '../../src/commands/profile/profiles.ts';
import { refundView } from '../../src/commands/refund/create.ts';
import { chargesView, ugwoView, wholeUgwoView } from '../../src/commands/ugwo/view.ts';
import { replayedView } from '../../src/commands/webhook/events.ts';
import type { View } from '../../src/core/result.ts';
import { changesView } from '../../src/records/change.ts';
import { hitView } from '../../src/records/entry.ts';
import { eventListView, eventView, receivedView, refusedView, verifiedEventView } from '../../src/records/event.ts';
import { jobsView, jobView } from '../../src/records/job.ts';
import { sentRefundsView, sentRefundView } from '../../src/records/refund.ts';
import type { JsonSchema } from '../json-schema.ts';
import { anything, bool, count, instant, listOf, OWN, objectOf, ref, text } from './own.ts';

/** One output of a command: a record or a list. `view` has the names for --columns. */
export interface Output {
  readonly record: JsonSchema;
  readonly list: boolean;
  readonly columns: readonly string[];
}

const columnsOf = (view: View | readonly string[]): readonly string[] =>
  'columns' in view ? view.columns.filter(({ peopleOnly }) => peopleOnly !== true).map(({ path }) => path) : view;

const one = (record: string | JsonSchema, view: View | readonly string[] = []): Output => ({
  record: typeof record === 'string' ? ref(record) : record,
  list: false,
  columns: columnsOf(view),
});
const list = (record: string | JsonSchema, view: View | readonly string[]): Output => ({
  ...one(record, view),
  list: true,
});

const ENTRY_COLUMNS = Object.keys(OWN.Entry['properties'] as object);
const ENTRY = one('Entry', ENTRY_COLUMNS);
const STATUS = Object.keys(OWN.Status['properties'] as object);
const JOB = one('Job', jobView);
const PROFILE = one('Profile', profileView);
const POLICY = one('Policy', policyView);
const SUMMARY = one('Summary', chargesView);
const SENT_EVENT = one(
  objectOf({ uid: text, event: text, to: text, answer: { type: ['integer', 'string'] }, ms: count }),
  replayedView,
);
const WEBHOOK = one(objectOf({ id: count, url: text, events: listOf(text), signed: bool }), webhookView);
const OWN_OBJECT: JsonSchema = { type: 'object' };

const fields = (members: Readonly<Record<string, JsonSchema>>): Output =>
  one(
    objectOf(members),
    Object.keys(members).map((name) => name.replace('?', '')),
  );

export const OUTPUTS: Readonly<Record<string, readonly Output[]>> = {
  'ugwo create': [one('Ugwo', ugwoView), SUMMARY],
  'ugwo charge': [one('Activity', activityView), SUMMARY],
  'ugwo get': [one('UgwoWithActivities', wholeUgwoView)],
  'ugwo list': [list('Ugwo', ugwoView)],
  'ugwo cancel': [one('Ugwo', ugwoView)],
  'activity get': [one('Activity', activityView)],
  'activity wait': [one('Activity', activityView)],
  'onye create': [one('Onye', onyeView), SUMMARY],
  'onye update': [one('Onye', onyeView), SUMMARY],
  'onye get': [one('Onye', onyeView)],
  'onye list': [list('Onye', onyeView)],
  'onye delete': [one('Onye', onyeView)],
  'refund create': [one('Refund', refundView), SUMMARY],
  'refund list': [list('SentRefund', sentRefundsView)],
  'refund get': [one('SentRefund', sentRefundView)],
  'checkout list': [list('Checkout', checkoutView)],
  'checkout get': [one('Checkout', checkoutView)],
  'checkout providers': [list(OWN_OBJECT, providerView)],
  api: [one(anything)],
  status: [one('Status', STATUS), list('Status', STATUS)],
  find: [list('Hit', hitView)],
  watch: [list('Change', changesView)],
  'ledger list': [list('Entry', ENTRY_COLUMNS)],
  'ledger jobs': [list('Job', jobsView(false))],
  'ledger show': [ENTRY, JOB],
  'ledger sync': [list('Sum', paymentSumsView)],
  'ledger resolve': [ENTRY],
  'ledger report': [list('Report', Object.keys(OWN.Report['properties'] as object))],
  'ledger match': [one('Statement', Object.keys(OWN.Statement['properties'] as object)), list('Match', matchView)],
  'ledger backup': [fields({ file: text, bytes: count, entries: count })],
  'ledger verify': [fields({ ok: bool, entries: count, jobs: count, faults: listOf(text) })],
  'ledger prune': [fields({ before: text, pruned: count, open: count, events: count })],
  'ledger status': [
    one('LedgerStatus', [
      'kind',
      'at',
      'from',
      'schema',
      'version',
      'user',
      'owner',
      'standbys',
      'settings',
      'warnings',
    ]),
  ],
  'ledger use': [fields({ name: text, ledger: { type: ['string', 'null'] } })],
  'ledger init': [fields({ at: text, made: bool, schema: count, operators: listOf(text) })],
  'ledger migrate': [fields({ at: text, from: count, to: count })],
  'ledger push': [fields({ at: text, charges: count, jobs: count, updates: count, known: count, kept: listOf(text) })],
  'policy list': [list('Policy', policyView)],
  'policy show': [POLICY],
  'policy set': [POLICY],
  'policy remove': [POLICY],
  approve: [JOB],
  'webhook listen': [list('ToldEvent', receivedView)],
  'webhook verify': [one('VerifiedEvent', verifiedEventView)],
  'webhook events list': [list('ListedEvent', eventListView), list('RefusedDelivery', refusedView)],
  'webhook events show': [one('WholeEvent', eventView)],
  'webhook events replay': [SENT_EVENT],
  'webhook trigger': [SENT_EVENT, { ...fields({ event: text }), list: true }],
  'webhook prune': [fields({ before: text, pruned: count, waiting: count, refused: count })],
  login: [PROFILE],
  'profile list': [list('Profile', profileView)],
  'profile show': [one('Identity', identityView)],
  'profile use': [PROFILE],
  'profile rename': [PROFILE],
  'profile remove': [PROFILE],
  'config list': [list('Setting', settingView)],
  'config get': [one('Setting', settingView)],
  'config set': [one('Setting', settingView)],
  'config unset': [one('Setting', settingView)],
  doctor: [list('Finding', checkView)],
  'emulator start': [
    one(
      objectOf({ origin: text, key: text, data: text, public_key: text, control_token: text, console: text }),
      serviceView,
    ),
  ],
  'emulator seed': [one(objectOf({ customers: count, ugwo: count, data: text }), seededView)],
  'emulator settle': [one({ allOf: [ref('Activity')], properties: { due: instant } }, settledView)],
  'emulator clock': [one(objectOf({ now: instant, moved: { type: 'integer' } }), movedClockView)],
  'emulator faults': [list({ type: 'object', required: ['seen', 'fired'] }, faultView)],
  'emulator webhook add': [WEBHOOK],
  'emulator webhook list': [{ ...WEBHOOK, list: true }],
  'emulator webhook remove': [WEBHOOK],
  'emulator webhook trigger': [
    one(objectOf({ event: text, event_uid: text, about: text, webhooks: count }), triggeredView),
  ],
  'emulator webhook deliveries': [list('Delivery', deliveryView)],
  'emulator reset': [one(objectOf({ data: text }), resetView)],
  version: [one(objectOf({ version: text }))],
  mcp: [one(OWN_OBJECT)],
  schema: [one(OWN_OBJECT)],
  completion: [
    one(text),
    fields({ shell: text, file: { type: ['string', 'null'] }, startup_file: { type: ['string', 'null'] } }),
  ],
};
