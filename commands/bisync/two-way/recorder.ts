import type { FileEntry } from '../../../src/core/remote.ts';
import type { Outcomes } from '../../../src/engine/outcomes.ts';

/** A file on the written side and the one of the other side that it is equal to. */
interface Arrived {
  readonly from: FileEntry;
  /** Absent: it has to be requested. */
  readonly written: FileEntry | undefined;
  /** The file that was there before, if a copy replaced one. */
  readonly replaced?: FileEntry | undefined;
}

/** What a run has done to one side, by path there. Only what is proved to be done counts. */
export class Recorder implements Outcomes {
  readonly arrivals = new Map<string, Arrived>();
  readonly #packed = new Set<string>();
  /**
   * Puts an arrival into the next archive, if that needs no request: of many, the entries take several times as much
   * memory. Returns whether it did.
   */
  pack: ((arrived: Arrived) => boolean) | undefined;
  /** Whether copies are packed, too: not while `arrivals` is asked for them. */
  packsCopies = false;
  readonly removed = new Set<string>();

  compared(outcome: string, { source, dest }: { source?: FileEntry; dest?: FileEntry }): void {
    if (outcome !== 'match' || source === undefined || dest === undefined) return;
    this.#note(dest.path, { from: source, written: dest }, this.pack);
  }

  arrived(path: string, from: FileEntry, replaced?: FileEntry, written?: FileEntry): void {
    this.#note(path, { from, written, replaced }, this.packsCopies ? this.pack : undefined);
  }

  hasArrived(path: string): boolean {
    return this.arrivals.has(path) || this.#packed.has(path);
  }

  /** Whether the next archive has what arrived at a path. */
  hasPacked(path: string): boolean {
    return this.#packed.has(path);
  }

  #note(path: string, arrived: Arrived, pack: Recorder['pack']): void {
    if (this.removed.has(path) || pack?.(arrived) !== true) {
      this.arrivals.set(path, arrived);
      return;
    }
    this.#packed.add(path);
    this.arrivals.delete(path);
  }

  gone(path: string): void {
    this.removed.add(path);
  }

  stays(): void {}
  failed(): void {}
  dirs(): void {}
}
