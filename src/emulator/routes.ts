import type { Answer, Asked } from './exchange.ts';

type Params = Readonly<Record<string, string>>;

/** What answers one method of a path in which `{name}` stands for a segment. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly answer: (asked: Asked, params: Params) => Answer | Promise<Answer>;
}

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** What stands where the pattern has names; undefined for a path of another shape. */
const paramsOf = (pattern: string, path: string): Params | undefined => {
  const [wanted, given] = [pattern.split('/'), path.split('/').map(decoded)];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const [name, text = ''] = [/^\{(\w+)\}$/.exec(segment)?.[1], given[index]];
    if (name === undefined ? segment !== text : text === '') return undefined;
    if (name !== undefined) params[name] = text;
  }
  return params;
};

/** HEAD asks what GET would answer; its text is never sent. */
const methodOf = ({ method }: Asked): string => (method === 'HEAD' ? 'GET' : method);

/** The answer of the route that fits; the methods of those that have another one; undefined where nothing has the path. */
export const answerBy = async (
  routes: readonly Route[],
  asked: Asked,
): Promise<Answer | { readonly allow: readonly string[] } | undefined> => {
  const allow: string[] = [];
  for (const { method, path, answer } of routes) {
    const params = paramsOf(path, asked.url.pathname);
    if (params !== undefined && method === methodOf(asked)) return answer(asked, params);
    if (params !== undefined) allow.push(method);
  }
  return allow.length === 0 ? undefined : { allow };
};
