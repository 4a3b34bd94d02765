import { atom } from '../support/activity.ts';
import { ugwoOf, uidOf } from '../support/ids.ts';
import { json, problem, reset, type Seen, type Service, serveAllBy } from '../support/service.ts';
import { MINUTE, SECOND } from '../support/units.ts';

/** Age that a reading may have: replicas show what was true then. */
const LAG_MS = 10 * SECOND;
/** Amount of each payment request, in the minor unit. */
export const ASKED = 90_000;
const LIFE_MS = 15 * MINUTE;

export interface Activity {
  readonly uid: string;
  readonly medium: string;
  /** Amount that it asks the customer for. */
  readonly amount: number;
  status: 'requires_action' | 'successful' | 'failed' | 'partially_refunded' | 'refunded';
  /** Amount that came. */
  charged: number;
  code: string | undefined;
  readonly createdAt: number;
  updatedAt: number;
}

export interface Refund {
  readonly uid: string;
  readonly activity: string;
  readonly amount: number;
  status: 'processing' | 'successful' | 'failed';
}

interface Request {
  readonly uid: string;
  readonly activities: readonly Activity[];
}

/** All that the service knows. */
interface Truth {
  readonly at: number;
  readonly requests: readonly Request[];
}

const BRINGING = ['successful', 'partially_refunded', 'refunded'];
const brings = ({ status }: Activity): boolean => BRINGING.includes(status);
/** Sum that came for a payment request, also if it went back. */
export const totalOf = ({ activities }: Request): number =>
  activities.filter(brings).reduce((sum, { charged }) => sum + charged, 0);

const statusOf = (request: Request): string => {
  if (totalOf(request) >= ASKED) return 'ugwo_successful';
  return request.activities.some(({ status }) => status === 'requires_action') ? 'processing' : 'requires_ugwo';
};

const stepOf = ({ medium, createdAt }: Activity): object => ({
  type: 'user_action',
  instruction: 'Pay.',
  headers:
    medium === 'ussd'
      ? { ussd: '*737*000*5000#' }
      : {
          bank_name: 'Wema',
          account_name: 'Shop',
          account_number: '0123456789',
          expires_at: atom(createdAt + LIFE_MS),
        },
});

/** An activity as an answer shows it; without times if the answer is undated. */
const shownActivity = (one: Activity, isDated: boolean): object => ({
  uid: one.uid,
  activity_type: 'charge',
  status: one.status,
  amount: one.amount,
  charged_amount: brings(one) ? one.charged : 0,
  next_action: one.status === 'requires_action' ? stepOf(one) : null,
  error: one.code === undefined ? null : { code: one.code, message: 'The provider says so.' },
  created_at: atom(one.createdAt),
  ...(isDated ? { updated_at: atom(one.updatedAt) } : {}),
});

const shownRequest = (request: Request, isDated: boolean): object => ({
  uid: request.uid,
  ref: request.uid.slice(-4),
  amount: ASKED,
  currency: 'NGN',
  status: statusOf(request),
  total_amount_paid: totalOf(request),
  checkout: { uid: 'chk.AbCd.1' },
  activities: request.activities.map((one) => shownActivity(one, isDated)),
  created_at: atom(Date.UTC(2026, 10, 20, 9)),
});

/** Draws a number from 0 to 1. */
type Draw = () => number;

/**
 * A service whose truth the test changes, and whose answers show a truth up to ten seconds old. Half of them have no
 * times, so that nothing tells their age. It notes each charge and refund that was sent against what its answers had shown.
 */
export class LaggingShop {
  readonly requests: { readonly uid: string; readonly activities: Activity[] }[];
  readonly refunds: Refund[] = [];
  /** Charges and refunds that should not have been sent. */
  readonly wrongs: string[] = [];
  posts = 0;
  #lags = true;
  #time = Date.UTC(2026, 10, 20, 10);
  #past: Truth[] = [];
  /** Activities that a read of them, or of their payment request, has shown as paid. */
  readonly #shownPaid = new Set<string>();
  readonly #draw: Draw;

  constructor(count: number, draw: Draw) {
    this.#draw = draw;
    this.requests = Array.from({ length: count }, (_, n) => ({
      uid: ugwoOf(n + 1),
      activities: [],
    }));
    this.#remember();
  }

  readonly now = (): number => this.#time;

  get activities(): readonly Activity[] {
    return this.requests.flatMap(({ activities }) => activities);
  }

