import type { Answer, Asked } from './http.ts';

type Params = Readonly<Record<string, string>>;

/** Answers one method of a path. A segment of it may end with `{name}`, which stands for any text. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly answer: (asked: Asked, params: Params) => Answer | Promise<Answer>;
}

/** The route of a request with its parameters, or the methods that its path has instead. */
export type Found = { readonly route: Route; readonly params: Params } | { readonly allow: readonly string[] };

const NAMED = /^(.*)\{(\w+)\}$/;

/** What stands where the pattern has names; undefined for a path of another shape. */
const paramsOf = (pattern: string, given: readonly string[]): Params | undefined => {
  const wanted = pattern.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = Object.create(null);
  for (const [index, segment] of wanted.entries()) {
    const text = given[index] ?? '';
    const [, start = segment, name] = NAMED.exec(segment) ?? [];
    if (name === undefined ? text !== segment : text === start || !text.startsWith(start)) return undefined;
    if (name !== undefined) params[name] = text.slice(start.length);
  }
  return params;
};

/** HEAD asks what GET would answer; its text is never sent. */
const methodOf = ({ method }: Asked): string => (method === 'HEAD' ? 'GET' : method);

/** Undefined where nothing has the path. */
export const routeFor = (routes: readonly Route[], asked: Asked): Found | undefined => {
  const allow: string[] = [];
  for (const route of routes) {
    const params = paramsOf(route.path, asked.segments);
    if (params !== undefined && route.method === methodOf(asked)) return { route, params };
    if (params !== undefined) allow.push(route.method);
  }
  return allow.length === 0 ? undefined : { allow };
};
