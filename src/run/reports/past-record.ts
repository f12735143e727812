import { hostname } from 'node:os';
import { backendFlags } from '../../shell/command-line/backend-flags.ts';
import type { CommandSummary } from '../../shell/command-line/command.ts';
import { flagSetOf } from '../../shell/command-line/flag-set.ts';
import { readTokens } from '../../shell/command-line/read-tokens.ts';
import type { HistoryEntry } from '../history/list-history.ts';
import type { JournalVerb } from '../journal/journal-line.ts';
import type { RunChange } from '../journal/read-run.ts';
import type { RecordedChange, RecordedKind } from './change-recorder.ts';
import type { ShownReport } from './report-page.ts';

/** Created directories are in no report: they follow from their files. */
const KINDS: Readonly<Partial<Record<JournalVerb, RecordedKind>>> = {
  create: 'copied',
  replace: 'replaced',
  delete: 'deleted',
  move: 'moved',
  'set-time': 'timeSet',
  'remove-dir': 'directoryDeleted',
};

/** The changes of a journal that were made. */
export function pastChanges(changes: readonly RunChange[]): RecordedChange[] {
  return changes.flatMap(({ do: deed, path, dir, old, new: now, done }) => {
    const kind = deed === 'delete' && dir === true ? 'directoryDeleted' : KINDS[deed];
    if (kind === undefined || done?.ok !== true) return [];
    const mark = kind === 'deleted' ? old : (done.new ?? now);
    const size = mark === undefined || mark === 'unknown' ? -1 : mark.size;
    return [{ kind, path, ...(size < 0 ? {} : { size }) }];
  });
}

/** The arguments among the words; none if this version does not know a flag. */
function argsOf(words: readonly string[], commands: readonly CommandSummary[]): readonly string[] {
  try {
    const tokens = readTokens(words, flagSetOf(commands, undefined, backendFlags()));
    return [...tokens].flatMap((token) => (token.kind === 'arg' ? token.text : [])).slice(1);
  } catch {
    return [];
  }
}

/** The report of a run of the history; of one that was interrupted, what its journal says. */
export function pastRecord(
  { id, words, beganMs, past }: HistoryEntry,
  changes: readonly RecordedChange[],
  commands: readonly CommandSummary[],
): ShownReport {
  const of = (kind: RecordedKind) => changes.filter((change) => change.kind === kind);
  const exit = past?.exit ?? 1;
  const tookMs = past?.tookMs ?? 0;
  const { bytes = 0, errors = 0, checks = 0, resumedBytes = 0, throttledMs = 0 } = past ?? {};
  const { error = 'interrupted: it has no end' } = past ?? {};
  const message = past === undefined || past.error !== undefined ? error : undefined;
  const isStopped = exit === 130 || exit === 143;
  return {
    run: id,
    host: hostname(),
    command: words,
    places: argsOf(words, commands),
    began: new Date(beganMs).toISOString(),
    tookSeconds: tookMs / 1000,
    exit,
    result: exit === 0 ? 'success' : isStopped ? 'stopped' : 'failure',
    isTrial: past?.isTrial === true,
    error: message === undefined ? undefined : { code: 'other', message },
    counts: {
      copied: of('copied').length,
      replaced: of('replaced').length,
      moved: of('moved').length,
      deleted: of('deleted').length,
      renamed: 0,
      timeSet: of('timeSet').length,
      directoryDeleted: of('directoryDeleted').length,
      checked: checks,
      errors,
    },
    bytes: {
      transferred: bytes,
      deleted: of('deleted').reduce((sum, { size = 0 }) => sum + size, 0),
      resumed: resumedBytes,
    },
    bytesPerSecond: tookMs > 0 ? Math.round((bytes * 1000) / tookMs) : 0,
    ...(past?.peakMemory !== undefined && { memory: { peak: past.peakMemory } }),
    throttledSeconds: throttledMs / 1000,
    errors: [],
    history: `syncer history ${id}`,
  };
}
