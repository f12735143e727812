import {
  chosenChanges,
  isConflict,
  losesSomething,
  NO_FILTER,
  type PlanFilter,
  type PlanNode,
  reckon,
  toggle,
  visibleNodes,
} from '../../src/run/review/plan-tree.ts';
import type { ReviewState } from '../../src/run/review/review-state.ts';
import { moveCursor, scrollTo } from '../../src/terminal/cursor-list.ts';
import { scrolledBy } from '../../src/terminal/help-lines.ts';
import type { Key } from '../../src/terminal/key.ts';
import {
  ACTIONS,
  CTRL_C,
  HELP,
  keyName,
  row,
  ruleOf,
  typing,
} from '../../src/terminal/key-table.ts';
import { MOVE, SCROLL, stepOf } from '../../src/terminal/list-keys.ts';
import { type Look, UNICODE_GLYPHS } from '../../src/terminal/look.ts';
import type { Line } from '../../src/terminal/span.ts';
import { stepTo } from '../../src/terminal/state-screen.ts';
import { editByKey, editText } from '../../src/terminal/text-edit.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { changePane, problemLines } from './change-pane.ts';
import {
  CONFLICT_ROWS,
  openConflict,
  REST_ROWS,
  type ReviewRule,
  type ReviewStep,
} from './conflict-keys.ts';
import { conflictLines } from './conflict-lines.ts';

const quit = (state: ReviewState) => stepTo(state, { type: 'end', result: undefined } as const);

const TABLES: Readonly<Record<ReviewState['mode'], readonly ReviewRule[]>> = {
  browse: [
    row(
      'a',
      'apply',
      'apply everything shown except what is excluded (asks before it deletes or replaces)',
      apply,
      { alone: true },
    ),
    row('Space', 'exclude', 'exclude or include this change or directory', (state) =>
      stepTo(exclude(state)),
    ),
    row('/', 'filter', 'show only paths that contain a text; only these are applied', (state) =>
      stepTo({ ...state, mode: 'filter', edited: editText(state.filter.text) }),
    ),
    row('d', 'deletions', 'show deletions only, or all', (state) =>
      stepTo(narrow(state, { deletionsOnly: !state.filter.deletionsOnly })),
    ),
    HELP,
    row('q', 'quit', 'quit without changing anything', quit),
    CTRL_C,
    {
      ...MOVE,
      also: `${MOVE.also} ^B ^F`,
      more: `${MOVE.more}, ^B and ^F`,
      run: (state, name) =>
        stepTo(show(state, state.cursor + stepOf(name, Math.max(1, state.rows - 1)))),
    },
    row('→', 'expand', 'expand a directory; also l', (state) => stepTo(fold(state, false)), {
      also: 'l',
    }),
    row(
      '←',
      'collapse',
      'collapse a directory, or go to its parent; also h',
      (state) => stepTo(foldOrLeave(state)),
      { also: 'h' },
    ),
    row(
      'Enter',
      'expand',
      'expand or collapse; show both versions of a conflict',
      (state) => {
        const node = nodeAt(state);
        if (node !== undefined && isConflict(node)) return openConflict(state, node);
        return stepTo(fold(state, !(node?.folded ?? true)));
      },
      { short: '' },
    ),
    row('[ ]', 'collapse all', 'collapse all, expand all', (state, name) => {
      for (const node of state.tree.nodes) node.folded = node.isDir && name === '[';
      return stepTo(list(state));
    }),
    row('i', 'why', 'show both sides of a change, its reason and the filter rule', (state) => {
      const node = nodeAt(state);
      if (node !== undefined && isConflict(node)) return openConflict(state, node);
      return stepTo(node === undefined ? state : { ...state, mode: 'why', scroll: 0 });
    }),
    ACTIONS,
    row('Esc', 'show all', 'clear the filter', (state) => stepTo(narrow(state, NO_FILTER))),
  ],
  filter: [
    row('Enter', 'keep the filter', '', (state) => stepTo({ ...state, mode: 'browse' })),
    row('Esc', 'show all', '', (state) =>
      stepTo(narrow({ ...state, mode: 'browse' }, { text: '' })),
    ),
    CTRL_C,
    typing((state, _, key) => {
      const edited = editByKey(state.edited, key) ?? state.edited;
      return stepTo(narrow({ ...state, edited }, { text: edited.text.toLowerCase() }));
    }),
  ],
  // Enter is No, as every other key.
  sure: [
    row('y', 'apply', '', applyNow, { confirms: true }),
    row('n', 'cancel', '', (state) => stepTo({ ...state, mode: 'browse' })),
    CTRL_C,
    row('any key', '', '', (state) => stepTo({ ...state, mode: 'browse' })),
  ],
  why: [
    CTRL_C,
    { ...SCROLL, run: scroll },
    row('any key', 'goes back', '', (state) => stepTo({ ...state, mode: 'browse' })),
  ],
  conflict: [
    ...CONFLICT_ROWS,
    { ...SCROLL, run: scroll },
    { ...ACTIONS, short: '' },
    HELP,
    row('Esc', 'back', '', (state) => stepTo({ ...state, mode: 'browse' })),
    row('q', 'quit', '', quit),
    CTRL_C,
  ],
  rest: REST_ROWS,
};

