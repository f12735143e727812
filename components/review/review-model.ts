import {
  buildPlanTree,
  firstCursor,
  NO_FILTER,
  visibleNodes,
} from '../../src/run/review/plan-tree.ts';
import type { PlannedChange } from '../../src/run/review/planned-change.ts';
import type {
  ReviewContents,
  ReviewEffect,
  ReviewResult,
  ReviewState,
} from '../../src/run/review/review-state.ts';
import type { Key } from '../../src/terminal/key.ts';
import { keyName, ruleOf } from '../../src/terminal/key-table.ts';
import { contentRows, layoutOf } from '../../src/terminal/screen-layout.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { StateScreen, stepTo } from '../../src/terminal/state-screen.ts';
import { editText } from '../../src/terminal/text-edit.ts';
import { questionText, reviewKeys, show } from './review-keys.ts';

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
    return questionText(this.state);
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
