import { modTimeToMs } from '../../src/core/mod-time.ts';
import type { Print } from '../../src/core/same-content.ts';
import { counted, figure, harmless } from '../../src/core/shown-text.ts';
import type { TextDifference } from '../../src/run/review/difference-rows.ts';
import { type PlanNode, reasonOfNode, renamedText } from '../../src/run/review/plan-tree.ts';
import {
  CHANGE_KINDS,
  KINDS,
  KINDS_BY_DANGER,
  kindCount,
  type PlannedChange,
  reviewSize,
} from '../../src/run/review/planned-change.ts';
import { nameOf } from '../../src/run/review/review-lines.ts';
import type { ReviewState } from '../../src/run/review/review-state.ts';
import { cut, cutMiddle, fill } from '../../src/terminal/cells.ts';
import type { Glyphs } from '../../src/terminal/look.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { localTime } from '../../src/terminal/time-texts.ts';

const LABEL_WIDTH = 10;

/** What stands beside the tree: both sides of a change, or what is done below a directory. */
export function changePane(node: PlanNode, columns: number, { ellipsis }: Glyphs): readonly Line[] {
  const name = cutMiddle(nameOf(node), columns, ellipsis);
  const excluded = node.chosen.changes === 0 ? [[span('excluded', 'warn')]] : [];
  const about =
    node.change === undefined
      ? belowLines(node, columns)
      : sideLines({ ...node.change, reason: reasonOfNode(node) }, columns, ellipsis);
  return [[span(name, 'section')], ...excluded, [], ...about];
}

/** What went wrong in the planning run, or is left. */
export function problemLines(problems: readonly string[], columns: number): readonly Line[] {
  if (problems.length < 2) return [];
  const more = problems.length - 10;
  const shown = problems.slice(0, 10).map((problem) => harmless(problem));
  const all = more > 0 ? [...shown, `and ${figure(more)} more`] : shown;
  return [[], ...all.flatMap((text) => textLines(text, columns, 'warn'))];
}

function belowLines({ chosen, renamed }: PlanNode, columns: number): readonly Line[] {
  const lines = KINDS_BY_DANGER.flatMap((kind): Line[] => {
    const count = chosen.kinds[KINDS.indexOf(kind)] ?? 0;
    const text = `  ${kindCount(kind, count)}`;
    return count === 0 ? [] : [[span(text, CHANGE_KINDS[kind].tone)]];
  });
  const kept = chosen.bytes - chosen.deleted;
  return [
    ...lines,
    ...(chosen.deleted > 0 ? [[], [span(`  ${reviewSize(chosen.deleted)} deleted`, 'bad')]] : []),
    ...(kept > 0
      ? [[], [span(`  ${chosen.isAtMost ? 'at most ' : ''}${reviewSize(kept)} to send`)]]
      : []),
    ...(renamed === undefined
      ? []
      : [[], ...textLines(harmless(renamedText(renamed)), columns, 'warn')]),
  ];
}

function sideLines(
  { kind, path, size, isAtMost, reason, source, dest, toPath }: PlannedChange,
  columns: number,
  ellipsis: string,
): readonly Line[] {
  const isTwoWay = kind === 'conflict' || toPath !== undefined;
  const sides = toPath === 1 ? [dest, source] : [source, dest];
  const names = isTwoWay ? ['path1', 'path2'] : ['source', 'destination'];
  const width = Math.max(8, Math.floor((columns - LABEL_WIDTH) / 2));
  const cells = (texts: readonly string[]) =>
    texts.map((text) => fill(text, width - 1, ellipsis)).join(' ');
  const row = (label: string, of: (print: Print) => string | undefined): Line[] => {
    const texts = sides.map((print) => (print && of(print)) ?? '');
    if (texts.every((text) => text === '')) return [];
    const differs = source !== undefined && dest !== undefined && texts[0] !== texts[1];
    return [
      [span(fill(label, LABEL_WIDTH), 'dim'), span(cells(texts), differs ? 'warn' : 'plain')],
    ];
  };
  const heads = names.map((name, at) => (sides[at] === undefined ? `no ${name}` : name));
  const hasSides = source !== undefined || dest !== undefined;
  return [
    [span(CHANGE_KINDS[kind].one, CHANGE_KINDS[kind].tone, true)],
    ...textLines(reason, columns),
    ...(isAtMost ? textLines(`at most ${reviewSize(size)} to send`, columns) : []),
    ...(path.includes('/') ? [[], ...textLines(path, columns, 'dim')] : []),
    ...(hasSides ? [[], [span(' '.repeat(LABEL_WIDTH) + cells(heads), 'dim')]] : []),
    ...row('size', ({ size }) => (size < 0 ? undefined : counted(size, 'byte'))),
    ...row('modified', ({ modTime }) =>
      modTime === undefined ? undefined : localTime(modTimeToMs(modTime)),
    ),
    ...row('ETag', ({ etag }) => etag && harmless(etag)),
  ];
}

/** Both versions of a file that both sides changed: times and sizes, what is chosen, and the difference of the texts. */
export function conflictLines(
  { difference }: Pick<ReviewState, 'difference'>,
  node: PlanNode,
  columns: number,
  glyphs: Glyphs,
): readonly Line[] {
  const { rows, why, of } = difference ?? {};
  const texts = rows?.flatMap((row) => rowLines(row, columns));
  const none = () => textLines(why ?? 'Reading both versions', columns, 'dim');
  const shown = of === undefined || of !== node.change ? [] : (texts ?? none());
  return [...changePane(node, columns, glyphs), [], ...shown];
}

/** A row as `sdiff` shows it; in a narrow window as `diff` does. */
function rowLines({ left, right, isEqual }: TextDifference, columns: number): readonly Line[] {
  const [a = '', b = ''] = [left, right].map((text = '') =>
    harmless(text.replaceAll('\t', '    ')),
  );
  // There is no room for both texts side by side.
  if (columns < 60) {
    if (isEqual) return [[span(cut(`  ${a}`, columns), 'dim')]];
    const sides = [left === undefined ? '' : `< ${a}`, right === undefined ? '' : `> ${b}`];
    return sides.filter((text) => text !== '').map((text) => [span(cut(text, columns), 'warn')]);
  }
  const width = Math.floor((columns - 3) / 2);
  const mark = isEqual ? ' ' : left === undefined ? '>' : right === undefined ? '<' : '|';
  const text = `${fill(a, width)} ${mark} ${cut(b, width)}`;
  return [[span(text, isEqual ? 'dim' : 'warn')]];
}
