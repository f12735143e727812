import { stat } from 'node:fs/promises';
import { readRegularFile } from '../../files/read-whole.ts';
import { goErrno } from '../../go/go-errno.ts';

/** Milliseconds between checks. */
export const LOOK_INTERVAL_MS = 200;

/** Checks until a file counts that may not be written to its end yet: one second. */
const WRITTEN_LOOKS = 5;

/** State and content of a file when it was last checked. */
export interface Seen {
  /** Which file it is; empty where there is none. */
  file: string;
  stamp: string;
  content: string | undefined;
  /** Checks since it changed; 0: it has settled. */
  looks: number;
  /** Checks until it settles. */
  wanted: number;
}

/** What a check does besides looking. */
export interface LookOptions {
  /** It is one of those that come at intervals, and not one after an event. */
  readonly isTick?: boolean;
  /** Whether a content that is the same for the second time is written to its end; by default unknown. */
  readonly isWhole?: (path: string, content: string) => Promise<boolean>;
}

/**
 * Checks one file: remembers its state in `known`, and reports a content that is another and has settled.
 *
 * @param gone is called with why the file cannot be read; without that it is not there
 */
export async function lookAt(
  path: string,
  known: Map<string, Seen>,
  changed: (path: string) => Promise<void>,
  gone: (path: string, why?: string) => void,
  { isTick = true, isWhole = async () => false }: LookOptions = {},
): Promise<void> {
  const { file, stamp, isOld } = await stateOf(path);
  const before = known.get(path);
  if (before === undefined) {
    known.set(path, { file, stamp, content: (await contentOf(path)).content, looks: 0, wanted: 0 });
    return;
  }
  if (before.stamp !== stamp) {
    // A rename or a link can put a file there that is still being written.
    const isWhole = file === '' || (before.file !== file && isOld);
    Object.assign(before, { file, stamp, looks: 1, wanted: isWhole ? 1 : WRITTEN_LOOKS });
    return;
  }
  if (before.looks === 0) return;
  const isSettled = before.looks >= before.wanted && (isTick || file !== '');
  if (!isSettled && !(await isWholeAt(path, isWhole))) {
    if (isTick) before.looks++;
    return;
  }
  const { content, why } = await contentOf(path);
  if (content?.trim() === '' && before.looks < WRITTEN_LOOKS) {
    if (isTick) before.looks++;
    return;
  }
  before.looks = 0;
  if (content === before.content) return;
  before.content = content;
  if (content === undefined) gone(path, why);
  else await changed(path);
}

async function isWholeAt(
  path: string,
  isWhole: NonNullable<LookOptions['isWhole']>,
): Promise<boolean> {
  const { content = '' } = await contentOf(path);
  return content.trim() !== '' && (await isWhole(path, content));
}

async function stateOf(path: string): Promise<Pick<Seen, 'file' | 'stamp'> & { isOld: boolean }> {
  try {
    const { dev, ino, size, mtimeMs, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    const file = [dev, ino].join();
    const isOld = Date.now() - Number(mtimeMs) > WRITTEN_LOOKS * LOOK_INTERVAL_MS;
    return { file, stamp: [file, size, mtimeNs, ctimeNs].join(), isOld };
  } catch (thrown) {
    return { file: '', stamp: String((thrown as NodeJS.ErrnoException).code), isOld: false };
  }
}

async function contentOf(path: string): Promise<{ content?: string; why?: string }> {
  try {
    return { content: (await readRegularFile(path)).toString('latin1') };
  } catch (thrown) {
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing ? {} : { why: goErrno(thrown) };
  }
}
