import { counted } from '../../src/core/shown-text.ts';
import type { Keep } from '../../src/engine/consent.ts';
import {
  type AskedLine,
  isForGood,
  lossOf,
  otherWay,
  sureLines,
} from '../../src/run/review/plan-loss.ts';
import {
  buildPlanTree,
  chosenChanges,
  firstCursor,
  isConflict,
  losesSomething,
  NO_FILTER,
  type PlanFilter,
  type PlanNode,
  type PlanTree,
  reckon,
  toggle,
  visibleNodes,
} from '../../src/run/review/plan-tree.ts';
import type { PlannedChange } from '../../src/run/review/planned-change.ts';
import type {
  ReviewContents,
  ReviewEffect,
  ReviewResult,
  ReviewState,
} from '../../src/run/review/review-state.ts';
import { moveCursor, scrollTo } from '../../src/terminal/cursor-list.ts';
import { scrolledBy } from '../../src/terminal/help-lines.ts';
import type { Key } from '../../src/terminal/key.ts';
import {
  ACTIONS,
  CTRL_C,
  HELP,
  type KeyRule,
  keyName,
  row,
  ruleOf,
  typing,
} from '../../src/terminal/key-table.ts';
import { MOVE, SCROLL, stepOf } from '../../src/terminal/list-keys.ts';
import { type Glyphs, UNICODE_GLYPHS } from '../../src/terminal/look.ts';
import { contentRows, layoutOf } from '../../src/terminal/screen-layout.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import type { Line } from '../../src/terminal/span.ts';
import { type ScreenStep, StateScreen, stepTo } from '../../src/terminal/state-screen.ts';
import { editByKey, editText } from '../../src/terminal/text-edit.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { changePane, conflictLines, problemLines } from './change-pane.ts';

/** The review of a plan; its result are the changes to make. */
export class ReviewModel extends StateScreen<ReviewState, ReviewEffect, ReviewResult> {
  constructor(contents: ReviewContents) {
    super(firstState(contents));
  }

  override resize(size: Size): void {
    const { inner } = layoutOf(size, false);
    const { columns } = inner;
    const rows = contentRows(inner, 1);
    // The last row says what the destination will be.
    const hasEffect = this.state.tree.seen !== undefined && rows >= 8;
    const shown = { ...this.state, rows: hasEffect ? rows - 1 : rows, columns, hasEffect };
    this.show(show(shown, this.state.cursor));
  }

  keys() {
    return reviewKeys(this.state);
  }

  asked() {
    return questionLines(this.state)
      .map(({ text }) => text)
      .join('\n');
  }

  protected override takeKey(key: Key) {
    const state = { ...this.state, notice: '' };
    return ruleOf(reviewKeys(state), key)?.run(state, keyName(key), key) ?? stepTo(state);
  }

  protected override carryOut(effect: ReviewEffect): void {
    if (effect.type === 'end') this.ended.resolve(effect.result);
    else void this.#compare(effect.of);
  }

  async #compare(of: PlannedChange): Promise<void> {
    const { difference } = this.state.contents;
    const found = await difference?.(of).catch((thrown: Error) => thrown.message);
    // The user may look at another one by now.
    if (this.state.difference?.of !== of) return;
    const shown = typeof found === 'string' ? { of, why: found } : { of, rows: found ?? [] };
    this.show({ ...this.state, difference: shown });
  }
}

function firstState(contents: ReviewContents): ReviewState {
  const tree = buildPlanTree(contents.plan, contents.seen, contents.canTrack);
  for (const node of tree.nodes) node.keep = node.change && contents.keeps?.get(node.change);
  if (tree.nodes.length > 30) {
    for (const node of tree.nodes) node.folded = node.isDir && node.danger === undefined;
    // What looks renamed is in sight.
    for (const { renamed, parent } of tree.nodes) {
      if (renamed === undefined) continue;
      for (let above = parent; above !== undefined; above = above.parent) above.folded = false;
    }
  }
  const lines = visibleNodes(tree);
  return {
    contents,
    tree,
    lines,
    cursor: firstCursor(lines),
    first: 0,
    rows: 20,
    columns: 80,
    hasEffect: false,
    mode: 'browse',
    filter: NO_FILTER,
    edited: editText(''),
    notice: '',
    scroll: 0,
  };
}

type ReviewStep = ScreenStep<ReviewState, ReviewEffect>;
type ReviewRule = KeyRule<(state: ReviewState, name: string, key: Key) => ReviewStep>;

/** By which rule the conflicts are settled that a person has not decided about. */
const RULES: Readonly<Record<string, (change: PlannedChange) => Keep | undefined>> = {
  1: () => 'path1',
  2: () => 'path2',
  b: () => 'both',
  n: ({ source, dest }) => greater(source?.modTime, dest?.modTime),
  o: ({ source, dest }) => greater(dest?.modTime, source?.modTime),
  l: ({ source, dest }) => greater(source?.size, dest?.size),
  s: ({ source, dest }) => greater(dest?.size, source?.size),
};

