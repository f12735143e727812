import type { Entry, FailedEntry, Op, Page, Remote } from './remote.ts';

/** Receives entries that could not be read. */
export type OnFailed = (failed: FailedEntry) => void;

/** The pages of one directory, in order. */
export function listDir(
  remote: Remote,
  dir: string,
  op: Op,
  onFailed: OnFailed,
): AsyncGenerator<readonly Entry[]> {
  return readPages((cursor) => remote.listPage(dir, cursor, op), onFailed);
}

/** The pages of directories, each as `change` returns it: the same map if it changes none. */
export function mapPages(
  dirs: ReadonlyMap<string, Page>,
  change: (page: Page) => Page,
): ReadonlyMap<string, Page> {
  const changed = new Map<string, Page>();
  for (const [dir, page] of dirs) {
    const now = change(page);
    if (now !== page) changed.set(dir, now);
  }
  return changed.size === 0 ? dirs : new Map([...dirs, ...changed]);
}

/** The pages that successive calls of `readPage` return, until one comes without a cursor. */
export async function* readPages(
  readPage: (cursor: string | undefined) => Promise<Page>,
  onFailed: OnFailed,
): AsyncGenerator<readonly Entry[]> {
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor);
    for (const failed of page.failed ?? []) onFailed(failed);
    yield page.entries;
    cursor = page.cursor;
  } while (cursor !== undefined);
}
