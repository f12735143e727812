import { harmlessLine } from '../../src/core/shown-text.ts';
import { formatSizeUnit } from '../../src/go/quantities.ts';
import type { JobEvent } from '../apply/job.ts';

export interface TextOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** Shows what happens as lines of text; on a terminal the progress of the download stays on one line. */
export function textView(output: TextOutput): (event: JobEvent) => void {
  const onTerminal = output.isTTY === true;
  let tenths = 0;
  const clear = onTerminal ? '\r\x1b[K' : '';
  return (event) => {
    switch (event.kind) {
      case 'step-begun':
        tenths = 0;
        if (onTerminal) output.write(`  ${harmlessLine(event.step.text)} ...`);
        return;
      case 'progress': {
        const part = event.total === undefined ? 0 : event.done / event.total;
        const text = progressText(event.done, event.total);
        if (onTerminal) output.write(`${clear}  ${text}`);
        else if (Math.floor(part * 10) > tenths && part < 1) output.write(`  ${text}\n`);
        tenths = Math.floor(part * 10);
        return;
      }
      case 'step-done': {
        const result = event.result === '' ? 'done' : event.result;
        output.write(`${clear}  ${harmlessLine(`${event.step.text}: ${result}`)}\n`);
        return;
      }
      case 'step-failed':
        output.write(`${clear}  ${harmlessLine(event.step.text)}: failed\n`);
        return;
      case 'undo-begun':
        output.write('Undoing what was done:\n');
        return;
      case 'undone':
        output.write(`  ${harmlessLine(event.text)}\n`);
    }
  };
}

/** How far a download is, in words. */
export function progressText(done: number, total: number | undefined): string {
  if (total === undefined) return `downloaded ${formatSizeUnit(done)}`;
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
  return `downloaded ${formatSizeUnit(done)} of ${formatSizeUnit(total)} (${percent} %)`;
}
