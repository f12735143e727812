import type { Attempted, Doing } from '../core/reason.ts';
import type { DirEntry, FileEntry } from '../core/remote.ts';

/** An entry on at least one side. */
interface Sides<E> {
  readonly source?: E;
  readonly dest?: E;
}

/** Receives what a copy, sync or move finds and does, for its report files. Nothing waits for it. */
export interface Outcomes {
  /** How the two sides of a file compare. */
  compared(outcome: Exclude<CheckOutcome, 'error'>, pair: Sides<FileEntry>): void;
  /** A file that could not be compared stays at the destination. */
  stays(dest: FileEntry): void;
  /**
   * The file is at `path` of the destination now, and the replaced one no longer.
   *
   * @param written its entry there, if the transfer returned it
   */
  arrived(path: string, file: FileEntry, replaced?: FileEntry, written?: FileEntry): void;
  /** The file is no longer at the destination. */
  gone(path: string): void;
  failed(path: string, doing: Doing | Attempted | undefined): void;
  dirs(pairs: readonly Sides<DirEntry>[]): void;
}

/** Receive the lines of the reports, and the files and directories of the destination after the run. */
export interface OutcomeReports extends CheckReports {
  /**
   * `path`: of a file that the run has written, whose entry is still that of the source. `source`: the file that it is
   * equal to, if it was there before.
   */
  readonly destAfter?: (file: FileEntry, path?: string, source?: FileEntry) => Promise<void>;
  /** The directories that may be at the destination. */
  readonly dirsAfter?: (dirs: ReadonlySet<string>) => Promise<void>;
}

/** What fails with these is a file, which is then reported. */
const ABOUT_FILES: readonly Doing[] = [
  ...(['compare', 'compare-with-reference', 'copy', 'move', 'delete', 'hash'] as const),
  ...(['look-up', 'open', 'rename', 'set-mod-time'] as const),
];

/**
 * The reports of a run with all its attempts. Each file is reported once, as the first attempt that could compare it
 * found it, and as an error at the end if the last attempt failed with it. What will be at the destination is reported
 * when it is there, and at the end for files that may have been replaced or deleted but were not.
 */
export class RunOutcomes implements Outcomes {
  readonly #reports: OutcomeReports;
  readonly #deletes: boolean;
  readonly #seen = new Set<string>();
  readonly #failed = new Set<string>();
  /** Files of the destination that the run may replace or delete. */
  readonly #doubtful = new Map<string, FileEntry>();
  readonly #listed = new Set<string>();
  readonly #dirs = new Set<string>();
  #writing: Promise<unknown> = Promise.resolve();
  #fault: unknown;

  /** @param deletes files that only the destination has are deleted */
  constructor(reports: OutcomeReports, deletes: boolean) {
    this.#reports = reports;
    this.#deletes = deletes;
  }

  compared(outcome: Exclude<CheckOutcome, 'error'>, { source, dest }: Sides<FileEntry>): void {
    const path = (dest ?? source)?.path ?? '';
    this.#failed.delete(source?.path ?? path);
    if (this.#seen.has(path)) return;
    this.#seen.add(path);
    this.#write(reportOutcome(this.#reports, outcome, path));
    if (dest === undefined) return;
    const isDoubtful = outcome === 'differ' || (outcome === 'missing-on-src' && this.#deletes);
    if (isDoubtful) this.stays(dest);
    else this.#list(dest, undefined, source);
  }

  stays(dest: FileEntry): void {
    if (this.#reports.destAfter !== undefined) this.#doubtful.set(dest.path, dest);
  }

  arrived(path: string, file: FileEntry, replaced?: FileEntry): void {
    this.#doubtful.delete(path);
    if (replaced !== undefined) this.#doubtful.delete(replaced.path);
    this.#list(file, path);
  }

  gone(path: string): void {
    this.#doubtful.delete(path);
  }

  failed(path: string, doing: Doing | Attempted | undefined): void {
    const what = typeof doing === 'object' ? doing.doing : doing;
    if (what !== undefined && ABOUT_FILES.includes(what)) this.#failed.add(path);
  }

  dirs(pairs: readonly Sides<DirEntry>[]): void {
    if (this.#reports.dirsAfter === undefined) return;
    for (const { source, dest } of pairs) this.#dirs.add((dest ?? source)?.path ?? '');
  }

  /** The run is over. Rejects if a report could not be written. */
  async finish(): Promise<void> {
    for (const path of this.#failed) this.#write(reportOutcome(this.#reports, 'error', path));
    for (const file of this.#doubtful.values()) this.#list(file);
    await this.#writing;
    await this.#reports.dirsAfter?.(this.#dirs);
    if (this.#fault !== undefined) throw this.#fault;
  }

  #list(file: FileEntry, path?: string, source?: FileEntry): void {
    const { destAfter } = this.#reports;
    const name = path ?? file.path;
    if (destAfter === undefined || this.#listed.has(name)) return;
    this.#listed.add(name);
    this.#write(destAfter(file, path, source));
  }

  #write(written: Promise<unknown> | undefined): void {
    if (written === undefined) return;
    const settled = written.catch((thrown) => {
      this.#fault ??= thrown;
    });
    this.#writing = this.#writing.then(() => settled);
  }
}

/** The result of a check of one file; the symbols of rclone's `--combined`. */
export type CheckOutcome = 'match' | 'differ' | 'missing-on-dst' | 'missing-on-src' | 'error';

/** Receive the lines of the requested reports; each gets bare paths, `combined` a symbol before them. */
export type CheckReports = Readonly<
  Partial<Record<CheckOutcome | 'combined', (line: string) => Promise<void>>>
>;

const SYMBOLS: Readonly<Record<CheckOutcome, string>> = {
  match: '=',
  differ: '*',
  'missing-on-dst': '+',
  'missing-on-src': '-',
  error: '!',
};

/** Writes the result of one file into the reports; `undefined` if none wants it. */
export function reportOutcome(
  reports: CheckReports,
  outcome: CheckOutcome,
  path: string,
): Promise<unknown> | undefined {
  const combined = reports.combined?.(`${SYMBOLS[outcome]} ${path}\n`);
  const own = reports[outcome]?.(`${path}\n`);
  return combined && own ? Promise.all([combined, own]) : (combined ?? own);
}
