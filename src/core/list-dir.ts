import type { Entry, Op, Page, Remote } from './remote.ts';

/** The pages of one directory, in order. */
export function listDir(remote: Remote, dir: string, op: Op): AsyncGenerator<readonly Entry[]> {
  return readPages((cursor) => remote.listPage(dir, cursor, op));
}

/** The pages that successive calls of `readPage` give, until one comes without a cursor. */
export async function* readPages(
  readPage: (cursor: string | undefined) => Promise<Page>,
): AsyncGenerator<readonly Entry[]> {
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor);
    yield page.entries;
    cursor = page.cursor;
  } while (cursor !== undefined);
}
