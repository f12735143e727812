import { hostname } from 'node:os';
import type { Context } from '../../core/context.ts';
import type { SyncerError } from '../../core/errors.ts';
import type { SyncerEvent } from '../../core/events.ts';
import type { LogCode, LogFields } from '../../core/log-fields.ts';
import type { CommandLine } from '../../shell/command-line/command.ts';
import type { KnownSecrets } from '../../shell/log/known-secrets.ts';
import type { MemoryUse } from '../../shell/process/memory-limit.ts';
import { elapsedMs } from '../../shell/progress/progress-state.ts';
import { VERSION } from '../../shell/version.ts';
import type { RunSum } from '../../state/runs.ts';
import { type KnownWords, workingDir } from '../history/note-run.ts';
import { keepsNothing } from '../history/run-text.ts';
import type { RunReport } from '../progress/run-report.ts';

/** What was done to a path, in words. */
export const KIND_WORDS = {
  copied: 'copied',
  replaced: 'replaced',
  moved: 'moved',
  deleted: 'deleted',
  renamed: 'renamed',
  timeSet: 'time set',
  directoryDeleted: 'directory deleted',
} as const;

/** A kind of reported change. */
export type RecordedKind = keyof typeof KIND_WORDS;

/** How many changes there are of each kind. */
export function countKinds(changes: readonly RecordedChange[]): Record<RecordedKind, number> {
  const none = Object.keys(KIND_WORDS).map((kind) => [kind, 0]);
  const counts: Record<RecordedKind, number> = Object.fromEntries(none);
  for (const { kind } of changes) counts[kind]++;
  return counts;
}

/** The report of a run, as JSON. Fields are only added; `report` changes if one changes its meaning. */
export interface ReportRecord {
  readonly report: 1;
  readonly run: string;
  readonly version: string;
  readonly host: string;
  /** The words after the program's name, without secrets. */
  readonly command: readonly string[];
  readonly directory: string;
  /** The paths among the words. */
  readonly places: readonly string[];
  /** RFC 3339. */
  readonly began: string;
  readonly ended: string;
  readonly tookSeconds: number;
  readonly exit: number;
  readonly result: 'success' | 'failure' | 'stopped';
  /** Nothing was changed: `--dry-run`, or a plan that was not applied. */
  readonly isTrial: boolean;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /** Why a guard stopped the run. */
  readonly guard?: string | undefined;
  /** Which run has the lock, or that it was lost. */
  readonly lock?: string | undefined;
  readonly counts: Readonly<Record<RecordedKind, number>> & {
    readonly checked: number;
    readonly listed: number;
    readonly errors: number;
    readonly resumedUploads: number;
  };
  readonly bytes: {
    readonly transferred: number;
    readonly copiedByServer: number;
    readonly deleted: number;
    /** What interrupted uploads and downloads had left, and was continued. */
    readonly resumed: number;
  };
  readonly bytesPerSecond: number;
  readonly throttledSeconds: number;
  /** In bytes; absent for runs of versions before. */
  readonly memory?: MemoryUse;
  /** The first 1,000. */
  readonly deletions: readonly string[];
  /** The first 50. */
  readonly errors: Readonly<ChangeRecorder['errors']>;
  /** The command that lists all changes, if they are in the history. */
  readonly history?: string;
  /** The command that undoes them, as far as their old contents are kept. */
  readonly undo?: string;
}

/** What a run is, for what follows it. */
export interface FollowedRun extends KnownWords {
  readonly line: CommandLine;
  readonly report: RunReport;
  readonly context: Context;
  readonly env: NodeJS.ProcessEnv;
  readonly secrets: KnownSecrets;
}

export interface ReportedEnd {
  readonly exit: number;
  readonly error: SyncerError | undefined;
  readonly isTrial: boolean;
  readonly memory: MemoryUse;
  /** Its changes, if they are in the history. */
  readonly kept: RunSum | undefined;
}

/** The report of a run that has ended. */
export function reportRecord(
  { id, words, line, startedMs, report: { state }, context: { clock }, secrets }: FollowedRun,
  { exit, error, isTrial, memory, kept }: ReportedEnd,
  recorder: ChangeRecorder,
): ReportRecord {
  const hide = (text: string) => secrets.hide(text);
  const seconds = Math.round(elapsedMs(state, clock.monotonic())) / 1000;
  return {
    report: 1,
    run: id,
    version: VERSION,
    host: hostname(),
    command: words,
    directory: workingDir(),
    places: line.args.filter((arg) => words.includes(arg)),
    began: new Date(startedMs).toISOString(),
    ended: new Date(clock.now()).toISOString(),
    tookSeconds: seconds,
    exit,
    result: exit === 0 ? 'success' : exit === 130 || exit === 143 ? 'stopped' : 'failure',
    isTrial,
    error: error && { code: error.code, message: hide(error.message) },
    guard: error?.code === 'guarded' ? hide(error.message) : undefined,
    lock: error?.code === 'locked' ? hide(error.message) : undefined,
    counts: {
      ...recorder.counts,
      checked: state.checks,
      listed: state.listed,
      errors: state.errors,
      resumedUploads: state.resumedUploads,
    },
    bytes: {
      transferred: state.bytes,
      copiedByServer: state.serverCopyBytes,
      deleted: state.deletedBytes - state.movedBytes,
      resumed: state.resumedBytes,
    },
    bytesPerSecond: seconds > 0 ? Math.round(state.bytes / seconds) : 0,
    memory,
    throttledSeconds: state.throttledMs / 1000,
    deletions: recorder.deletions,
    errors: recorder.errors.map((one) => ({ ...one, message: hide(one.message) })),
    ...(kept && { history: `syncer history ${id}` }),
    ...(kept && kept.isCut !== true && !keepsNothing(kept) && { undo: `syncer undo ${id}` }),
  };
}

