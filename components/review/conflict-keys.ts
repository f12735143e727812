import { counted } from '../../src/core/shown-text.ts';
import type { Keep } from '../../src/engine/approval.ts';
import { isConflict, type PlanNode, type PlanTree } from '../../src/run/review/plan-tree.ts';
import type { PlannedChange } from '../../src/run/review/planned-change.ts';
import type { ReviewEffect, ReviewState } from '../../src/run/review/review-state.ts';
import type { Key } from '../../src/terminal/key.ts';
import { CTRL_C, type KeyRule, row } from '../../src/terminal/key-table.ts';
import { type ScreenStep, stepTo } from '../../src/terminal/state-screen.ts';

/** What a key makes of a review. */
export type ReviewStep = ScreenStep<ReviewState, ReviewEffect>;
/** A row of its key tables. */
export type ReviewRule = KeyRule<(state: ReviewState, name: string, key: Key) => ReviewStep>;

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

const KEEPS: Readonly<Record<string, Keep>> = { 1: 'path1', 2: 'path2', b: 'both' };

/** The keys of a tree that has conflicts. */
export const CONFLICT_ROWS: readonly ReviewRule[] = [
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
export const REST_ROWS: readonly ReviewRule[] = [
  row('1 2', 'keep one', '', decideRest, NAMED),
  row('b', 'keep both', '', decideRest, NAMED),
  row('n o', 'newer, older', '', decideRest, NAMED),
  row('l s', 'larger, smaller', '', decideRest, NAMED),
  CTRL_C,
  row('any key', 'goes back', '', (state) => stepTo({ ...state, mode: 'browse' })),
];

/** Shows both versions of the conflict under the cursor, and asks for the difference of their contents. */
export function openConflict(state: ReviewState, node: PlanNode): ReviewStep {
  const { change } = node;
  const shown = { ...state, mode: 'conflict', scroll: 0 } as const;
  if (change === undefined || state.contents.difference === undefined) return stepTo(shown);
  if (state.difference?.of === change) return stepTo(shown);
  const loading = { ...shown, difference: { of: change } };
  return stepTo(loading, { type: 'difference', of: change } as const);
}

/** The conflicts that a person has not decided about. */
export function undecided({ nodes }: PlanTree): readonly PlanNode[] {
  return nodes.filter((node) => isConflict(node) && node.keep === undefined && !node.dropped);
}

function decide(state: ReviewState, name: string): ReviewStep {
  const node = state.lines[state.cursor];
  if (node === undefined || !isConflict(node)) {
    return stepTo({ ...state, notice: 'not a conflict' });
  }
  node.keep = KEEPS[name];
  return stepTo(state);
}

function decideRest(state: ReviewState, name: string): ReviewStep {
  const rule = RULES[name];
  let decided = 0;
  for (const node of undecided(state.tree)) {
    const keep = node.change && rule?.(node.change);
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
