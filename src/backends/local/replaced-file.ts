import fs from 'node:fs';
import { fsPath } from './fs-path.ts';

/** What a new file has from the one whose place it takes, as if that had been written over. */
export interface ReplacedFile {
  /** Permissions, without set-user-ID and the like. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** The file that stands at `target`; `undefined` where none does. Throws as `fs` does. */
export function replacedFile(target: string): ReplacedFile | undefined {
  const stats = fs.lstatSync(fsPath(target), { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return undefined;
  return { mode: stats.mode & 0o777, uid: stats.uid, gid: stats.gid };
}

/** Gives a file, or a link itself, an owner where that may be done. */
export function giveTo(native: string, { uid, gid }: Pick<ReplacedFile, 'uid' | 'gid'>): void {
  try {
    fs.lchownSync(fsPath(native), uid, gid);
  } catch {
    // Only root may give files away: this one belongs to who wrote it.
  }
}
