import type { LogEvent, SyncerEvent } from '../../core/events.ts';
import type { LogCode, LogFields } from '../../core/log-fields.ts';

/** What was done to a path. */
export type RecordedKind =
  | 'copied'
  | 'replaced'
  | 'moved'
  | 'deleted'
  | 'renamed'
  | 'timeSet'
  | 'directoryDeleted';

/** A change that a run made. */
export interface RecordedChange {
  readonly kind: RecordedKind;
  readonly path: string;
  /** In bytes, of what was copied. */
  readonly size?: number;
}

/** An error of a run. */
export interface RecordedError {
  readonly path?: string;
  readonly message: string;
}

/** Log lines that are about a change of their path, and need no more. */
const PLAIN: Readonly<Partial<Record<LogCode, RecordedKind>>> = {
  renamed: 'renamed',
  'case-fixed': 'renamed',
  'mod-time-set': 'timeSet',
  'removing-dir': 'directoryDeleted',
};

/** How much of a run is kept; the rest is counted. */
const MOST = { changes: 5000, deletions: 1000, errors: 50 } as const;

/** Another event reports the change that it is part of. */
function isStep({ fields = {} }: LogEvent): boolean {
  return 'isStep' in fields;
}

/** Collects what a run changes from its events, in bounded memory. */
export class ChangeRecorder {
  readonly counts = new Map<RecordedKind, number>();
  readonly changes: RecordedChange[] = [];
  readonly deletions: string[] = [];
  readonly errors: RecordedError[] = [];
  /** Files in the backup: the next event says whether they were replaced or deleted. */
  readonly #backedUp = new Set<string>();
  /** Files that a move has copied, and will delete at the source: where those stand that count as moved. */
  readonly #copied = new Map<string, number | undefined>();
  readonly #moves: boolean;

  /** @param moves the run moves files: what it deletes is at its source */
  constructor(moves: boolean) {
    this.#moves = moves;
  }

  /** Anything was changed. */
  get hasChanges(): boolean {
    return this.counts.size > 0 || this.#backedUp.size > 0;
  }

  note(event: SyncerEvent): void {
    if (event.type === 'retry-run') this.errors.length = 0;
    else if (event.type === 'log' && event.path !== undefined) this.#noteLog(event, event.path);
  }

  /** The run is over. */
  finish(): void {
    for (const path of this.#backedUp) this.#add('deleted', path);
    this.#backedUp.clear();
    for (const index of this.#copied.values()) if (index !== undefined) this.#isOnlyCopied(index);
    this.#copied.clear();
  }

  #noteLog(event: LogEvent, path: string): void {
    if (isStep(event)) return;
    const plain = PLAIN[event.code];
    if (plain !== undefined) this.#add(plain, path);
    else if (event.code === 'copied') this.#noteCopy(event.fields, path);
    else if (event.code === 'moved') {
      this.#backedUp.delete(event.fields.to ?? path);
      this.#add('moved', event.fields.to ?? path);
    } else if (event.code === 'backup-moved' || event.code === 'backup-copied') {
      this.#backedUp.add(path);
    } else if (event.code === 'deleted') {
      if (!this.#moves) this.#add('deleted', path);
      // Otherwise the destination has had it before.
      else if (!this.#copied.delete(path)) this.#add('moved', path);
    } else if (event.code === 'failed' && this.errors.length < MOST.errors) {
      this.errors.push({ path, message: event.fields.error.message });
    }
  }

  #noteCopy({ how, size, to }: LogFields['copied'], path: string): void {
    const target = to ?? path;
    const replaces = this.#backedUp.delete(target) || how === 'replaced';
    const kind = replaces ? 'replaced' : this.#moves ? 'moved' : 'copied';
    if (this.#moves) this.#copied.set(path, kind === 'moved' ? this.changes.length : undefined);
    this.#add(kind, target, size);
  }

  /** The source of a file that was copied could not be deleted. */
  #isOnlyCopied(index: number): void {
    this.#count('moved', -1);
    this.#count('copied');
    const change = this.changes[index];
    if (change !== undefined) this.changes[index] = { ...change, kind: 'copied' };
  }

  #add(kind: RecordedKind, path: string, size?: number): void {
    this.#count(kind);
    if (kind === 'deleted' && this.deletions.length < MOST.deletions) this.deletions.push(path);
    if (this.changes.length === MOST.changes) return;
    this.changes.push({ kind, path, ...(size === undefined || size < 0 ? {} : { size }) });
  }

  #count(kind: RecordedKind, by = 1): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + by);
  }
}
