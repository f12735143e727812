import { Box } from 'ink';
import { counted, figure, harmless } from '../../src/core/shown-text.ts';
import { afterwards } from '../../src/run/review/afterwards.ts';
import type { AskedLine } from '../../src/run/review/plan-loss.ts';
import {
  firstCursor,
  type PlanNode,
  reasonOfNode,
  renamedText,
} from '../../src/run/review/plan-tree.ts';
import { nameOf, nodeLine, totalsText } from '../../src/run/review/review-lines.ts';
import type { ReviewState } from '../../src/run/review/review-state.ts';
import { cellWidth } from '../../src/terminal/cells.ts';
import { POINTER_COLUMNS } from '../../src/terminal/cursor-list.ts';
import { separated } from '../../src/terminal/fit-parts.ts';
import { scrolledRange } from '../../src/terminal/help-lines.ts';
import type { Glyphs } from '../../src/terminal/look.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { Menu } from '../ui/list.tsx';
import { Page } from '../ui/page.tsx';
import type { PageQuestion } from '../ui/question.ts';
import { Row } from '../ui/row.tsx';
import { type ScreenViewProps, useLook, useRoom } from '../ui/screen.tsx';
import { Lines, LinesIn, type LinesInProps, Paragraph } from '../ui/text.tsx';
import { changePane, problemLines } from './change-pane.ts';
import { questionLines, type ReviewModel, textOf } from './review-model.ts';

/** The plan of a run as a tree, before anything happens. */
export function ReviewView({ model: { state } }: ScreenViewProps<ReviewModel>) {
  const { contents, mode, tree, lines, cursor, scroll, rows } = state;
  const look = useLook();
  const text = textOf(state, look.glyphs);
  const node = lines[cursor];
  const all = counted(contents.plan.size, 'change');
  const { changes } = tree.root.chosen;
  const count = changes === contents.plan.size ? all : `${figure(changes)} of ${all}`;
  const asked = questionLines(state);
  const about =
    (shown: PlanNode): LinesInProps['lines'] =>
    ({ columns }, { glyphs }) => [
      ...changePane(shown, columns, glyphs),
      ...problemLines(problemsAt(state), columns),
    ];
  return (
    <Page
      subject={harmless(contents.subject)}
      aside={(mode === 'why' && scrolledRange(text?.length ?? 0, scroll, rows)) || count}
      status={asked.length === 0 ? statusLine(state, look.glyphs) : undefined}
      field={mode === 'filter' ? { label: 'filter', edited: state.edited } : undefined}
      pane={text === undefined && node !== undefined ? <LinesIn lines={about(node)} /> : undefined}
      question={asked.length === 0 ? undefined : belowTree(asked)}
    >
      {text === undefined ? <Tree {...state} /> : <Lines lines={text} first={scroll} />}
    </Page>
  );
}

/** A question below the tree: its first lines say what is lost. */
function belowTree(asked: readonly AskedLine[]): PageQuestion {
  const lines = ({ columns }: Size) =>
    asked.flatMap(({ text, tone }) => textLines(text, columns, tone, true));
  return { lines: (room) => lines(room).map((line) => ({ line })), isBelow: true };
}

/** What went wrong shows until the cursor moves on. */
function problemsAt({ contents, lines, cursor }: ReviewState): readonly string[] {
  return cursor <= firstCursor(lines) ? contents.problems : [];
}

function Tree({ contents, tree, filter, lines, cursor, first, hasEffect }: ReviewState) {
  const { glyphs } = useLook();
  const { columns, rows } = useRoom();
  if (tree.root.shown === 0) {
    const what = filter.deletionsOnly ? 'deletion' : 'change';
    const none =
      filter.text === '' ? 'No deletions.' : `No ${what} matches the filter "${filter.text}".`;
    return <Paragraph text={contents.plan.size === 0 ? 'Nothing to do.' : none} tone="dim" />;
  }
  const lineOf = (node: PlanNode) => nodeLine(node, tree.kinds, columns - POINTER_COLUMNS, glyphs);
  const { seen, effect } = tree;
  const menu = { items: lines, cursor, first, lineOf, opens: true };
  if (!hasEffect || seen === undefined) return <Menu {...menu} />;
  const parts = afterwards(seen, effect, contents.pace);
  return (
    <>
      <Menu {...menu} rows={rows - 1} />
      <Box flexGrow={1} />
      <Row line={separated(columns, glyphs, parts)} />
    </>
  );
}

/** What cannot be done, what went wrong, or what `a` would do and what is under the cursor. */
function statusLine(state: ReviewState, { separator }: Glyphs): Line {
  const { contents, notice, tree, lines, cursor, filter, columns } = state;
  const [problem, ...others] = problemsAt(state);
  if (notice !== '') return [span(notice, 'warn', true)];
  if (problem !== undefined) {
    const more = others.length > 0 ? ` (and ${figure(others.length)} more)` : '';
    return [span(`! ${harmless(problem)}${more}`, 'bad')];
  }
  const does = `a ${contents.saves === true ? 'saves' : 'applies'}: ${totalsText(tree.root.chosen, separator)}`;
  const text = filter.text === '' ? '' : `"${filter.text}" `;
  const head = `${filter.deletionsOnly ? 'deletions only ' : text}${does}`;
  const node = lines[cursor];
  const about =
    node?.renamed === undefined ? node && reasonOfNode(node) : renamedText(node.renamed);
  const hasReason = node !== undefined && about && columns - cellWidth(head) > 15;
  const reason = hasReason ? `   ${nameOf(node)}: ${harmless(about)}` : '';
  return [span(head, 'accent', true), span(reason, 'dim')];
}
