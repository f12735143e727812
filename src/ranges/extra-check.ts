import type { SyncerError } from '../core/errors.ts';
import type { FileEntry } from '../core/remote.ts';
import type { DeleteCheck } from '../engine/sync-option-parts.ts';
import { type LedgerRecord, phaseAfter } from './range-record.ts';

/** Extra files that an error can name. */
const EXAMPLES = 6;

/** The check before the first deletion (`SyncOptions.checkDeletes`), with the numbers of all ranges. */
export class ExtraCheck {
  readonly #check: DeleteCheck;
  readonly #examples: FileEntry[] = [];
  #counted = { dest: 0, extra: 0 };
  #found = { source: 0, extra: 0 };

  constructor(check: DeleteCheck) {
    this.#check = check;
  }

  /** Notes an extra file while nothing is deleted. */
  note(file: FileEntry): void {
    if (this.#examples.length < EXAMPLES) this.#examples.push(file);
  }

  /** Why the deletions, which are next in a ledger, must not begin; `undefined` if they may, or are not next. */
  refusal(record: LedgerRecord): SyncerError | undefined {
    if (record.phase !== 'deleting' && phaseAfter(record, true)?.phase !== 'deleting')
      return undefined;
    const sum = (of: 'files' | 'dest' | 'extra') =>
      record.ranges.reduce((total, { [of]: count = 0 }) => total + count, 0);
    this.#counted = { dest: sum('dest'), extra: sum('extra') };
    return this.#check({
      ...{ sourceFiles: sum('files'), destFiles: sum('dest') },
      ...{ extra: this.#counted.extra, examples: this.#examples },
    });
  }

  /** The check before the deletions of one range: all together may be more than were counted before. */
  readonly ofRange: DeleteCheck = ({ sourceFiles, extra, examples }) => {
    const counted = this.#counted;
    const found = { source: this.#found.source + sourceFiles, extra: this.#found.extra + extra };
    this.#found = found;
    if (found.extra <= counted.extra) return undefined;
    return this.#check({
      ...{ sourceFiles: found.source, destFiles: Math.max(counted.dest, found.extra) },
      ...{ extra: found.extra, examples, isLate: true },
    });
  };
}
