import { PassThrough } from 'node:stream';
import { Client, type JSONRPCMessage, type RequestOptions, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { IS_HERE, PROGRAM } from '../support/built.ts';
import { here } from '../support/in-process.ts';
import { environment, keep, newFolder, type RunOptions } from '../support/program.ts';

/** The current revision of the protocol, and the ones that begin with a handshake. */
export const ERAS = ['auto', 'legacy'] as const;

interface ConnectOptions extends RunOptions {
  /** Starts the built program; otherwise the server runs in this process. */
  readonly built?: true;
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

const toProcess = (args: readonly string[], options: RunOptions): Transport => {
  const [command = '', ...rest] = [...PROGRAM, ...args];
  const env = environment(options);
  return new StdioClientTransport({ command, args: rest, cwd: newFolder('cwd'), env, stderr: 'pipe' });
};

const toThisProcess = (args: readonly string[], options: RunOptions): Transport => {
  const stdin = new PassThrough();
  let [open, ended]: [string, Promise<unknown>] = ['', Promise.resolve()];
  const wrote = (text: string): void => {
    const lines = (open + text).split('\n');
    open = lines.pop() ?? '';
    for (const line of lines) transport.onmessage?.(JSON.parse(line) as JSONRPCMessage);
  };
  const transport: Transport = {
    start: async () => {
      ended = here(args, options, { stdin, wrote }).finally(() => transport.onclose?.());
    },
    send: async (message) => void stdin.write(`${JSON.stringify(message)}\n`),
    close: async () => {
      stdin.end();
      await ended;
    },
  };
  return transport;
};

/** Runs `paycli mcp` and connects a client of others to it. */
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
  const open = options.built === true || !IS_HERE ? toProcess : toThisProcess;
  await client.connect(open(['mcp', ...args], options));
  onTestFinished(() => client.close());
  return {
    revision: client.getNegotiatedProtocolVersion(),
    questions,
    tools: () => client.listTools(),
    close: () => client.close(),
    call: async (name, given = {}, how = {}) => ended(await client.callTool({ name, arguments: given }, how)),
  };
};
