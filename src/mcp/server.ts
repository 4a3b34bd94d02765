import { Readable, Writable } from 'node:stream';
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { nextTurn } from '../core/async.ts';
import type { Io } from '../core/io.ts';
import { isJsonObject, parseIfJson } from '../core/json.ts';

export type { Tool } from '@modelcontextprotocol/server';

/** The client's ability to ask a person, and the answer if it asked. Neither can be trusted. */
export interface Caller {
  readonly elicits: boolean;
  readonly answer: unknown;
  /** Aborted once nobody waits for the answer. The reason says who ended the call. */
  readonly signal: AbortSignal;
  /** Tells the client that the call goes on, if it wants to know. */
  readonly tell: (message: string) => void;
}

/** The answer to a call: a text, or a question to the person at the client. The client then repeats the call. */
export type ToolAnswer = { readonly text: string; readonly isError: boolean } | { readonly question: string };

/** Tools, and the function that runs one. */
interface ToolBox {
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly Tool[];
  /** Resolves to undefined if there is no such tool. */
  call(name: string, given: unknown, caller: Caller): Promise<ToolAnswer | undefined>;
}

const QUESTION = 'confirm';

/** Reason of the abort of a call: the client has cancelled it, or left. A signal of the system aborts it, too. */
const CLIENT = 'the client';

const callerOf = (server: Server, { mcpReq }: ServerContext): Pick<Caller, 'elicits' | 'answer'> => {
  // Each request names the capabilities since revision 2026-07-28; before, the first message of a connection did.
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const modes = isJsonObject(declared) ? declared['elicitation'] : undefined;
  const answer = mcpReq.inputResponses?.[QUESTION];
  return {
    // A client that names no mode can show a form.
    elicits: isJsonObject(modes) && ('form' in modes || Object.keys(modes).length === 0),
    answer: isJsonObject(answer) ? answer['action'] : undefined,
  };
};

const toolResult = (answer: ToolAnswer) => {
  if ('text' in answer) return { content: [{ type: 'text' as const, text: answer.text }], isError: answer.isError };
  const requestedSchema = { type: 'object' as const, properties: {} };
  const asked = inputRequired.elicit({ message: answer.question, requestedSchema });
  return inputRequired({ inputRequests: { [QUESTION]: asked } });
};

/** Milliseconds between two messages about the progress of a call. */
const TELL_MS = 1000;

/** Tells the progress of a call to a client that asks for it, at once and then as long as the call runs. */
const openProgress = ({ mcpReq }: ServerContext, signal: AbortSignal) => {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  const tell = (message: string): void => {
    if (progressToken === undefined || signal.aborted) return;
    progress += 1;
    const params = { progressToken, progress, message };
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  tell('started');
  const timer = setInterval(() => tell('still running'), TELL_MS);
  return { tell, end: () => clearInterval(timer) };
};

/** Calls that run at once; the others wait. */
const CALLS_AT_ONCE = 8;

/** Returns a function that runs work, at most so many at once. */
const limitCalls = () => {
  const waiting: (() => void)[] = [];
  let free = CALLS_AT_ONCE;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
};

/** Bytes of the largest message. */
const LONGEST_MESSAGE = 4 * 1024 * 1024;
/** Bytes at both ends of a larger message that are read, to find its id. */
const END_SIZE = 200;

interface Line {
  readonly text: string;
  readonly isWhole: boolean;
}

/** Splits the input into lines. Of a line that is too long, only the ends are kept. */
async function* readMessages(input: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let [parts, size]: [Uint8Array[], number] = [[], 0];
  for await (const chunk of input) {
    let from = 0;
    while (from <= chunk.length) {
      const end = chunk.indexOf(0x0a, from);
      const part = chunk.subarray(from, end === -1 ? chunk.length : end);
      parts.push(part);
      size += part.length;
      const isWhole = size <= LONGEST_MESSAGE;
      if (!isWhole) {
        const all = Buffer.concat(parts);
        parts = [all.subarray(0, END_SIZE), all.subarray(-END_SIZE)];
      }
      if (end === -1) break;
      yield { text: Buffer.concat(parts).toString(), isWhole };
      [parts, size, from] = [[], 0, end + 1];
    }
  }
}

/** Finds the id of a message that is too long: clients write it first or last. */
const ID = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+|"[^"\\]*")|"id"\s*:\s*(\d+|"[^"\\]*")\s*\}\s*$/;

