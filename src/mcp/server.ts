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
import type { Io } from '../core/io.ts';
import { isJsonObject } from '../core/json.ts';

export type { Tool } from '@modelcontextprotocol/server';

/** The client's ability to ask a person, and the answer if it asked. Neither can be trusted. */
export interface Caller {
  readonly elicits: boolean;
  readonly answer: unknown;
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

const callerOf = (server: Server, { mcpReq }: ServerContext): Caller => {
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

const resultOf = (answer: ToolAnswer) => {
  if ('text' in answer) return { content: [{ type: 'text' as const, text: answer.text }], isError: answer.isError };
  const requestedSchema = { type: 'object' as const, properties: {} };
  const asked = inputRequired.elicit({ message: answer.question, requestedSchema });
  return inputRequired({ inputRequests: { [QUESTION]: asked } });
};

/** Serves MCP on the standard streams. Resolves once the client has closed its side and every call has ended. */
export const serveMcp = async (box: ToolBox, { stdin, stdout }: Pick<Io, 'stdin' | 'stdout'>): Promise<void> => {
  const running = new Set<Promise<unknown>>();
  const factory = (): Server => {
    const { version, instructions } = box;
    const server = new Server({ name: 'paycli', version }, { capabilities: { tools: {} }, instructions });
    server.setRequestHandler('tools/list', () => ({ tools: [...box.tools] }));
    server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }, context) => {
      const call = box.call(name, given, callerOf(server, context));
      running.add(call);
      const answer = await call.finally(() => running.delete(call));
      if (answer === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${name}`);
      return resultOf(answer);
    });
    return server;
  };
  const input = Readable.from(stdin.bytes());
  const output = new Writable({
    decodeStrings: false,
    write: (text, _encoding, done) => void stdout.write(text).then(() => done(), done),
  });
  const ended = new Promise<void>((resolve, reject) => {
    input.once('close', resolve).once('error', reject);
  });
  serveStdio(factory, { transport: new StdioServerTransport(input, output) });
  // A charge under way is recorded even if nobody reads its answer.
  await ended.finally(() => Promise.allSettled(running));
};
