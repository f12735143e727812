import { stripVTControlCharacters } from 'node:util';
import { harmless } from '../../src/core/shown-text.ts';
import { wrap } from '../../src/terminal/cells.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import type { OpenRun } from './hooks-state.ts';

/** What a command wrote as lines of a screen, without anything that a terminal would obey. */
export function outputLines(output: string, columns: number): string[] {
  if (output === '') return [];
  const lines = output.replace(/\r\n/g, '\n').replace(/\n$/, '').split('\n');
  return lines.flatMap((line) => wrap(lastState(line), Math.max(1, columns)));
}

/** Of a line that was written over and over its last state counts. */
function lastState(line: string): string {
  const last = stripVTControlCharacters(line).replace(/\r+$/, '').split('\r').at(-1) ?? '';
  return harmless(last.replace(/\t/g, '    '));
}

/** What stands below the facts of a run: its output, or its request if that is wanted or there is no output. */
export function linesBelow(
  { output, request, below }: OpenRun,
  columns: number,
): { readonly isOutput: boolean; readonly lines: readonly Line[] } {
  if (below === 'output' && output !== '') {
    const lines = outputLines(output, columns).map((text) => [span(text)]);
    return { isOutput: true, lines };
  }
  return { isOutput: false, lines: request?.flatMap((line) => textLines(line, columns)) ?? [] };
}
