import { join } from 'node:path';
import type { Command, Invocation } from '../src/app/command.ts';
import {
  changeLine,
  endText,
  historyLines,
  keepsNothing,
  undoText,
} from '../src/app/history/history-text.ts';
import {
  findRun,
  type HistoryEntry,
  listHistory,
  runsFolder,
} from '../src/app/history/list-history.ts';
import { windowColumns } from '../src/app/output/output.ts';
import { SyncerError } from '../src/core/errors.ts';
import { harmlessLine } from '../src/core/harmless.ts';
import { shellLine } from '../src/home/home-actions.ts';
import { runSum } from '../src/home/run-text.ts';
import { journalDamage } from '../src/journal/journal-damage.ts';
import { readChanges } from '../src/journal/read-run.ts';
import { localTime, took } from '../src/screen/time-texts.ts';

/** `syncer history [run]` */
export const historyCommand: Command = async (invocation) => {
  const [typed] = invocation.args;
  if (typed === undefined && invocation.flags['history-html']) {
    throw new SyncerError('usage', '--html is for one run: syncer history RUN --html');
  }
  const entries = await listHistory(invocation);
  if (typed === undefined) await printRuns(invocation, entries);
  else await printRun(invocation, findRun(typed, entries));
};

async function printRuns(
  { flags, out, context }: Invocation,
  entries: readonly HistoryEntry[],
): Promise<void> {
  const lines = flags['history-json']
    ? entries.map((entry) => JSON.stringify(record(entry)))
    : historyLines(entries, context.clock.now(), windowColumns(out)).map(harmlessLine);
  for (const line of lines) await out.write(`${line}\n`);
}

async function printRun({ flags, out, env }: Invocation, entry: HistoryEntry): Promise<void> {
  const { id, past, words, beganMs } = entry;
  const changes = await readChanges(join(runsFolder(env), id));
  const damage = changes && journalDamage(changes, entry.sum);
  if (flags['history-html']) {
    const [{ pastChanges, pastRecord }, { reportPage }] = await Promise.all([
      import('../src/app/after-run/past-record.ts'),
      import('../src/app/after-run/report-page.ts'),
    ]);
    const made = pastChanges(changes?.changes ?? []);
    await out.write(reportPage(pastRecord(entry, made), made));
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

/** A run as JSON. */
function record({
  id,
  words,
  beganMs,
  past,
  sum,
  hasJournal,
  undoUntilMs,
  undoneBy,
  isRunning,
}: HistoryEntry) {
  const isWhole = hasJournal === true && !isRunning && sum?.isCut !== true;
  const canUndo = isWhole && !keepsNothing(sum);
  return {
    id,
    began: new Date(beganMs).toISOString(),
    state: past === undefined ? (isRunning ? 'running' : 'interrupted') : 'ended',
    words,
    ...(past && { result: past }),
    ...(sum && { sum }),
    canUndo: canUndo && undoneBy === undefined,
    ...(undoUntilMs !== undefined && { undoUntil: new Date(undoUntilMs).toISOString() }),
    ...(undoneBy !== undefined && { undoneBy }),
  };
}
