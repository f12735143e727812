import { stat } from 'node:fs/promises';
import { readRegularFile } from '../../files/read-whole.ts';

/** Checks until an empty file counts: it may be empty while it is written. */
const EMPTY_LOOKS = 5;

/** State and content of a file when it was last checked. */
export interface Seen {
  stamp: string;
  content: string | undefined;
  looks: number;
}

/** Checks one file: remembers its state in `known`, and reports a content that is another and has settled. */
export async function lookAt(
  path: string,
  known: Map<string, Seen>,
  changed: (path: string) => Promise<void>,
  gone: (path: string) => void,
): Promise<void> {
  const stamp = await stampOf(path);
  const before = known.get(path);
  if (before === undefined) {
    known.set(path, { stamp, content: await contentOf(path), looks: 0 });
    return;
  }
  if (before.stamp !== stamp) {
    before.stamp = stamp;
    before.looks = 1;
    return;
  }
  if (before.looks === 0) return;
  const content = await contentOf(path);
  if (content?.trim() === '' && before.looks < EMPTY_LOOKS) {
    before.looks++;
    return;
  }
  before.looks = 0;
  if (content === before.content) return;
  before.content = content;
  if (content === undefined) gone(path);
  else await changed(path);
}

async function stampOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join();
  } catch (thrown) {
    return String((thrown as NodeJS.ErrnoException).code);
  }
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(path)).toString('latin1');
  } catch {
    return undefined;
  }
}
