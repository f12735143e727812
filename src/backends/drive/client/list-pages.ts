import type { Op } from '../../../core/remote.ts';
import type { GraphClient } from './graph-client.ts';
import { badAnswer, type GraphRequest } from './graph-request.ts';

type Json = Readonly<Record<string, unknown>>;
type Asked = Pick<GraphRequest, 'doing' | 'about'>;

/** One page of a list. */
export interface GraphPage {
  readonly items: readonly Json[];
  readonly json: Json;
  readonly next: URL | undefined;
}

/** One page of a list. Rejects with `bad-answer` for anything else, or if it links to itself. */
export async function readPage(
  client: GraphClient,
  to: string | URL,
  asked: Asked,
  op: Op,
): Promise<GraphPage> {
  const { json } = await client.call({ method: 'GET', to, ...asked }, op);
  const { value, '@odata.nextLink': link } = json;
  if (!Array.isArray(value) || !value.every(isObject)) {
    throw badAnswer(asked, 'the response is not a listing');
  }
  if (link === undefined || link === null) return { items: value, json, next: undefined };
  const next = typeof link === 'string' ? URL.parse(link) : null;
  if (next === null) throw badAnswer(asked, 'the response has no next page link');
  if (typeof to !== 'string' && next.href === to.href) throw leadsBack(asked);
  return { items: value, json, next };
}

/** All pages of a list. Rejects with `bad-answer` if they never end. */
export async function* listPages(
  client: GraphClient,
  from: string | URL,
  asked: Asked,
  op: Op,
): AsyncGenerator<GraphPage> {
  const seen = new Set<string>();
  for (let to: string | URL | undefined = from; to !== undefined; ) {
    const page: GraphPage = await readPage(client, to, asked, op);
    yield page;
    to = page.next;
    if (to === undefined) return;
    if (seen.has(to.href)) throw leadsBack(asked);
    seen.add(to.href);
  }
}

/** The items of all pages. */
export async function listAll<T extends object>(
  client: GraphClient,
  to: string,
  asked: Asked,
  op: Op,
): Promise<readonly T[]> {
  const all: Json[] = [];
  for await (const { items } of listPages(client, to, asked, op)) all.push(...items);
  return all as readonly T[];
}

/** The error for a listing whose pages lead back to an earlier one. */
export function leadsBack(asked: Asked) {
  return badAnswer(asked, 'the listing pages form a loop');
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
