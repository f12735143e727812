import { SyncerError } from '../core/errors.ts';
import type { Key } from '../screen/key.ts';
import type { Look } from '../screen/look.ts';
import type { ScreenFrame } from '../screen/screen-frame.ts';
import { contentRows, layoutOf } from '../screen/screen-layout.ts';
import type { Size } from '../screen/screen-model.ts';
import { StateScreen } from '../screen/state-screen.ts';
import { editText } from '../screen/text-edit.ts';
import { buildPlanTree, NO_FILTER, visibleNodes } from './plan-tree.ts';
import type { PlannedChange } from './planned-change.ts';
import { reviewFrame } from './review-frame.ts';
import { reviewKeys, show, takeReviewKey } from './review-keys.ts';
import type { ReviewContents, ReviewEffect, ReviewResult, ReviewState } from './review-state.ts';

/** Trees with more lines than this begin folded. */
const UNFOLDED_LINES = 200;

/** The review of a plan; its result are the changes to make. */
export class ReviewModel extends StateScreen<ReviewState, ReviewEffect, ReviewResult> {
  constructor(contents: ReviewContents) {
    super(firstState(contents));
  }

  override takesText(): boolean {
    return this.state.mode === 'filter';
  }

  override resize(size: Size): void {
    const { inner } = layoutOf(size, false);
    const { columns } = inner;
    this.show(show({ ...this.state, rows: contentRows(inner, 1), columns }, this.state.cursor));
  }

  /** The keys that work now. */
  keys() {
    return reviewKeys(this.state);
  }

  /** What is to be drawn. */
  frame(size: Size, look: Look): ScreenFrame {
    return reviewFrame(this.state, size, look);
  }

  protected override takeKey(key: Key) {
    return takeReviewKey(this.state, key);
  }

  protected override carryOut(effect: ReviewEffect): void {
    if (effect.type === 'end') this.ended.resolve(effect.result);
    else if (effect.type === 'interrupt')
      this.ended.reject(new SyncerError('interrupted', 'stopped by Ctrl-C'));
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
  const tree = buildPlanTree(contents.plan);
  for (const node of tree.nodes) node.keep = node.change && contents.keeps?.get(node.change);
  if (tree.nodes.length > UNFOLDED_LINES) {
    for (const node of tree.nodes) node.folded = node.isDir;
  }
  return {
    ...{ contents, tree, lines: visibleNodes(tree), cursor: 0, first: 0, rows: 20, columns: 80 },
    ...{ mode: 'browse', filter: NO_FILTER, edited: editText(''), notice: '' },
    ...{ scroll: 0, help: { of: 'browse', first: 0 } },
  };
}