  open(): Promise<Service> {
    return serveAllBy((seen) => (seen.method === 'GET' ? this.#read(seen) : this.#write(seen)));
  }

  pass(ms: number): void {
    this.#time += ms;
  }

  /** Lets 40 minutes pass. All replicas show the truth from then on. */
  catchUp(): void {
    this.#time += 40 * MINUTE;
    this.#lags = false;
  }

  requestOf(activity: Activity): Request {
    return this.requests.find(({ activities }) => activities.includes(activity)) as Request;
  }

  /** Changes an activity as the provider does. */
  change(activity: Activity, to: Partial<Activity>): void {
    Object.assign(activity, to, { updatedAt: this.#time });
    this.#remember();
  }

  /** Ends a refund that is under way. */
  end(refund: Refund, status: 'successful' | 'failed'): void {
    refund.status = status;
    const activity = this.activities.find(({ uid }) => uid === refund.activity) as Activity;
    const back = this.#sumOf(activity.uid, 'successful');
    if (status === 'successful')
      this.change(activity, { status: back >= activity.charged ? 'refunded' : 'partially_refunded' });
  }

  #sumOf(activity: string, ...states: readonly string[]): number {
    const counted = this.refunds.filter((one) => one.activity === activity && states.includes(one.status));
    return counted.reduce((sum, { amount }) => sum + amount, 0);
  }

  #remember(): void {
    this.#past.push(structuredClone({ at: this.#time, requests: this.requests }));
  }

  /** The truth at this time. */
  #truthAt(at: number): Truth {
    return (this.#past.findLast((one) => one.at <= at) ?? this.#past[0]) as Truth;
  }

  #read({ url }: Seen) {
    const isDated = !this.#lags || this.#draw() < 0.5;
    const { requests } = this.#truthAt(this.#time - (this.#lags ? Math.floor(this.#draw() * LAG_MS) : 0));
    const headers: Record<string, string> = isDated ? { date: new Date(this.#time).toUTCString() } : {};
    const [, uid, activity] = /^\/v1\/ugwo\/(ugw\.[^/?]+)(?:\/activities\/(act\.[^/?]+))?/.exec(url) ?? [];
    const shown = uid === undefined ? requests : requests.filter((one) => one.uid === uid);
    // The list only tells `ledger sync` which payment requests to read.
    for (const one of uid === undefined ? [] : shown.flatMap(({ activities }) => activities)) {
      if (brings(one) && (activity === undefined || one.uid === activity)) this.#shownPaid.add(one.uid);
    }
    if (uid === undefined) {
      return this.#undated(
        isDated,
        json(200, { data: requests.map((one) => shownRequest(one, isDated)), next_cursor: null }, headers),
      );
    }
    const [request] = shown as [Request];
    const one = request.activities.find((each) => each.uid === activity);
    if (activity !== undefined && one === undefined) return json(404, { title: 'Not found', status: 404 });
    return this.#undated(
      isDated,
      json(200, one === undefined ? shownRequest(request, isDated) : shownActivity(one, isDated), headers),
    );
  }

  #undated(isDated: boolean, answer: ReturnType<typeof json>): ReturnType<typeof json> {
    return (seen, response, socket) => {
      response.sendDate = isDated;
      answer(seen, response, socket);
    };
  }

  #write({ method, url, body }: Seen) {
    const headers = { date: new Date(this.#time).toUTCString() };
    if (method !== 'POST') return json(404, { title: 'Not found', status: 404 });
    if (url === '/v1/refunds') {
      const refund = this.#refund(JSON.parse(body));
      if (refund === undefined) return problem(422, 'nzube.refund.error.refund_amount_too_high');
      return json(200, refund, headers);
    }
    const uid = /^\/v1\/ugwo\/([^/]+)\/activities$/.exec(url)?.[1];
    const request = this.requests.find((one) => one.uid === uid);
    if (request === undefined) return json(404, { title: 'Not found', status: 404 });
    this.posts += 1;
    this.#judge(request);
    const { medium } = (JSON.parse(body) as { readonly data: { readonly medium: string } }).data;
    const made: Activity = {
      uid: uidOf(this.activities.length + 1),
      medium,
      amount: totalOf(request) < ASKED ? ASKED - totalOf(request) : ASKED,
      status: 'requires_action',
      charged: 0,
      code: undefined,
      createdAt: this.#time,
      updatedAt: this.#time,
    };
    request.activities.push(made);
    this.#remember();
    return this.#draw() < 0.1 ? reset : json(200, shownActivity(made, true), headers);
  }

  /** Notes a charge of a request that is paid, if an answer has shown that, or if each answer would show it by now. */
  #judge(request: Request): void {
    const isKnown = (one: Activity): boolean => {
      const long = this.#truthAt(this.#time - LAG_MS).requests.flatMap(({ activities }) => activities);
      return this.#shownPaid.has(one.uid) || long.some((before) => before.uid === one.uid && brings(before));
    };
    const known = { uid: request.uid, activities: request.activities.filter((one) => brings(one) && isKnown(one)) };
    if (totalOf(known) >= ASKED) this.wrongs.push(`${request.uid} was charged though it is paid`);
  }

  #refund({
    ugwo_activity: uid,
    amount,
  }: {
    readonly ugwo_activity: string;
    readonly amount?: number;
  }): object | undefined {
    const activity = this.activities.find((one) => one.uid === uid) as Activity;
    const before = this.#sumOf(uid, 'processing', 'successful');
    const sum = amount ?? activity.charged;
    if (this.#sumOf(uid, 'processing') > 0) this.wrongs.push(`${uid} was refunded beside an open refund`);
    if (before + sum > activity.charged) return undefined;
    const isRefused = this.#draw() < 0.2;
    const refund: Refund = {
      uid: uidOf(500 + this.refunds.length).replace('act', 'rfd'),
      activity: uid,
      amount: sum,
      status: isRefused ? 'failed' : 'processing',
    };
    this.refunds.push(refund);
    return {
      uid: refund.uid,
      status: refund.status,
      amount: sum,
      currency: 'NGN',
      ugwo_activity: uid,
      created_at: atom(this.#time),
    };
  }
}
