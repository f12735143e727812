import fs from 'node:fs';
import { isCutOf, type ModTime } from '../../core/mod-time.ts';
import type { FileEntry } from '../../core/remote.ts';
import { fsPath } from './fs-path.ts';
import { parentOf } from './partial-file.ts';

/** This number of directories is remembered. */
const REMEMBERED = 16_384;

/** The finest that a disk cuts times to, in nanoseconds: what is finer shows that it does not. */
const FINEST_CUT_NS = 100n;

/** Which time a disk keeps of one that was set. */
export class KeptTimes {
  /** Directories whose files keep it as it is. */
  readonly #exact = new Set<string>();

  /** The entry of a file that was just written at `native`; it is looked up until one of its directory kept its time. */
  written(path: string, native: string, size: number, modTime: ModTime): FileEntry {
    const entry: FileEntry = { kind: 'file', path, size, modTime };
    const dir = parentOf(native);
    if (this.#exact.has(dir)) return entry;
    const stats = look(native);
    if (stats === undefined) return entry;
    const { mtimeNs, ctimeNs } = stats;
    if (mtimeNs === modTime) {
      if (modTime % FINEST_CUT_NS !== 0n || ctimeNs % FINEST_CUT_NS !== 0n) this.#remember(dir);
      return entry;
    }
    // Another program may have replaced the file since.
    const isOwn = Number(stats.size) === size && isCutOf(mtimeNs, modTime);
    return isOwn ? { ...entry, modTime: mtimeNs } : entry;
  }

  #remember(dir: string): void {
    if (this.#exact.size >= REMEMBERED) this.#exact.clear();
    this.#exact.add(dir);
  }
}

function look(native: string): fs.BigIntStats | undefined {
  try {
    return fs.lstatSync(fsPath(native), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
