import type { FileEntry } from '../core/remote.ts';
import type { Outcomes } from '../sync/outcomes.ts';

/** A file on the written side and the one of the other side that it is equal to. */
export interface Arrived {
  readonly from: FileEntry;
  /** Absent: it has to be requested. */
  readonly written: FileEntry | undefined;
}

/** What a run has done to one side, by path there. Only what is proved to be done counts. */
export class Recorder implements Outcomes {
  readonly arrivals = new Map<string, Arrived>();
  readonly removed = new Set<string>();

  compared(outcome: string, pair: { source?: FileEntry; dest?: FileEntry }): void {
    const { source, dest } = pair;
    if (outcome !== 'match' || source === undefined || dest === undefined) return;
    this.arrivals.set(dest.path, { from: source, written: dest });
  }

  arrived(path: string, from: FileEntry, _replaced?: FileEntry, written?: FileEntry): void {
    this.arrivals.set(path, { from, written });
  }

  gone(path: string): void {
    this.removed.add(path);
  }

  stays(): void {}
  failed(): void {}
  dirs(): void {}
}