const CONFLICT_ROWS: readonly ReviewRule[] = [
  row('1 2', 'keep one', 'keep only the version of path1 or path2', decide),
  row('b', 'keep both', 'keep both versions, one under another name', decide),
  row('r', 'the rest', 'decide about all conflicts without a decision', (state) =>
    undecided(state.tree).length > 0
      ? stepTo({ ...state, mode: 'rest' })
      : stepTo({ ...state, notice: 'all conflicts are decided' }),
  ),
];

/** The question names its keys. */
const NAMED = { confirms: true, short: '' } as const;

/** The keys of the question about all other conflicts; any other key leaves them as they are. */
const REST_ROWS: readonly ReviewRule[] = [
  row('1 2', 'keep one', '', decideRest, NAMED),
  row('b', 'keep both', '', decideRest, NAMED),
  row('n o', 'newer, older', '', decideRest, NAMED),
  row('l s', 'larger, smaller', '', decideRest, NAMED),
  CTRL_C,
  row('any key', 'goes back', '', (state) => stepTo({ ...state, mode: 'browse' })),
];

const end = (state: ReviewState) => stepTo(state, { type: 'end', result: undefined } as const);

/** Leaves the review; asks first if choices would be lost. */
const quit = (state: ReviewState): ReviewStep =>
  choicesOf(state) > 0 ? stepTo({ ...state, mode: 'leave' }) : end(state);

/** How many choices the user has made: what is excluded, decided about conflicts, and planned again. */
function choicesOf({ tree: { nodes }, contents }: ReviewState): number {
  let choices = contents.isAgain === true ? 1 : 0;
  for (const { change, dropped, keep } of nodes) {
    if (change === undefined) continue;
    if (dropped) choices++;
    if (keep !== undefined && keep !== contents.keeps?.get(change)) choices++;
  }
  return choices;
}

/** The keys of the question before something is lost, as in the browser. Enter is No, as every other key. */
function sureRows({ contents: { keeping }, loss }: ReviewState): readonly ReviewRule[] {
  if (loss === undefined) return [];
  const other = otherWay(loss, keeping);
  const isOther = other !== undefined;
  const does = isForGood(loss, keeping) ? 'for good' : isOther ? 'to trash' : 'apply';
  const switched = (state: ReviewState) => {
    const { trash } = state.contents.keeping ?? {};
    if (trash !== undefined) trash.isOn = other === 'trash';
    return applyNow(state);
  };
  const [key, says] = other === 'trash' ? ['t', 'to trash'] : ['!', 'for good'];
  return [
    row('y', does, '', applyNow, { confirms: true }),
    ...(isOther ? [row(key, says, '', switched, { confirms: true } as const)] : []),
    row('n', 'cancel', '', (state) => stepTo({ ...state, mode: 'browse' })),
    CTRL_C,
    row('any key', '', '', (state) => stepTo({ ...state, mode: 'browse' })),
  ];
}

