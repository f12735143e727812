import { harmless } from '../core/harmless.ts';
import { figure } from '../kit/counted.ts';
import { cut, cutMiddle } from '../screen/cells.ts';
import type { Look } from '../screen/look.ts';
import { type Line, span } from '../screen/span.ts';
import { type Failures, failureText } from './failures.ts';

/** The errors of a run as lines: each cause with its number, and below it the files. */
export function failureLines(failures: Failures, columns: number, { glyphs }: Look): Line[] {
  const lines = [...failures.byCause.values()].flatMap((failure): Line[] => {
    const { count, paths } = failure;
    const head = `${glyphs.cross} ${failureText(failure)}`;
    const shown = count > 1 ? paths : [];
    const more = count > 1 && paths.length > 0 ? count - paths.length : 0;
    return [
      [span(cut(head, columns, glyphs.ellipsis), 'bad')],
      ...shown.map(
        (path): Line => [
          span(`    ${cutMiddle(harmless(path), Math.max(1, columns - 4), glyphs.ellipsis)}`),
        ],
      ),
      ...(more > 0 ? [[span(cut(`    and ${figure(more)} more`, columns), 'dim')]] : []),
    ];
  });
  return lines.length > 0 ? lines : [[span('  No errors.', 'dim')]];
}
