import { harmless, wrap } from '../../screen/cells.ts';

/** What a command wrote as lines of a screen, without anything that a terminal would obey. */
export function outputLines(output: string, columns: number): string[] {
  if (output === '') return [];
  const lines = output.replace(/\r\n/g, '\n').replace(/\n$/, '').split('\n');
  return lines.flatMap((line) => wrap(withoutSequences(line), Math.max(1, columns)));
}

/** Colours and the like go; of a line that was written over and over its last state counts. */
function withoutSequences(line: string): string {
  const plain = line.replace(
    /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g,
    '',
  );
  const last = plain.replace(/\r+$/, '').split('\r').at(-1) ?? '';
  return harmless(last.replace(/\t/g, '    '));
}
