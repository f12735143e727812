import { join } from 'node:path';
import { counted } from '../../src/core/counted.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { harmlessLine } from '../../src/core/harmless.ts';
import { findRunId } from '../../src/core/run-id.ts';
import {
  findRun,
  type HistoryEntry,
  listHistory,
  runsFolder,
} from '../../src/run/history/list-history.ts';
import { isPath, pathRuns, storedPathOf } from '../../src/run/history/path-runs.ts';
import { runSum } from '../../src/run/history/run-text.ts';
import type { RunUndo } from '../../src/run/home-entry.ts';
import { journalDamage, readChanges } from '../../src/run/journal/read-run.ts';
import type { Command, Invocation } from '../../src/shell/command-line/command.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { windowColumns } from '../../src/shell/output/output.ts';
import { shellLine } from '../../src/system/shell-words.ts';
import { localTime, took } from '../../src/terminal/time-texts.ts';
import type { HISTORY_FLAGS } from './command.ts';
import { canUndo, changeLine, endText, historyLines, undoText } from './history-text.ts';

/** `syncer history [run]` */
export const historyCommand: Command<typeof HISTORY_FLAGS> = async (invocation) => {
  const [typed] = invocation.args;
  if (typed === undefined && invocation.flags['history-html']) {
    throw new SyncerError('usage', '--html is for one run: syncer history RUN --html');
  }
  const entries = await listHistory(invocation);
  if (typed === undefined) return printRuns(invocation, entries);
  const isRun =
    findRunId(
      typed,
      entries.map(({ id }) => id),
    ) !== undefined;
  if (!isRun && isPath(typed)) return printPath(invocation, typed, entries);
  await printRun(invocation, findRun(typed, entries));
};

/** How many changes of one run are shown. */
const MOST_CHANGES = 10;

/** The runs that have changed a path, or what is below it, newest first, with what they did. */
async function printPath(
  invocation: Invocation<typeof HISTORY_FLAGS>,
  typed: string,
  entries: readonly HistoryEntry[],
): Promise<void> {
  const { flags, out, context } = invocation;
  if (flags['history-html']) {
    throw new SyncerError('usage', '--html is for one run: syncer history RUN --html');
  }
  const at = storedPathOf(await invocation.remotes.openDir(typed));
  let isFound = false;
  for await (const { entry, changes } of pathRuns(invocation, at, entries)) {
    isFound = true;
    if (flags['history-json']) {
      await out.write(`${JSON.stringify({ ...record(entry), changes })}\n`);
      continue;
    }
    const [line = ''] = historyLines([entry], context.clock.now(), undefined);
    const lines = changes.slice(0, MOST_CHANGES).map((change) => `  ${changeLine(change)}`);
    const more = changes.length - lines.length;
    if (more > 0) lines.push(`  and ${counted(more, 'more change')}: syncer history ${entry.id}`);
    for (const each of [line, ...lines]) await out.write(`${harmlessLine(each)}\n`);
  }
  if (!isFound) {
    context.emit(logText('notice', 'no run whose changes are kept has changed this path', typed));
  }
}

async function printRuns(
  { flags, out, context }: Invocation<typeof HISTORY_FLAGS>,
  entries: readonly HistoryEntry[],
): Promise<void> {
  const lines = flags['history-json']
    ? entries.map((entry) => JSON.stringify(record(entry)))
    : historyLines(entries, context.clock.now(), windowColumns(out)).map(harmlessLine);
  for (const line of lines) await out.write(`${line}\n`);
}

async function printRun(
  { flags, out, env, commands }: Invocation<typeof HISTORY_FLAGS>,
  entry: HistoryEntry,
): Promise<void> {
  const { id, past, words, beganMs } = entry;
  const changes = await readChanges(join(runsFolder(env), id));
  const damage = changes && journalDamage(changes, entry.sum);
  if (flags['history-html']) {
    const [{ pastChanges, pastRecord }, { reportPage }] = await Promise.all([
      import('../../src/run/reports/past-record.ts'),
      import('../../src/run/reports/report-page.ts'),
    ]);
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
export async function readUndo(
  invocation: Pick<Invocation, 'env' | 'stores'>,
): Promise<ReadonlyMap<string, RunUndo>> {
  const entries = await listHistory(invocation);
  return new Map(
    entries.map((entry) => [entry.id, { can: canUndo(entry), text: undoText(entry) }]),
  );
}

/** What a run changed, a line for each path. */
export async function readChangeLines(
  { env }: Pick<Invocation, 'env'>,
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
