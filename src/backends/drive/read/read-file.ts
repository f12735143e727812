import { SyncerError } from '../../../core/errors.ts';
import type { Body, FileEntry, Op, ReadRange } from '../../../core/remote.ts';
import { hasStatus } from '../client/graph-error.ts';
import { requestPath } from '../items/address.ts';
import { addressOf } from '../items/item-of.ts';
import type { DriveStore } from '../store.ts';
import { readUrl, takeBody } from './read-url.ts';

/** So often a new URL is asked for, where the service does not take the one it has just given. */
const MOST_URLS = 3;

/**
 * The content of a file or a range of it, by the URL that a listing gave for it, or by a new one where that is no
 * longer good. Rejects with `file-not-found`.
 */
export async function readFile(
  store: DriveStore,
  file: FileEntry,
  range: ReadRange | undefined,
  op: Op,
): Promise<Body> {
  op.signal.throwIfAborted();
  const { id = file.path, path } = file;
  for (let urls = 1; ; urls++) {
    const url = store.downloadUrls.get(id) ?? (await askForUrl(store, file, range, op));
    if (typeof url !== 'string') return url;
    store.downloadUrls.keep(id, url);
    try {
      return await readUrl(
        store.client,
        { url: urlIn(url, path), path, size: file.size, range },
        op,
      );
    } catch (thrown) {
      store.downloadUrls.forget(id);
      // From such a URL these mean that its time is over.
      const isOver = hasStatus(thrown, 401, 403, 404, 410);
      if (!isOver || thrown.codes.includes('malwareDetected') || urls >= MOST_URLS) throw thrown;
    }
  }
}

/** A new URL; or the content itself, where the service gives it at once. */
async function askForUrl(
  store: DriveStore,
  file: FileEntry,
  range: ReadRange | undefined,
  op: Op,
): Promise<string | Body> {
  const to = requestPath(await addressOf(store, file, op), '/content');
  const request = { method: 'GET', to, doing: 'read', about: file.path } as const;
  return store.client.open(request, op, async (answer) => {
    const { status, headers } = answer;
    if (status < 300) return takeBody(answer, range, file.path);
    answer.discard();
    const { location } = headers;
    if (location !== undefined) return location;
    const text = `cannot read ${file.path}: the service does not say where the content is`;
    throw new SyncerError('bad-answer', text);
  });
}

function urlIn(text: string, path: string): URL {
  const url = URL.parse(text);
  if (url !== null) return url;
  throw new SyncerError('bad-answer', `cannot read ${path}: the service does not say where it is`);
}
