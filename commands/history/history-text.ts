import { alignedRows } from '../../src/core/aligned-rows.ts';
import { counted } from '../../src/core/counted.ts';
import { isClockSet } from '../../src/core/run-id.ts';
import { formatSizeUnit } from '../../src/go/byte-size.ts';
import type { HistoryEntry } from '../../src/run/history/list-history.ts';
import { keepsNothing, runEnd, runSum } from '../../src/run/history/run-text.ts';
import type { FileMark, KeptFile } from '../../src/run/journal/journal-line.ts';
import type { RunChange } from '../../src/run/journal/read-run.ts';
import { shellLine } from '../../src/system/shell-words.ts';
import { ago, localTime } from '../../src/terminal/time-texts.ts';

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
export function changeLine({
  do: deed,
  path,
  dir,
  from,
  old,
  new: now,
  kept,
  done,
}: RunChange): string {
  const name = dir === true || /-dir$/.test(deed) ? `${path}/` : path;
  const shown = from === undefined ? name : `${from.path} → ${name}`;
  const before = old === undefined || old === 'unknown' ? undefined : old;
  const sizes = [before, done?.new ?? now].flatMap((mark) => sizeText(mark) ?? []);
  const isLost = deed === 'delete' || deed === 'replace';
  const where = done?.kept ?? kept;
  // Without a response a server may keep it: undo looks for the version with this ETag.
  const isOpen = done?.ok !== true && before?.etag !== undefined;
  const end = [
    sizes.join(' → '),
    isLost && where !== undefined ? keptText(where) : '',
    isLost && where === undefined && !isOpen ? 'not kept' : '',
    done === undefined ? 'result unknown' : done.ok ? '' : 'failed',
  ].filter((part) => part !== '');
  return `${deed.padEnd(10)}  ${shown}${end.length === 0 ? '' : `  (${end.join(', ')})`}`;
}

function sizeText(mark: FileMark | undefined): string | undefined {
  return mark === undefined || mark.size < 0 ? undefined : formatSizeUnit(mark.size);
}

function keptText(kept: KeptFile): string {
  switch (kept.in) {
    case 'trash':
    case 'place':
      return `kept as ${kept.path}`;
    case 'versions':
      return 'kept as an older version';
    case 'bin':
      return 'in the recycle bin';
  }
}
