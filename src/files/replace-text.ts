import { lstatSync } from 'node:fs';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ownerState, ownMark } from '../kit/owner-state.ts';

/** What a text that is not complete is named after: its file, the mark of its process, and a number. */
const BESIDE = /\.([0-9a-z]+-[0-9a-z]+-[0-9a-z]+)-\d+\.new$/;

/** On another machine, a text unchanged for this time is no longer written, in milliseconds. */
const OLD = 24 * 3_600_000;

let number = 0;

/**
 * Replaces a file that only the user can read, at once: readers see the old or the new text. For what may be lost.
 * Rejects with Node's errors.
 */
export async function replaceText(path: string, text: string | Iterable<string>): Promise<void> {
  const beside = `${path}.${ownMark()}-${number++}.new`;
  try {
    await writeFile(beside, text, { mode: 0o600 });
    await rename(beside, path);
  } catch (thrown) {
    await rm(beside, { force: true });
    throw thrown;
  }
}

/** Whether a process that was killed left this file while it replaced a text. */
export function isLeftText(path: string): boolean {
  const [, mark] = BESIDE.exec(basename(path)) ?? [];
  if (mark === undefined) return false;
  const state = ownerState(mark);
  return state === 'dead' || (state === 'elsewhere' && isOld(path));
}

function isOld(path: string): boolean {
  const changed = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return changed !== undefined && Date.now() - changed >= OLD;
}

/** Deletes what killed processes left in a directory while they replaced a text. Never rejects. */
export async function deleteLeftTexts(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const paths = names.map((name) => join(folder, name));
  for (const path of paths.filter(isLeftText)) await rm(path, { force: true }).catch(() => {});
}
