import { counted, harmless } from '../../src/core/shown-text.ts';
import type { TextDifference } from '../../src/run/review/difference-rows.ts';
import type { PlanNode } from '../../src/run/review/plan-tree.ts';
import { sureText } from '../../src/run/review/review-lines.ts';
import type { ReviewState } from '../../src/run/review/review-state.ts';
import { cut, fill } from '../../src/terminal/cells.ts';
import type { Look } from '../../src/terminal/look.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { changePane } from './change-pane.ts';
import { undecided } from './conflict-keys.ts';

/** Columns from which both texts stand side by side. */
const SIDE_BY_SIDE = 60;

/** Both versions of a file that both sides changed: times and sizes, what is chosen, and the difference of the texts. */
export function conflictLines(
  { difference }: Pick<ReviewState, 'difference'>,
  node: PlanNode,
  columns: number,
  { glyphs }: Pick<Look, 'glyphs'>,
): readonly Line[] {
  const { rows, why, of } = difference ?? {};
  const texts = rows?.flatMap((row) => rowLines(row, columns));
  const none = () => textLines(why ?? 'Reading both versions', columns, 'dim');
  const shown = of === undefined || of !== node.change ? [] : (texts ?? none());
  return [...changePane(node, columns, glyphs), [], ...shown];
}

/** A row as `sdiff` shows it; in a narrow window as `diff` does. */
function rowLines({ left, right, isEqual }: TextDifference, columns: number): readonly Line[] {
  const [a, b] = [shown(left), shown(right)];
  if (columns < SIDE_BY_SIDE) {
    if (isEqual) return [[span(cut(`  ${a}`, columns), 'dim')]];
    const sides = [left === undefined ? '' : `< ${a}`, right === undefined ? '' : `> ${b}`];
    return sides.filter((text) => text !== '').map((text) => [span(cut(text, columns), 'warn')]);
  }
  const width = Math.floor((columns - 3) / 2);
  const mark = isEqual ? ' ' : left === undefined ? '>' : right === undefined ? '<' : '|';
  const text = `${fill(a, width)} ${mark} ${cut(b, width)}`;
  return [[span(text, isEqual ? 'dim' : 'warn')]];
}

function shown(text = ''): string {
  return harmless(text.replaceAll('\t', '    '));
}

/** The question that a review asks now; `''` where there is none. */
export function questionText({ mode, tree }: Pick<ReviewState, 'mode' | 'tree'>): string {
  if (mode === 'sure') return sureText(tree.root.chosen);
  if (mode !== 'rest') return '';
  const left = counted(undecided(tree).length, 'conflict');
  return `Of ${left}, keep: 1 path1, 2 path2, b both, n newer, o older, l larger, s smaller`;
}
