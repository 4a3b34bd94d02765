import type { DeliveryRule, FaultRule } from '../../contract/fault-rule.ts';

type Rule = FaultRule | DeliveryRule;

/** Targets of rules: client requests, or events sent to webhooks. */
export type Kind = 'requests' | 'events';

/** A fault that can be turned on and off. */
export interface Switch {
  readonly name: string;
  readonly kind: Kind;
  readonly label: string;
  readonly about: string;
  readonly effect: FaultRule | Omit<DeliveryRule, 'event'>;
}

export const SWITCHES: readonly Switch[] = [
  {
    name: 'lost',
    kind: 'requests',
    label: 'Lose the answer',
    about: 'The request is executed, then the connection is cut: the client cannot know.',
    effect: { reset: true, when: 'after' },
  },
  {
    name: 'after',
    kind: 'requests',
    label: 'Error after the commit',
    about: 'The request is executed, and the client hears 500.',
    effect: { status: 500, when: 'after' },
  },
  {
    name: 'slow',
    kind: 'requests',
    label: 'Slow',
    about: 'The answer comes 5 seconds late.',
    effect: { delay: '5s' },
  },
  {
    name: 'limited',
    kind: 'requests',
    label: 'Too many requests',
    about: '429 with Retry-After: 2; nothing is executed.',
    effect: { status: 429, retry_after: 2 },
  },
  {
    name: 'down',
    kind: 'requests',
    label: 'Out of service',
    about: '503; nothing is executed.',
    effect: { status: 503 },
  },
  { name: 'twice', kind: 'events', label: 'Sent twice', about: 'One event, two deliveries.', effect: { twice: true } },
  {
    name: 'order',
    kind: 'events',
    label: 'Out of order',
    about: 'An event is sent behind the one that follows it.',
    effect: { out_of_order: true },
  },
  {
    name: 'late',
    kind: 'events',
    label: 'Late',
    about: 'An event is sent 10 minutes late, by the clock of the emulator.',
    effect: { late: '10m' },
  },
  {
    name: 'forged',
    kind: 'events',
    label: 'Wrong signature',
    about: 'The signature is not of the body.',
    effect: { signature: 'wrong' },
  },
  { name: 'never', kind: 'events', label: 'Never sent', about: 'An event is dropped.', effect: { never: true } },
];

interface Scope {
  readonly label: string;
  readonly rule: Rule;
}

/** Scopes that a switch can apply to. */
export const SCOPES: Readonly<Record<Kind, Readonly<Record<string, Scope>>>> = {
  requests: {
    charges: { label: 'charges', rule: { method: 'POST', path: '/v1/ugwo/*/activities' } },
    reads: { label: 'reads', rule: { method: 'GET' } },
    all: { label: 'all', rule: {} },
  },
  events: {
    all: { label: 'all', rule: { event: '*' } },
    charges: { label: 'of charges', rule: { event: 'ugwo.activity.*' } },
    paid: { label: 'of payment', rule: { event: 'ugwo.successful' } },
  },
};

/** Returns the rule of a switch; undefined for an unknown scope. */
export const ruleOf = ({ kind, effect }: Switch, name: string, once: boolean): Rule | undefined => {
  const scope = Object.hasOwn(SCOPES[kind], name) ? SCOPES[kind][name] : undefined;
  return scope === undefined ? undefined : { ...scope.rule, ...(once ? { times: 1 } : {}), ...effect };
};

const SCOPE_NAMES = ['event', 'method', 'path', 'share', 'times'];

const effectText = (rule: object): string =>
  JSON.stringify(
    Object.entries(rule)
      .filter(([name]) => !SCOPE_NAMES.includes(name))
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );

/** Finds the switch with the effect of this rule, whoever has set the rule. */
export const switchOf = (rule: Rule): Switch | undefined =>
  SWITCHES.find(
    ({ kind, effect }) => kind === ('event' in rule ? 'events' : 'requests') && effectText(effect) === effectText(rule),
  );