const SAVING: readonly ReviewRule[] = TABLES.browse.with(
  0,
  row(
    'a',
    'save',
    'save the plan, with a mark at everything that is excluded',
    (state) =>
      state.tree.root.chosen.changes > 0
        ? applyNow(state)
        : stepTo({ ...state, notice: 'nothing to save' }),
    { alone: true },
  ),
);

/** Plans again, with directories that look renamed as renames. */
const RENAMES: ReviewRule = row(
  'm',
  'move instead',
  'plan again with renames at the destination instead of copies and deletions (--track-renames)',
  (state) =>
    // The new plan includes everything again.
    state.tree.root.chosen.changes < state.contents.plan.size
      ? stepTo({ ...state, notice: 'plans everything again: first include and show all' })
      : stepTo(state, { type: 'end', result: 'with-renames' } as const),
);

/** The keys that work now, the most important first; what only some plans have stands after excluding. */
export function reviewKeys(state: ReviewState): readonly ReviewRule[] {
  const { mode, contents, tree } = state;
  if (mode !== 'browse') return TABLES[mode];
  const { saves, plan, keeps } = contents;
  const hasConflicts =
    keeps !== undefined && [...plan.values()].some(({ kind }) => kind === 'conflict');
  const more = [...(hasConflicts ? CONFLICT_ROWS : []), ...(tree.hasRenames ? [RENAMES] : [])];
  return (saves === true ? SAVING : TABLES.browse).toSpliced(2, 0, ...more);
}

/** What a key makes of the review. */
export function takeReviewKey(before: ReviewState, key: Key): ReviewStep {
  const state = { ...before, notice: '' };
  const table = reviewKeys(state);
  return ruleOf(table, key)?.run(state, keyName(key), key) ?? stepTo(state);
}

/** The state with the cursor at a line, and the lines around it in sight. */
export function show(state: ReviewState, wanted: number): ReviewState {
  const cursor = moveCursor(wanted, 0, state.lines.length);
  const first = scrollTo(state.first, cursor, state.rows, state.lines.length);
  return { ...state, cursor, first };
}

function apply(state: ReviewState): ReviewStep {
  const noting = (notice: string) => stepTo({ ...state, notice });
  if (state.contents.readOnly) return noting('nothing is applied with --dry-run');
  if (state.tree.root.chosen.changes === 0) return noting('nothing to apply');
  return losesSomething(state.tree.root.chosen)
    ? stepTo({ ...state, mode: 'sure' })
    : applyNow(state);
}

function applyNow(state: ReviewState): ReviewStep {
  for (const { change, keep } of state.tree.nodes) {
    if (change !== undefined && keep !== undefined) state.contents.keeps?.set(change, keep);
  }
  return stepTo(state, { type: 'end', result: chosenChanges(state.tree) });
}

function scroll(state: ReviewState, name: string): ReviewStep {
  const { rows } = state;
  const lines = textOf(state, { glyphs: UNICODE_GLYPHS })?.length ?? 0;
  return stepTo({ ...state, scroll: scrolledBy(state.scroll, stepOf(name, rows), lines, rows) });
}

/** The text in the place of the tree: a change, or a conflict; `undefined`: there is none. */
export function textOf(
  state: ReviewState,
  look: Pick<Look, 'glyphs'>,
): readonly Line[] | undefined {
  const { contents, mode, lines, cursor, columns } = state;
  const node = lines[cursor];
  if (node === undefined) return undefined;
  if (mode === 'why') {
    const rule = node.change === undefined ? '' : (contents.explain?.(node.change) ?? '');
    const filter = rule === '' ? [] : [[], ...textLines(rule, columns, 'dim')];
    const problems = problemLines(contents.problems, columns);
    return [...changePane(node, columns, look.glyphs), ...filter, ...problems];
  }
  return mode === 'conflict' ? conflictLines(state, node, columns, look) : undefined;
}

function exclude(state: ReviewState): ReviewState {
  const node = nodeAt(state);
  if (node === undefined) return state;
  toggle(node);
  reckon(state.tree, state.filter);
  return !node.isDir || node.folded ? show(state, state.cursor + 1) : state;
}

function fold(state: ReviewState, folded: boolean): ReviewState {
  const node = nodeAt(state);
  if (node === undefined || !node.isDir || node.folded === folded) return state;
  node.folded = folded;
  return list(state);
}

function foldOrLeave(state: ReviewState): ReviewState {
  const node = nodeAt(state);
  if (node === undefined) return state;
  if (node.isDir && !node.folded) return fold(state, true);
  const at = node.parent === undefined ? -1 : state.lines.indexOf(node.parent);
  return at >= 0 ? show(state, at) : state;
}

function narrow(state: ReviewState, change: Partial<PlanFilter>): ReviewState {
  const filter = { ...state.filter, ...change };
  reckon(state.tree, filter);
  return list({ ...state, filter });
}

/** Lists the lines again and keeps the cursor on its node, or on the directory that hides it now. */
function list(state: ReviewState): ReviewState {
  const lines = visibleNodes(state.tree);
  let at = -1;
  for (let node = nodeAt(state); node !== undefined && at < 0; node = node.parent) {
    at = lines.indexOf(node);
  }
  return show({ ...state, lines }, at);
}

function nodeAt({ lines, cursor }: ReviewState): PlanNode | undefined {
  return lines[cursor];
}
