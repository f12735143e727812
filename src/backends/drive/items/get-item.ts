import type { Op } from '../../../core/remote.ts';
import type { GraphClient } from '../client/graph-client.ts';
import { saysMissing } from '../client/graph-error.ts';
import { badAnswer } from '../client/graph-request.ts';
import { type ItemAddress, requestPath } from './address.ts';
import { differs, wantedAt } from './check-item.ts';
import type { GraphItem } from './graph-item.ts';

/** The item at an address. Rejects with `bad-answer` where the answer tells of another one. */
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

/** As `getItem`; `undefined` where the service says that there is none. */
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
