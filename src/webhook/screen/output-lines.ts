import { harmless } from '../../core/harmless.ts';
import { wrap } from '../../screen/cells.ts';

/** What a command wrote as lines of a screen, without anything that a terminal would obey. */
export function outputLines(output: string, columns: number): string[] {
  if (output === '') return [];
  const lines = output.replace(/\r\n/g, '\n').replace(/\n$/, '').split('\n');
  return lines.flatMap((line) => wrap(lastState(line), Math.max(1, columns)));
}

/** The text without colours and the like. */
export function withoutSequences(text: string): string {
  return text.replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g, '');
}

/** Of a line that was written over and over its last state counts. */
function lastState(line: string): string {
  const last = withoutSequences(line).replace(/\r+$/, '').split('\r').at(-1) ?? '';
  return harmless(last.replace(/\t/g, '    '));
}
