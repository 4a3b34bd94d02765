import { Client, type RequestOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { PROGRAM } from '../support/built.ts';
import { environment, keep, newFolder, type RunOptions } from '../support/program.ts';

/** The current revision of the protocol, and the ones that begin with a handshake. */
export const ERAS = ['auto', 'legacy'] as const;

interface ConnectOptions extends RunOptions {
  /** `auto` starts a second server, to ask for the revision; the default doesn't. */
  readonly era?: (typeof ERAS)[number];
  /** How the client answers every question; without this it declares that it can't ask any. */
  readonly answers?: 'accept' | 'decline' | 'cancel';
}

export interface ToolEnd {
  readonly isError: boolean;
  readonly text: string;
  /** The text as JSON. */
  readonly json: Record<string, unknown>;
}

export interface Agent {
  readonly revision: string | undefined;
  /** What the client was asked to show to a person. */
  readonly questions: string[];
  tools(): ReturnType<Client['listTools']>;
  /** An aborted signal cancels the call. */
  call(name: string, given?: Record<string, unknown>, options?: RequestOptions): Promise<ToolEnd>;
  /** Closes the server's standard input, and waits until it has ended. */
  close(): Promise<void>;
}

const ended = (result: { readonly content?: unknown; readonly isError?: boolean | undefined }): ToolEnd => {
  const [{ text = '' } = {}] = result.content as { readonly text?: string }[];
  keep(text);
  const json = text.startsWith('{') && !text.includes('\n{"error"') ? (JSON.parse(text) as ToolEnd['json']) : {};
  return { isError: result.isError === true, text, json };
};

/** Starts `paycli mcp` and connects a client of others to it. */
export const connect = async (args: readonly string[], options: ConnectOptions = {}): Promise<Agent> => {
  const { era = 'legacy', answers } = options;
  const client = new Client(
    { name: 'an-agent', version: '1.0.0' },
    {
      capabilities: answers === undefined ? {} : { elicitation: {} },
      versionNegotiation: { mode: era },
    },
  );
  const questions: string[] = [];
  if (answers !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message);
      return { action: answers, content: {} };
    });
  }
  const [command = '', ...rest] = [...PROGRAM, 'mcp', ...args];
  const transport = new StdioClientTransport({
    command,
    args: rest,
    cwd: newFolder('cwd'),
    env: environment(options),
    stderr: 'pipe',
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    revision: client.getNegotiatedProtocolVersion(),
    questions,
    tools: () => client.listTools(),
    close: () => client.close(),
    call: async (name, given = {}, how = {}) => ended(await client.callTool({ name, arguments: given }, how)),
  };
};
