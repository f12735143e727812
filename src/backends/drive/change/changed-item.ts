import type { Op } from '../../../core/remote.ts';
import { badAnswer, type GraphRequest } from '../client/graph-request.ts';
import type { Address } from '../items/address.ts';
import { differs, type WantedItem } from '../items/check-item.ts';
import { getItem } from '../items/get-item.ts';
import type { GraphItem } from '../items/graph-item.ts';
import type { DriveStore } from '../store.ts';

/**
 * Changes an item, and resolves to what it then is. Where the answer does not prove the change, the service is asked for
 * the item. Rejects with `bad-answer` where that does not prove it either.
 *
 * @param address where the item is after the change
 */
export async function changedItem(
  store: DriveStore,
  address: Address,
  request: GraphRequest,
  wanted: WantedItem,
  op: Op,
): Promise<GraphItem> {
  const { json } = await store.client.call(request, op);
  if (differs(json, wanted) === undefined) return json;
  const item = await getItem(store.client, address, request.about, op);
  const wrong = differs(item, wanted);
  if (wrong === undefined) return item;
  throw badAnswer(request, `the response is inconsistent: ${wrong}`);
}