const tooLong = (text: string): string => {
  const [, first, last] = ID.exec(text) ?? [];
  const error = JSON.stringify({ code: -32600, message: `the message is larger than ${LONGEST_MESSAGE} bytes` });
  return `{"jsonrpc":"2.0","id":${first ?? last ?? 'null'},"error":${error}}\n`;
};

/** Members for which clients send null to leave them out. */
const LEFT_OUT = ['params', 'arguments', '_meta'];

const withoutNulls = (text: string): string => {
  const message = /:\s*null\b/.test(text) ? parseIfJson(text) : undefined;
  if (message === undefined) return text;
  return JSON.stringify(message, (name, value) => (value === null && LEFT_OUT.includes(name) ? undefined : value));
};

/**
 * Serves MCP on the standard streams. Once the client has closed its side, or a signal has come, every call is aborted.
 * Resolves when all have ended and their answers are written; after a signal, rejects then.
 */
export const serveMcp = async (box: ToolBox, { stdin, stdout }: Pick<Io, 'stdin' | 'stdout'>): Promise<void> => {
  /** Calls, and answers being written. */
  const running = new Set<Promise<unknown>>();
  const calls = new Set<AbortController>();
  const inTurn = limitCalls();
  let hasLeft = false;
  const track = <T>(work: Promise<T>): Promise<T> => {
    running.add(work);
    return work.finally(() => running.delete(work));
  };
  const write = (text: string): Promise<void> => track(stdout.write(text));

  const runCall = async (name: string, given: unknown, server: Server, context: ServerContext) => {
    const end = new AbortController();
    calls.add(end);
    context.mcpReq.signal.addEventListener('abort', () => end.abort(CLIENT), { once: true });
    if (hasLeft) end.abort(CLIENT);
    const progress = openProgress(context, end.signal);
    try {
      const caller = { ...callerOf(server, context), signal: end.signal, tell: progress.tell };
      return await inTurn(() => box.call(name, given, caller));
    } finally {
      progress.end();
      calls.delete(end);
    }
  };

  const newServer = (): Server => {
    const { version, instructions } = box;
    const server = new Server({ name: 'paycli', version }, { capabilities: { tools: {} }, instructions });
    server.setRequestHandler('tools/list', () => ({ tools: [...box.tools] }));
    server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }, context) => {
      const answer = await track(runCall(name, given, server, context));
      if (answer === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${name}`);
      return toolResult(answer);
    });
    return server;
  };

  const messages = async function* (): AsyncGenerator<Buffer> {
    try {
      for await (const { text, isWhole } of readMessages(stdin.bytes())) {
        if (isWhole) yield Buffer.from(`${withoutNulls(text)}\n`);
        else await write(tooLong(text));
      }
    } finally {
      hasLeft = true;
      for (const call of calls) call.abort(CLIENT);
      // A call that has just arrived is not running yet, and an ended one is not yet answered.
      for (await nextTurn(); running.size > 0; await nextTurn()) await Promise.allSettled(running);
    }
  };
  const input = Readable.from(messages());
  const output = new Writable({
    decodeStrings: false,
    write: (text, _encoding, done) => void write(text).then(() => done(), done),
  });
  const ended = new Promise<void>((resolve, reject) => {
    input.once('close', resolve).once('error', reject);
  });
  serveStdio(newServer, { transport: new StdioServerTransport(input, output) });
  await ended;
};