const TABLES: Readonly<Record<Exclude<ReviewState['mode'], 'sure'>, readonly ReviewRule[]>> = {
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
      stepTo({
        ...state,
        mode: 'filter',
        edited: editText(state.filter.text),
        before: nodeAt(state) ?? state.before,
      }),
    ),
    row('d', 'deletions', 'show deletions only, or all', (state) =>
      stepTo(narrow(state, { deletionsOnly: !state.filter.deletionsOnly })),
    ),
    HELP,
    row('q', 'quit', 'quit without changing anything; asks first if you chose something', quit),
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
      const text = edited.text.toLowerCase();
      return stepTo(narrow({ ...state, edited }, { text }, state.before));
    }),
  ],
  why: [
    CTRL_C,
    { ...SCROLL, run: scroll },
    HELP,
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
  // Enter is No, as every other key.
  leave: [
    row('y', 'leave', '', end, { confirms: true }),
    row('n', 'stay', '', (state) => stepTo({ ...state, mode: 'browse' })),
    CTRL_C,
    row('any key', '', '', (state) => stepTo({ ...state, mode: 'browse' })),
  ],
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
function reviewKeys(state: ReviewState): readonly ReviewRule[] {
  const { mode, contents, tree } = state;
  if (mode === 'sure') return sureRows(state);
  if (mode !== 'browse') return TABLES[mode];
  const { saves, plan, keeps } = contents;
  const hasConflicts =
    keeps !== undefined && [...plan.values()].some(({ kind }) => kind === 'conflict');
  const more = [...(hasConflicts ? CONFLICT_ROWS : []), ...(tree.hasRenames ? [RENAMES] : [])];
  return (saves === true ? SAVING : TABLES.browse).toSpliced(2, 0, ...more);
}

/** The state with the cursor at a line, and the lines around it in sight. */
function show(state: ReviewState, wanted: number): ReviewState {
  const cursor = moveCursor(wanted, 0, state.lines.length);
  const first = scrollTo(state.first, cursor, state.rows, state.lines.length);
  return { ...state, cursor, first };
}

function apply(state: ReviewState): ReviewStep {
  const noting = (notice: string) => stepTo({ ...state, notice });
  if (state.contents.readOnly) return noting('nothing is applied with --dry-run');
  if (state.tree.root.chosen.changes === 0) return noting('nothing to apply');
  if (!losesSomething(state.tree.root.chosen)) return applyNow(state);
  return stepTo({ ...state, mode: 'sure', loss: lossOf(state.tree, state.contents.keeping) });
}

function applyNow(state: ReviewState): ReviewStep {
  for (const { change, keep } of state.tree.nodes) {
    if (change !== undefined && keep !== undefined) state.contents.keeps?.set(change, keep);
  }
  return stepTo(state, { type: 'end', result: chosenChanges(state.tree) });
}

function scroll(state: ReviewState, name: string): ReviewStep {
  const { rows } = state;
  const lines = textOf(state, UNICODE_GLYPHS)?.length ?? 0;
  return stepTo({ ...state, scroll: scrolledBy(state.scroll, stepOf(name, rows), lines, rows) });
}

/** The text in the place of the tree: a change, or a conflict; `undefined`: there is none. */
export function textOf(state: ReviewState, glyphs: Glyphs): readonly Line[] | undefined {
  const { contents, mode, lines, cursor, columns } = state;
  const node = lines[cursor];
  if (node === undefined) return undefined;
  if (mode === 'why') {
    const rule = node.change === undefined ? '' : (contents.explain?.(node.change) ?? '');
    const filter = rule === '' ? [] : [[], ...textLines(rule, columns, 'dim')];
    const problems = problemLines(contents.problems, columns);
    return [...changePane(node, columns, glyphs), ...filter, ...problems];
  }
  return mode === 'conflict' ? conflictLines(state, node, columns, glyphs) : undefined;
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

/** Shows what another filter shows, with the cursor on a node. */
function narrow(
  state: ReviewState,
  change: Partial<PlanFilter>,
  node = nodeAt(state) ?? state.before,
): ReviewState {
  const filter = { ...state.filter, ...change };
  reckon(state.tree, filter);
  return list({ ...state, filter, before: node }, node);
}

/** Lists the lines again and keeps the cursor on its node, or on the directory that hides it now. */
function list(state: ReviewState, kept = nodeAt(state)): ReviewState {
  const lines = visibleNodes(state.tree);
  let at = -1;
  for (let node = kept; node !== undefined && at < 0; node = node.parent) {
    at = lines.indexOf(node);
  }
  return show({ ...state, lines }, at);
}

const nodeAt = ({ lines, cursor }: ReviewState): PlanNode | undefined => lines[cursor];

/** The question that a review asks now; none where there is none. */
export function questionLines(state: ReviewState): readonly AskedLine[] {
  const { mode, tree, loss, contents } = state;
  if (mode === 'sure' && loss !== undefined)
    return sureLines(tree.root.chosen, loss, contents.keeping);
  if (mode === 'leave') {
    const choices = choicesOf(state);
    const lost = `${counted(choices, 'choice')} ${choices === 1 ? 'is' : 'are'} lost`;
    return [{ text: `Leave? ${lost}, and nothing is changed.`, tone: 'warn' }];
  }
  if (mode !== 'rest') return [];
  const left = counted(undecided(tree).length, 'conflict');
  const text = `Of ${left}, keep: 1 path1, 2 path2, b both, n newer, o older, l larger, s smaller`;
  return [{ text, tone: 'warn' }];
}

/** Shows both versions of the conflict under the cursor, and asks for the difference of their contents. */
function openConflict(state: ReviewState, node: PlanNode): ReviewStep {
  const { change } = node;
  const shown = { ...state, mode: 'conflict', scroll: 0 } as const;
  if (change === undefined || state.contents.difference === undefined) return stepTo(shown);
  if (state.difference?.of === change) return stepTo(shown);
  const loading = { ...shown, difference: { of: change } };
  return stepTo(loading, { type: 'difference', of: change } as const);
}

function undecided({ nodes }: PlanTree): readonly PlanNode[] {
  return nodes.filter((node) => isConflict(node) && node.keep === undefined && !node.dropped);
}

function decide(state: ReviewState, name: string): ReviewStep {
  const node = state.lines[state.cursor];
  if (node === undefined || !isConflict(node)) {
    return stepTo({ ...state, notice: 'not a conflict' });
  }
  node.keep = name === 'b' ? 'both' : name === '1' ? 'path1' : 'path2';
  return stepTo(state);
}

function decideRest(state: ReviewState, name: string): ReviewStep {
  let decided = 0;
  for (const node of undecided(state.tree)) {
    const keep = node.change && RULES[name]?.(node.change);
    if (keep === undefined) continue;
    node.keep = keep;
    decided++;
  }
  const left = undecided(state.tree).length;
  const notice = `${counted(decided, 'conflict')} decided${left === 0 ? '' : `, ${left} left: both are equal in that`}`;
  return stepTo({ ...state, mode: 'browse', notice });
}

function greater<T extends bigint | number>(a: T | undefined, b: T | undefined): Keep | undefined {
  if (a === undefined || b === undefined || a === b) return undefined;
  return a > b ? 'path1' : 'path2';
}
