import { defineCommand, option } from '../../cli/define.ts';
import { asOneOf } from '../../cli/options.ts';

export const mcpCommand = defineCommand({
  path: ['mcp'],
  danger: 'money',
  summary: 'serve tools to an agent over MCP, on stdin and stdout',
  description:
    'For agents without a shell. Agents with a shell use the commands. It is read-only. With --allow money an agent can also ' +
    'update customers, and charge payment requests in two steps: a plan, then its confirmation within ten minutes, ' +
    'once. --allow money needs --profile or --local, and works with that profile alone. At a live service a person ' +
    'also has to type `paycli approve plan-…` on a terminal. The limits of `paycli policy set` apply.',
  input: {
    allow: option('--allow <what>', 'money: also update customers and charge', asOneOf(['money'] as const)),
  },
  examples: {
    'list the tools, as a client would': `echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | paycli mcp`,
    'let an agent charge the built-in service': `echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | paycli mcp --local --allow money`,
  },
  output: 'messages of the Model Context Protocol',
  exits: ['usage', 'auth', 'ledger', 'interrupted'],
  endless: true,
  reminds: false,
  load: async () => ({ run: (await import('./mcp.ts')).serveTools }),
});
