import type { Sabotage } from '../sabotage.ts';

/** A sabotage, and the suite that must detect it. */
export interface Caught {
  readonly sabotage: Sabotage;
  readonly by: string;
}

const TRANSACTION = 'src/ledger/postgres/transaction.ts';

export const SABOTAGES: readonly Caught[] = [
  {
    sabotage: {
      name: 'no lock',
      file: TRANSACTION,
      from: '...(keys.length === 0 ? [] : [lockStatement(keys)])',
      to: '',
    },
    by: 'orders',
  },
  {
    sabotage: {
      name: 'the look before the lock',
      file: TRANSACTION,
      from: `  const statements = [
    ...(keys.length === 0 ? [] : [lockStatement(keys)]),
    \`SELECT \${clockSql()}, \${isWholeSql}\`,
    ...texts,
  ];
  const { answers } = await session.run(\`\${beginning(limits)}\\n\${statements.join(';\\n')}\`, limits.answer);`,
      to: `  const statements = [\`SELECT \${clockSql()}, \${isWholeSql}\`, ...texts, ...(keys.length === 0 ? [] : [lockStatement(keys)])];
  const { answers: all } = await session.run(\`\${beginning(limits)}\\n\${statements.join(';\\n')}\`, limits.answer);
  const answers = keys.length === 0 ? all : all.slice(0, -1);`,
    },
    by: 'orders',
  },
  {
    sabotage: {
      name: 'a snapshot for the whole transaction',
      file: TRANSACTION,
      from: 'ISOLATION LEVEL READ COMMITTED',
      to: 'ISOLATION LEVEL REPEATABLE READ',
    },
    by: 'orders',
  },
  {
    sabotage: {
      name: 'an unanswered commit asked about without the lock',
      file: TRANSACTION,
      from: '[lockStatement(keys)]',
      to: '(earlier.size > 0 ? [] : [lockStatement(keys)])',
    },
    by: 'held',
  },
  {
    sabotage: {
      name: 'an unanswered commit taken for none',
      file: TRANSACTION,
      from: 'earlier = attempt;',
      to: '',
    },
    by: 'frozen at commits',
  },
  {
    sabotage: {
      name: 'a commit that warns taken for one',
      file: TRANSACTION,
      from: 'warnings.length > 0 &&',
      to: 'false &&',
    },
    by: 'warned',
  },
  {
    sabotage: {
      name: 'a commit that does not wait for the disk',
      file: TRANSACTION,
      from: "synchronous_commit = 'on'",
      to: "synchronous_commit = 'off'",
    },
    by: 'stopped at commits',
  },
  {
    sabotage: {
      name: 'a commit that was rolled back taken for one',
      file: TRANSACTION,
      from: "if (said !== 'COMMIT')",
      to: 'if (said === undefined)',
    },
    by: 'rolled back at commits',
  },
  {
    sabotage: {
      name: 'no copy of what was begun here',
      file: 'src/ledger/postgres/backend.ts',
      from: 'shadow.keep(intents)',
      to: 'undefined',
    },
    by: 'restored',
  },
];
