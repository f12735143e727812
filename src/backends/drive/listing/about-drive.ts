import type { About, Op } from '../../../core/remote.ts';
import { badAnswer } from '../client/graph-request.ts';
import { isSameId } from '../items/check-item.ts';
import type { DriveStore } from '../store.ts';

/** The space of the drive, as far as the service tells it. */
export async function aboutDrive(store: DriveStore, op: Op): Promise<About> {
  const { id } = await store.drive(op);
  const to = `/drives/${encodeURIComponent(id)}`;
  const request = { method: 'GET', to, doing: 'ask for', about: 'the space of the drive' } as const;
  const { json } = await store.client.call(request, op);
  if (!isSameId(typeof json['id'] === 'string' ? json['id'] : undefined, id)) {
    throw badAnswer(request, 'the response is for another drive');
  }
  const quota = (json['quota'] ?? {}) as Readonly<Record<string, unknown>>;
  const bytes = (name: string) => (typeof quota[name] === 'number' ? quota[name] : undefined);
  const [total, used, free, trashed] = [
    bytes('total'),
    bytes('used'),
    bytes('remaining'),
    bytes('deleted'),
  ];
  return {
    // Drives without a limit tell 0.
    ...(total === undefined || total === 0 ? {} : { total }),
    ...(used === undefined ? {} : { used }),
    ...(free === undefined || !total ? {} : { free }),
    ...(trashed === undefined ? {} : { trashed }),
  };
}
