import { harmless } from '../../src/core/harmless.ts';
import { wrap } from '../../src/terminal/cells.ts';
import { withoutSequences } from '../../src/webhook/report/run-lines.ts';
import type { OpenRun } from './hooks-state.ts';

/** What a command wrote as lines of a screen, without anything that a terminal would obey. */
export function outputLines(output: string, columns: number): string[] {
  if (output === '') return [];
  const lines = output.replace(/\r\n/g, '\n').replace(/\n$/, '').split('\n');
  return lines.flatMap((line) => wrap(lastState(line), Math.max(1, columns)));
}

/** Of a line that was written over and over its last state counts. */
function lastState(line: string): string {
  const last = withoutSequences(line).replace(/\r+$/, '').split('\r').at(-1) ?? '';
  return harmless(last.replace(/\t/g, '    '));
}

/** What stands below the facts of a run: its output, or its request if that is wanted or there is no output. */
export function linesBelow(
  { output, request, below }: OpenRun,
  columns: number,
): { readonly isOutput: boolean; readonly lines: readonly string[] } {
  if (below === 'output' && output !== '')
    return { isOutput: true, lines: outputLines(output, columns) };
  const lines = request?.flatMap((line) => indented(harmless(line), columns)) ?? [];
  return { isOutput: false, lines };
}

/** A line wrapped to the width, with what follows as far to the right as it begins. */
export function indented(line: string, columns: number): string[] {
  const indent = Math.min(line.length - line.trimStart().length, Math.floor(columns / 2));
  const lines = wrap(line.trimStart(), Math.max(1, columns - indent));
  return lines.map((text) => ' '.repeat(indent) + text);
}
