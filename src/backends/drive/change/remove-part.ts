import type { Op } from '../../../core/remote.ts';
import { badAnswer, type GraphRequest } from '../client/graph-request.ts';
import type { DriveStore } from '../store.ts';

/** Deletes a part of an item: a version, a permission. Rejects with `bad-answer` where the service did not confirm it. */
export async function removePart(
  store: DriveStore,
  to: string,
  asked: Pick<GraphRequest, 'doing' | 'about'>,
  op: Op,
): Promise<void> {
  const { status } = await store.client.call({ method: 'DELETE', to, ...asked }, op);
  if (status !== 204) throw badAnswer(asked, 'the service did not confirm it');
}
