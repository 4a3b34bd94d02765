import type { Column, View } from '../../core/result.ts';

const FOR_PEOPLE: readonly Column[] = [
  { path: 'at', kind: 'time', needed: true },
  { path: 'ugwo', needed: true },
  { path: 'now', kind: 'state', needed: true },
  { path: 'amount', kind: 'money', currency: 'currency', needed: true },
  { path: 'before', kind: 'state', always: true },
  { path: 'status', kind: 'state' },
  { path: 'medium' },
  { path: 'ref', flexible: true, endMatters: true },
  { path: 'charge' },
];

const FOR_PROGRAMS = 'at charge ugwo before now status amount currency medium activity ref job row'.split(' ');

/** A line for each change. */
export const changesView: View = {
  columns: [
    ...FOR_PEOPLE.map((column): Column => ({ label: column.path, ...column, peopleOnly: true })),
    ...FOR_PROGRAMS.map((path): Column => ({ path, machineOnly: true })),
  ],
};

/** How charges stand, in a table that is drawn anew. */
export const boardView: View = {
  columns: [
    { path: 'ugwo', needed: true },
    { path: 'now', kind: 'state', needed: true },
    { path: 'amount', kind: 'money', currency: 'currency', needed: true },
    { path: 'status', kind: 'state', always: true },
    { path: 'medium', always: true },
    { path: 'at', kind: 'time', label: 'changed', peopleOnly: true, always: true },
    { path: 'ref', flexible: true, endMatters: true },
  ],
};
