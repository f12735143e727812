import { counted, figure } from '../../src/core/counted.ts';
import { harmless } from '../../src/core/harmless.ts';
import { type PlanFilter, reasonOfNode } from '../../src/run/review/plan-tree.ts';
import { nameOf, nodeLine, totalsText } from '../../src/run/review/review-lines.ts';
import type { ReviewState } from '../../src/run/review/review-state.ts';
import { cellWidth, cut, wrap } from '../../src/terminal/cells.ts';
import { POINTER_COLUMNS, pointed } from '../../src/terminal/cursor-list.ts';
import { helpLines, scrolled, scrolledRange } from '../../src/terminal/help-lines.ts';
import type { Look } from '../../src/terminal/look.ts';
import type { FrameLine, ScreenFrame } from '../../src/terminal/screen-frame.ts';
import { contentRows, layoutOf } from '../../src/terminal/screen-layout.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { changePane, whyLines } from './change-pane.ts';
import { conflictLines, questionText } from './conflict-lines.ts';
import { reviewKeys } from './review-keys.ts';

/** The plan of a run as a tree, before anything happens. */
export function reviewFrame(state: ReviewState, size: Size, look: Look): ScreenFrame {
  const { contents, mode, tree, lines, cursor } = state;
  const { chosen } = tree.root;
  const { isWide, inner, pane } = layoutOf(size, !['help', 'why', 'conflict'].includes(mode));
  const all = contents.plan.size;
  const node = lines[cursor];
  const question = questionText(state);
  const asks = question !== '';
  const room = contentRows(inner, asks ? 0 : mode === 'filter' ? 2 : 1);
  const asked = asks
    ? wrap(question, inner.columns - (isWide ? 4 : 0)).map(
        (text): Line => [span(text, 'warn', true)],
      )
    : [];
  const below = isWide ? [] : asked.slice(0, room).map((line) => ({ line }));
  const rows = room - below.length;
  const why =
    node === undefined || mode !== 'why' ? [] : whyLines(contents, node, inner.columns, look);
  const range = scrolledRange(why.length, state.scroll, rows);
  return {
    subject: harmless(contents.subject),
    aside:
      range ||
      `${chosen.changes === all ? '' : `${figure(chosen.changes)} of `}${counted(all, 'change')}`,
    lines: [...pageLines(state, why, { ...inner, rows }, look), ...below],
    ...(mode === 'filter' ? { field: { label: 'filter', edited: state.edited } } : {}),
    ...(isWide && asks ? { box: asked } : {}),
    ...(asks ? { asked } : {}),
    ...(pane > 0 && node !== undefined ? { pane: changePane(node, pane, look.glyphs) } : {}),
    status: asks ? undefined : statusLine(state, size.columns, look),
    hints: reviewKeys(state),
    opens: mode === 'browse',
  };
}

/** `why`: the page about a change, where that is shown. */
function pageLines(
  state: ReviewState,
  why: readonly Line[],
  { columns, rows }: Size,
  look: Look,
): readonly FrameLine[] {
  const { mode, help } = state;
  if (mode === 'help') {
    const lines = helpLines(reviewKeys({ ...state, mode: help.of }), columns, look);
    return scrolled(lines, help.first, rows).map((line) => ({ line }));
  }
  const node = state.lines[state.cursor];
  if (node !== undefined && mode === 'why') {
    return scrolled(why, state.scroll, rows).map((line) => ({ line }));
  }
  if (node !== undefined && mode === 'conflict') {
    return conflictLines(state, node, { columns, rows }, look);
  }
  return treeLines(state, rows, columns, look);
}

function nothingShown({ text, deletionsOnly }: PlanFilter): string {
  if (text === '') return 'No deletions.';
  return `No ${deletionsOnly ? 'deletion' : 'change'} matches the filter "${text}".`;
}

function treeLines(
  { contents, tree, filter, lines, cursor, first: start }: ReviewState,
  rows: number,
  columns: number,
  { glyphs }: Look,
): readonly FrameLine[] {
  if (tree.root.shown === 0) {
    const text = contents.plan.size === 0 ? 'Nothing to do.' : nothingShown(filter);
    return [{ line: [span(text, 'dim')] }];
  }
  const first = Math.max(start, cursor - rows + 1);
  return lines.slice(first, first + rows).map((node, at) => {
    const selected = first + at === cursor;
    const line = nodeLine(node, tree.kinds, columns - POINTER_COLUMNS, glyphs);
    return { line: pointed(line, selected, glyphs), selected, at: first + at };
  });
}

/** What cannot be done, what went wrong, or what `a` would do and what is under the cursor. */
function statusLine(
  { contents, notice, tree, lines, cursor, filter }: ReviewState,
  columns: number,
  { glyphs }: Look,
): Line {
  const { chosen } = tree.root;
  if (notice !== '') return [span(cut(notice, columns, glyphs.ellipsis), 'warn', true)];
  const [problem] = contents.problems;
  if (problem !== undefined && cursor === 0) {
    const more =
      contents.problems.length > 1 ? ` (and ${figure(contents.problems.length - 1)} more)` : '';
    return [span(cut(`! ${harmless(problem)}${more}`, columns, glyphs.ellipsis), 'bad')];
  }
  const does = `${contents.saves === true ? 'save' : 'a'}: ${totalsText(chosen, glyphs.separator)}`;
  const narrowed = filter.deletionsOnly
    ? 'deletions only '
    : filter.text === ''
      ? ''
      : `"${filter.text}" `;
  const node = lines[cursor];
  const reason =
    node?.change === undefined ? '' : `${nameOf(node)}: ${harmless(reasonOfNode(node))}`;
  const head = cut(`${narrowed}${does}`, columns, glyphs.ellipsis);
  const room = columns - cellWidth(head) - 3;
  return [
    span(head, 'accent', true),
    span(room > 12 && reason !== '' ? `   ${cut(reason, room, glyphs.ellipsis)}` : '', 'dim'),
  ];
}
