import { join } from 'node:path';
import { SyncerError } from '../../src/core/errors.ts';
import { findRunId, isClockSet } from '../../src/core/run-id.ts';
import { alignedRows, counted, harmlessLine } from '../../src/core/shown-text.ts';
import { formatSizeUnit } from '../../src/go/quantities.ts';
import {
  findRun,
  type HistoryEntry,
  isPath,
  listHistory,
  pathRuns,
  runsFolder,
  storedPathOf,
} from '../../src/run/history/list-history.ts';
import { keepsNothing, runEnd, runSum } from '../../src/run/history/run-text.ts';
import type { RunUndo } from '../../src/run/home-entry.ts';
import type { KeptFile } from '../../src/run/journal/journal-line.ts';
import {
  journalDamage,
  knownOld,
  type RunChange,
  readChanges,
} from '../../src/run/journal/read-run.ts';
import type {
  CommandCall,
  Environment,
  Program,
  Remotes,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { windowColumns } from '../../src/shell/output/output.ts';
import { shellLine } from '../../src/system/shell-words.ts';
import { ago, localTime, took } from '../../src/terminal/time-texts.ts';
import type { HISTORY_FLAGS } from './command.ts';

type HistoryNeeds = CommandCall<typeof HISTORY_FLAGS> &
  Program &
  Environment &
  Remotes &
  StandardOutput;

export async function historyCommand(invocation: HistoryNeeds): Promise<void> {
  const [typed] = invocation.args;
  const entries = await listHistory(invocation);
  const ids = entries.map(({ id }) => id);
  const isOne = typed !== undefined && (findRunId(typed, ids) !== undefined || !isPath(typed));
  if (isOne) return printRun(invocation, findRun(typed, entries));
  if (invocation.flags['history-html']) {
    throw new SyncerError('usage', '--html is for one run: syncer history RUN --html');
  }
  if (typed !== undefined) return printPath(invocation, typed, entries);
  const { flags, out, context } = invocation;
  const lines = flags['history-json']
    ? entries.map((entry) => JSON.stringify(record(entry)))
    : historyLines(entries, context.clock.now(), windowColumns(out)).map(harmlessLine);
  for (const line of lines) await out.write(`${line}\n`);
}

/** The runs that have changed a path, or what is below it, newest first, with what they did. */
async function printPath(
  invocation: HistoryNeeds,
  typed: string,
  entries: readonly HistoryEntry[],
): Promise<void> {
  const { flags, out, context } = invocation;
  const at = storedPathOf(await invocation.remotes.openDir(typed));
  let isFound = false;
  for await (const { entry, changes } of pathRuns(invocation, at, entries)) {
    isFound = true;
    if (flags['history-json']) {
      await out.write(`${JSON.stringify({ ...record(entry), changes })}\n`);
      continue;
    }
    const [line = ''] = historyLines([entry], context.clock.now(), undefined);
    const lines = changes.slice(0, 10).map((change) => `  ${changeLine(change)}`);
    const more = changes.length - lines.length;
    if (more > 0) lines.push(`  and ${counted(more, 'more change')}: syncer history ${entry.id}`);
    for (const each of [line, ...lines]) await out.write(`${harmlessLine(each)}\n`);
  }
  if (!isFound) {
    context.emit(logText('notice', 'no run whose changes are kept has changed this path', typed));
  }
}

async function printRun(
  { flags, out, env, commands }: HistoryNeeds,
  entry: HistoryEntry,
): Promise<void> {
  const { id, past, words, beganMs } = entry;
  const changes = await readChanges(join(runsFolder(env), id));
  const damage = changes && journalDamage(changes, entry.sum);
  if (flags['history-html']) {
    const { pastChanges, pastRecord, reportPage } = await import(
      '../../src/run/reports/report-page.ts'
    );
    const made = pastChanges(changes?.changes ?? []);
    await out.write(reportPage(pastRecord(entry, made, commands), made));
    return;
  }
  if (flags['history-json']) {
    const { places = [], changes: made = [] } = changes ?? {};
    const json = { ...record(entry), ...(damage && { damage }), places, changes: made };
    await out.write(`${JSON.stringify(json)}\n`);
    return;
  }
  const end = past === undefined ? '' : `, ${runSum(past)}, took ${took(past.tookMs)}`;
  await out.write(`${harmlessLine(`${id}: ${shellLine(words)}`)}\n`);
  await out.write(`${localTime(beganMs)}: ${endText(entry)}${end}\n`);
  if (past?.error !== undefined) await out.write(`Last error: ${harmlessLine(past.error)}\n`);
  const text = undoText(entry, damage);
  if (text !== '') await out.write(`${text[0]?.toUpperCase()}${text.slice(1)}\n`);
  for (const change of changes?.changes ?? [])
    await out.write(`${harmlessLine(changeLine(change))}\n`);
}

/** Whether each run can be undone, by its id. */
export async function readUndo(invocation: Environment): Promise<ReadonlyMap<string, RunUndo>> {
  const entries = await listHistory(invocation);
  return new Map(
    entries.map((entry) => [entry.id, { can: canUndo(entry), text: undoText(entry) }]),
  );
}

/** What a run changed, a line for each path. */
export async function readChangeLines(
  env: NodeJS.ProcessEnv,
  id: string,
): Promise<readonly string[]> {
  const changes = await readChanges(join(runsFolder(env), id));
  return (changes?.changes ?? []).map((change) => harmlessLine(changeLine(change)));
}

/** A run as JSON. */
function record(entry: HistoryEntry) {
  const { id, words, beganMs, past, sum, undoUntilMs, undoneBy, isRunning, isLost } = entry;
  const unended = isLost ? 'unknown' : 'interrupted';
  return {
    id,
    began: new Date(beganMs).toISOString(),
    state: past === undefined ? (isRunning ? 'running' : unended) : 'ended',
    words,
    ...(past && { result: past }),
    ...(sum && { sum }),
    canUndo: canUndo(entry),
    ...(undoUntilMs !== undefined && { undoUntil: new Date(undoUntilMs).toISOString() }),
    ...(undoneBy !== undefined && { undoneBy }),
  };
}

/** How a run ended, in a word or two. */
export function endText({ past, isRunning, isLost }: HistoryEntry): string {
  if (past !== undefined) return runEnd(past);
  if (isLost) return 'not recorded';
  return isRunning ? 'running' : 'interrupted';
}

/**
 * Whether a run can be undone, in a few words.
 *
 * @param damage of its journal, if that was read
 */
export function undoText(
  { past, sum, hasJournal, undoUntilMs, undoneBy, isRunning }: HistoryEntry,
  damage?: string,
): string {
  if (isRunning) return '';
  const made = Object.values(sum?.changes ?? { unknown: 1 });
  const isNothing = past !== undefined && sum === undefined && hasJournal !== true;
  if (isNothing || made.every((count) => count === 0)) return 'changed nothing';
  if (undoneBy !== undefined) return `undone by ${undoneBy.slice(-4)}`;
  if (hasJournal !== true) return 'cannot be undone, its changes are no longer kept';
  if (sum?.isCut === true) return 'cannot be undone';
  if (keepsNothing(sum)) return 'cannot be undone, none of its paths is kept';
  const { gone = 0 } = sum ?? {};
  const without = gone === 0 ? '' : `, except for ${counted(gone, 'path')}`;
  if (damage !== undefined) return `undo only in part, the journal is damaged: ${damage}`;
  if (undoUntilMs === undefined) return `can be undone${without}`;
  return `can be undone until ${localTime(undoUntilMs).slice(0, 10)}${without}`;
}

/** Whether all or some of what a run changed can be undone. */
export function canUndo({ hasJournal, isRunning, sum, undoneBy }: HistoryEntry): boolean {
  const isWhole = hasJournal === true && !isRunning && sum?.isCut !== true;
  return isWhole && !keepsNothing(sum) && undoneBy === undefined;
}

/** The history as lines, in columns where they fit into the window. */
export function historyLines(
  entries: readonly HistoryEntry[],
  nowMs: number,
  columns: number | undefined,
): readonly string[] {
  const rows = entries.map((entry) => [
    entry.id,
    isClockSet(entry.beganMs) ? ago(nowMs - entry.beganMs) : 'clock not set',
    endText(entry),
    entry.past === undefined ? '' : runSum(entry.past),
    undoText(entry),
    shellLine(entry.words),
  ]);
  return alignedRows(rows, columns);
}

/** A change as one line: what, the path, the sizes, and where the old content is. */
export function changeLine(change: RunChange): string {
  const { do: deed, path, dir, from, new: now, kept, done } = change;
  const name = dir === true || /-dir$/.test(deed) ? `${path}/` : path;
  const shown = from === undefined ? name : `${from.path} → ${name}`;
  const before = knownOld(change);
  const sizes = [before, done?.new ?? now].flatMap((mark) =>
    mark === undefined || mark.size < 0 ? [] : formatSizeUnit(mark.size),
  );
  const isLost = deed === 'delete' || deed === 'replace';
  // Without a response a server may keep it: undo looks for the version with this ETag.
  const isOpen = done?.ok !== true && before?.etag !== undefined;
  const end = [
    sizes.join(' → '),
    isLost && kept !== undefined ? keptText(kept) : '',
    isLost && kept === undefined && !isOpen ? 'not kept' : '',
    done === undefined ? 'result unknown' : done.ok ? '' : 'failed',
  ].filter((part) => part !== '');
  return `${deed.padEnd(10)}  ${shown}${end.length === 0 ? '' : `  (${end.join(', ')})`}`;
}

function keptText(kept: KeptFile): string {
  if (kept.in === 'versions') return 'kept as an older version';
  return kept.in === 'bin' ? 'in the recycle bin' : `kept as ${kept.path}`;
}
