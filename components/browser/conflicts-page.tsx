import { counted, harmless } from '../../src/core/shown-text.ts';
import type { OnConflict, Replaced, ShownFile } from '../../src/size-tree/browser-effects.ts';
import { cutMiddle, fill } from '../../src/terminal/cells.ts';
import { plainSize, sizeText, timeText } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import { type BrowserPage, HELPS } from './page.ts';
import { RowList } from './row-list.ts';
import { type RowLook, rowsPage } from './rows.tsx';
import type { NamedLine } from './text-page.tsx';

/** An answer: `newer` replaces only what is older. */
type Answer = OnConflict | 'newer';

const ANSWERS: Readonly<Record<Answer, readonly [key: string, label: string, about: string]>> = {
  replace: ['r', 'replace', 'replace the file there'],
  newer: ['n', 'newer', 'replace it only if the new one is newer'],
  both: ['b', 'both', 'keep both: the new one comes beside it as "name (2)"'],
  leave: ['s', 'skip', 'leave it as it is'],
};

/** Asks what becomes of each file that is there already; `onDone` gets the answers. */
export function conflictsPage(
  browser: Browser,
  subject: string,
  conflicts: readonly Replaced[],
  onDone: (answers: ReadonlyMap<string, OnConflict>) => void,
): BrowserPage {
  const list = new RowList(() => conflicts);
  const answers: Answer[] = conflicts.map(() => 'replace');
  const resultAt = (at: number): OnConflict => {
    const answer = answers[at] ?? 'replace';
    if (answer !== 'newer') return answer;
    return ageOf(conflicts[at]) === 'newer' ? 'replace' : 'leave';
  };
  const answer = (name: Answer) => {
    const [key, label, about] = ANSWERS[name];
    return row(key, label, about, () => {
      answers[list.cursor] = name;
    });
  };
  const done = () => onDone(new Map(conflicts.map(({ path }, at) => [path, resultAt(at)])));
  return rowsPage({
    list,
    keys: () => [
      row('Enter', 'continue', 'continue: the files are shown before anything starts', done),
      ...(['replace', 'newer', 'both', 'leave'] as const).map(answer),
      row('a', 'all', 'the answer of this file for all of them', () =>
        answers.fill(answers[list.cursor] ?? 'replace'),
      ),
      list.rule(),
      row('Esc', 'cancel', 'cancel; also ← and q', () => browser.back(), { also: '← q' }),
      ...HELPS,
    ],
    view: () => ({
      browser,
      subject,
      aside: `${counted(conflicts.length, 'file')} there`,
      status: list.current && [
        span(`there ${factsText(list.current.there)}`),
        span(`  new ${factsText(list.current.here)}`, 'accent'),
      ],
      lineOf: (conflict, look) => conflictLine(conflict, resultAt(look.at), look),
    }),
  });
}

/** Columns of the answer, of the sizes of both files and of how old the new one is; narrow windows have no sizes. */
const ANSWER_COLUMNS = 9;
const WIDE = 60;

function conflictLine(conflict: Replaced, result: OnConflict, { columns, glyphs }: RowLook): Line {
  const { path, here, there } = conflict;
  const label = result === 'both' ? 'keep both' : ANSWERS[result][1];
  const tone = ({ replace: 'warn', both: 'good', leave: 'dim' } as const)[result];
  const answer = span(fill(label, ANSWER_COLUMNS, glyphs.ellipsis), tone);
  const sizes = `${sizeText(there.bytes).padStart(10)} ${glyphs.arrow} ${sizeText(here.bytes).padStart(10)}`;
  const age = ageOf(conflict);
  const facts = columns < WIDE ? age.padEnd(9) : `${sizes}  ${age.padEnd(9)}`;
  const room = columns - ANSWER_COLUMNS - facts.length - 6;
  return [
    answer,
    span(`  ${facts}`, 'dim'),
    span(`  ${cutMiddle(harmless(path), Math.max(4, room), glyphs.ellipsis)}`),
  ];
}

/** How old the new file is beside the one that is there. */
function ageOf(conflict: Replaced | undefined): 'newer' | 'older' | 'same time' | '' {
  const ms = (conflict?.here.timeMs ?? Number.NaN) - (conflict?.there.timeMs ?? Number.NaN);
  if (Number.isNaN(ms)) return '';
  return ms > 0 ? 'newer' : ms < 0 ? 'older' : 'same time';
}

/** Files that are replaced, in a question. */
export function replacedNames(replaced: readonly Replaced[]): readonly NamedLine[] {
  return replaced.map(({ path, here, there }) => ({
    name: harmless(path),
    more: [`old ${factsText(there)}`, `new ${factsText(here)}`],
  }));
}

/** `12.3 MiB, 2026-01-31 12:00`. */
export function factsText({ bytes, timeMs }: ShownFile): string {
  const size = bytes < 10_000 ? counted(bytes, 'byte') : plainSize(bytes);
  return Number.isNaN(timeMs) ? size : `${size}, ${timeText(timeMs)}`;
}