/** The summary of a run in lines, for people and for services that monitor jobs. */
export function summaryText(record: ReportRecord): string {
  const { command, counts, bytes, error, deletions, errors } = record;
  const { copied, replaced, moved, deleted, renamed } = counts;
  const byServer =
    bytes.copiedByServer > 0 ? `, ${bytes.copiedByServer} bytes copied by the server` : '';
  const more = (shown: number, all: number) => (all > shown ? [`… ${all - shown} more`] : []);
  return [
    `syncer ${command.join(' ')}`,
    `run ${record.run} on ${record.host}, ${record.began}, ${record.tookSeconds.toFixed(1)} s`,
    `${record.result}, exit code ${record.exit}${record.isTrial ? ' (nothing applied)' : ''}`,
    ...(error === undefined ? [] : [error.message]),
    `copied ${copied}, replaced ${replaced}, moved ${moved}, deleted ${deleted}, renamed ${renamed}, errors ${counts.errors}`,
    `${bytes.transferred} bytes transferred, ${bytes.deleted} bytes deleted${byServer}`,
    ...errors.map(
      ({ path, message }) => `error: ${path === undefined ? '' : `${path}: `}${message}`,
    ),
    ...more(errors.length, counts.errors),
    ...deletions.map((path) => `deleted: ${path}`),
    ...more(deletions.length, deleted),
    '',
  ].join('\n');
}

/** A change that a run made. */
export interface RecordedChange {
  readonly kind: RecordedKind;
  readonly path: string;
  /** In bytes, of what was copied. */
  readonly size?: number;
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

/** Collects what a run changes from its events, in bounded memory. */
export class ChangeRecorder {
  readonly counts = countKinds([]);
  readonly changes: RecordedChange[] = [];
  readonly deletions: string[] = [];
  readonly errors: { readonly path?: string; readonly message: string }[] = [];
  /** Files in the backup: the next event says whether they were replaced or deleted. */
  readonly #backedUp = new Set<string>();
  /** Files that a move has copied, and will delete at the source: where those stand that count as moved. */
  readonly #copied = new Map<string, number | undefined>();
  readonly #moves: boolean;

  /** @param moves the run moves files: what it deletes is at its source */
  constructor(moves: boolean) {
    this.#moves = moves;
  }

  get hasChanges(): boolean {
    return Object.values(this.counts).some((count) => count > 0) || this.#backedUp.size > 0;
  }

  note(event: SyncerEvent): void {
    if (event.type === 'retry-run') this.errors.length = 0;
    // Of a step of a change another event reports the whole.
    if (event.type !== 'log' || event.path === undefined || 'isStep' in (event.fields ?? {}))
      return;
    const { path } = event;
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

  /** The run is over. */
  finish(): void {
    for (const path of this.#backedUp) this.#add('deleted', path);
    this.#backedUp.clear();
    for (const index of this.#copied.values()) {
      if (index === undefined) continue;
      // Its source could not be deleted.
      this.counts.moved--;
      this.counts.copied++;
      const change = this.changes[index];
      if (change !== undefined) this.changes[index] = { ...change, kind: 'copied' };
    }
    this.#copied.clear();
  }

  #noteCopy({ how, size, to }: LogFields['copied'], path: string): void {
    const target = to ?? path;
    const replaces = this.#backedUp.delete(target) || how === 'replaced';
    const kind = replaces ? 'replaced' : this.#moves ? 'moved' : 'copied';
    if (this.#moves) this.#copied.set(path, kind === 'moved' ? this.changes.length : undefined);
    this.#add(kind, target, size);
  }

  #add(kind: RecordedKind, path: string, size?: number): void {
    this.counts[kind]++;
    if (kind === 'deleted' && this.deletions.length < MOST.deletions) this.deletions.push(path);
    if (this.changes.length === MOST.changes) return;
    this.changes.push({ kind, path, ...(size === undefined || size < 0 ? {} : { size }) });
  }
}
