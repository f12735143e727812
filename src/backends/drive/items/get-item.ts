import { hasCode } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import type { GraphClient } from '../client/graph-client.ts';
import { saysMissing } from '../client/graph-error.ts';
import { badAnswer } from '../client/graph-request.ts';
import type { GraphItem } from './graph-item.ts';
import { type ItemAddress, type ItemId, requestPath } from './item-address.ts';
import { differs, wantedAt } from './wanted-item.ts';

/** The item at an address. Rejects with `bad-answer` if the response is about another one. */
export async function getItem(
  client: GraphClient,
  address: ItemAddress,
  about: string,
  op: Op,
): Promise<GraphItem> {
  const request = { method: 'GET', to: requestPath(address), doing: 'look for', about } as const;
  const { json } = await client.call(request, op);
  const wrong = differs(json, wantedAt(address));
  if (wrong !== undefined) throw badAnswer(request, `the response is inconsistent: ${wrong}`);
  return json;
}

/** As `getItem`; `undefined` if the service reports that there is none. */
export async function findItem(
  client: GraphClient,
  address: ItemAddress,
  about: string,
  op: Op,
): Promise<GraphItem | undefined> {
  try {
    return await getItem(client, address, about, op);
  } catch (thrown) {
    if (saysMissing(thrown)) return undefined;
    throw thrown;
  }
}

/** `undefined` if it is not visible: a shared item shows its content, and not its parents. */
export async function lookAt(
  client: GraphClient,
  item: ItemId,
  op: Op,
): Promise<GraphItem | undefined> {
  try {
    return await findItem(client, { ...item, rest: '' }, 'the directory above', op);
  } catch (thrown) {
    if (hasCode(thrown, 'access-denied')) return undefined;
    throw thrown;
  }
}
