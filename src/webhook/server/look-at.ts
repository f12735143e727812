import { stat } from 'node:fs/promises';
import { readRegularFile } from '../../files/read-whole.ts';
import { goErrno } from '../../go/go-errno.ts';

/** Milliseconds between checks. */
export const LOOK_INTERVAL_MS = 200;

/** Milliseconds without a change until a file counts: if it is closed and can be loaded, for one writer may open it twice. */
export const CLOSED_MS = 150;
/** … if it is unknown whether a program is writing it, or it is empty or invalid. */
const UNKNOWN_MS = 1000;
/** … if a program has it open for writing. Some never close it. */
const OPEN_MS = 10_000;

/** State and content of a file when it was last checked. */
export interface Seen {
  /** Which file it is; empty where there is none. */
  file: string;
  stamp: string;
  content: string | undefined;
  /** A rename or a link put a file there that was not changed for a while. */
  isMoved: boolean;
  /** When a change was seen that does not count yet; `undefined`: it has settled. */
  changedAt: number | undefined;
}

/** What a check does besides looking. */
export interface LookOptions {
  /** The time on a clock that never goes back. */
  readonly now: number;
  /** It is one of those that come at intervals, and not one after an event. */
  readonly isTick?: boolean;
  /** Whether a program has the file open for writing; `undefined`, also by default, if that is unknown. */
  readonly isWritten?: (path: string) => Promise<boolean | undefined>;
  /** Whether a content can be loaded; by default it can. */
  readonly isValid?: (path: string, content: string) => Promise<boolean>;
}

/** What decides how long a changed file has to be quiet. */
export interface ChangedFile extends Pick<Seen, 'isMoved'> {
  readonly isWritten: boolean | undefined;
  /** It can be read and is not empty. */
  readonly isFilled: boolean;
  readonly isValid: boolean;
}

/** Milliseconds without a change until a changed file counts. */
function quietMs({ isMoved, isWritten, isFilled, isValid }: ChangedFile): number {
  if (isWritten) return OPEN_MS;
  if (isMoved && isFilled) return 0;
  return isWritten === false && isFilled && isValid ? CLOSED_MS : UNKNOWN_MS;
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
  options: LookOptions,
): Promise<void> {
  const { now, isTick = true } = options;
  const { file, stamp, isOld } = await stateOf(path);
  const before = known.get(path);
  if (before === undefined) {
    const { content } = await contentOf(path);
    known.set(path, { file, stamp, content, isMoved: false, changedAt: undefined });
    return;
  }
  if (before.stamp !== stamp) {
    // A rename or a link can put a file there that is still being written.
    const isMoved = file !== '' && before.file !== file && isOld;
    Object.assign(before, { file, stamp, isMoved, changedAt: now });
    return;
  }
  if (before.changedAt === undefined) return;
  const isSettled =
    file === '' ? isTick : await isQuiet(path, before, now - before.changedAt, options);
  if (!isSettled) return;
  const { content, why } = await contentOf(path);
  // It may have been changed, and closed, since this check began.
  if ((await stateOf(path)).stamp !== stamp) return;
  before.changedAt = undefined;
  if (content === before.content) return;
  before.content = content;
  if (content === undefined) gone(path, why);
  else await changed(path);
}

async function isQuiet(
  path: string,
  { isMoved }: Seen,
  ms: number,
  { isWritten = async () => undefined, isValid = async () => true }: LookOptions,
): Promise<boolean> {
  // What is certain without opening the file.
  if (ms < CLOSED_MS && !isMoved) return false;
  const { content = '' } = await contentOf(path);
  const isFilled = content.trim() !== '';
  const file = { isMoved, isWritten: await isWritten(path), isFilled, isValid: true };
  // The content is only taken apart where that decides.
  if (ms >= quietMs({ ...file, isValid: false })) return true;
  return ms >= quietMs(file) && (await isValid(path, content));
}

async function stateOf(path: string): Promise<Pick<Seen, 'file' | 'stamp'> & { isOld: boolean }> {
  try {
    const { dev, ino, size, mtimeMs, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    const file = [dev, ino].join();
    const isOld = Date.now() - Number(mtimeMs) > UNKNOWN_MS;
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
