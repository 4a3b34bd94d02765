import type { FaultRule } from '../../contract/fault-rule.ts';

/** A fault that can be turned on and off. */
export interface Switch {
  readonly name: string;
  readonly label: string;
  readonly about: string;
  readonly effect: FaultRule;
}

export const SWITCHES: readonly Switch[] = [
  {
    name: 'lost',
    label: 'Lose the answer',
    about: 'The request is executed, then the connection is cut: the client cannot know.',
    effect: { reset: true, when: 'after' },
  },
  {
    name: 'slow',
    label: 'Slow',
    about: 'The answer comes 5 seconds late.',
    effect: { delay: '5s' },
  },
  {
    name: 'limited',
    label: 'Too many requests',
    about: '429 with Retry-After: 2; nothing is executed.',
    effect: { status: 429, retry_after: 2 },
  },
  {
    name: 'after',
    label: 'Error after the commit',
    about: 'The request is executed, and the client hears 500.',
    effect: { status: 500, when: 'after' },
  },
  {
    name: 'down',
    label: 'Out of service',
    about: '503; nothing is executed.',
    effect: { status: 503 },
  },
];

/** Which requests a switch is for. */
export const SCOPES: Readonly<Record<string, { readonly label: string; readonly rule: FaultRule }>> = {
  charges: { label: 'charges', rule: { method: 'POST', path: '/v1/ugwo/*/activities' } },
  reads: { label: 'reads', rule: { method: 'GET' } },
  all: { label: 'all', rule: {} },
};

/** The rule that a switch stands for. */
export const ruleOf = ({ effect }: Switch, scope: string, once: boolean): FaultRule => ({
  ...SCOPES[scope]?.rule,
  ...(once ? { times: 1 } : {}),
  ...effect,
});

const effectOf = ({ method: _m, path: _p, share: _s, times: _t, ...effect }: FaultRule): string =>
  JSON.stringify(Object.entries(effect).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** The switch that a rule is, whoever has set it. */
export const switchOf = (rule: FaultRule): Switch | undefined =>
  SWITCHES.find(({ effect }) => effectOf(effect) === effectOf(rule));
