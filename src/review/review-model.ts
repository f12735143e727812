import { type ScreenChanges, startChanges } from '../screen/changes.ts';
import { isCtrl, type Key, typed } from '../screen/key.ts';
import type { ScreenModel, Size } from '../screen/screen-model.ts';
import { moveCursor, scrollTo } from '../screen/scroll.ts';
import { type EditedText, editByKey, editText } from '../screen/text-edit.ts';
import type { Plan } from './plan.ts';
import {
  buildPlanTree,
  chosenChanges,
  NO_FILTER,
  type PlanFilter,
  type PlanNode,
  type PlanTree,
  reckon,
  toggle,
  visibleNodes,
} from './plan-tree.ts';
import type { PlannedChange } from './planned-change.ts';

/** What a review is about. */
export interface ReviewContents {
  readonly plan: Plan;
  /** What was planned: `sync`, `photos`, `s3:photos`. */
  readonly title: string;
  readonly subject: string;
  /** What went wrong while it was planned: because of it something may be missing. */
  readonly problems: readonly string[];
  /** It is only looked at. */
  readonly readOnly: boolean;
}

/** What the review came to: the changes to make, or `undefined` where it was left. */
export type ReviewResult = ReadonlySet<PlannedChange> | undefined;

/** What the keys do now. */
export type ReviewMode = 'browse' | 'filter' | 'help';

/** The state of a review, which its drawing reads. */
export interface ReviewModel extends ScreenModel<ReviewResult> {
  readonly contents: ReviewContents;
  readonly tree: PlanTree;
  readonly lines: readonly PlanNode[];
  readonly cursor: number;
  /** The first line that is shown. */
  readonly first: number;
  readonly mode: ReviewMode;
  readonly filter: PlanFilter;
  readonly edited: EditedText;
  /** What the last key could not do. */
  readonly notice: string;
}

/** Trees with more lines than this begin folded. */
const UNFOLDED_LINES = 200;

/** Lines of the frame: title, status, footer. */
const FRAME_LINES = 3;

/** A review that begins. */
export function startReview(contents: ReviewContents): ReviewModel {
  return new Review(contents);
}

class Review implements ReviewModel {
  readonly contents: ReviewContents;
  readonly tree: PlanTree;
  readonly result: Promise<ReviewResult>;
  readonly subscribe: ScreenChanges['subscribe'];
  readonly version: ScreenChanges['version'];
  lines: readonly PlanNode[];
  cursor = 0;
  first = 0;
  mode: ReviewMode = 'browse';
  filter = NO_FILTER;
  edited = editText('');
  notice = '';
  #rows = 20;
  readonly #changes = startChanges();
  readonly #ended = Promise.withResolvers<ReviewResult>();

  constructor(contents: ReviewContents) {
    this.contents = contents;
    this.tree = buildPlanTree(contents.plan);
    if (this.tree.nodes.length > UNFOLDED_LINES) {
      for (const node of this.tree.nodes) node.folded = node.isDir;
    }
    this.lines = visibleNodes(this.tree);
    this.result = this.#ended.promise;
    this.subscribe = this.#changes.subscribe;
    this.version = this.#changes.version;
  }

  takesText(): boolean {
    return this.mode === 'filter';
  }

  resize({ rows }: Size): void {
    this.#rows = Math.max(1, rows - FRAME_LINES);
    this.#show(this.cursor);
  }

  press(key: Key): void {
    this.notice = '';
    if (isCtrl(key, 'c')) this.#ended.resolve(undefined);
    else if (this.mode === 'filter') this.#typeFilter(key);
    else if (this.mode === 'help') this.mode = 'browse';
    else if (!this.#move(key)) this.#act(key);
    this.#changes.tell();
  }

  #move(key: Key): boolean {
    const page = Math.max(1, this.#rows - 1);
    const character = typed(key);
    const end = this.lines.length;
    if (key.name === 'up' || character === 'k') this.#show(this.cursor - 1);
    else if (key.name === 'down' || character === 'j') this.#show(this.cursor + 1);
    else if (key.name === 'page-up' || isCtrl(key, 'b')) this.#show(this.cursor - page);
    else if (key.name === 'page-down' || isCtrl(key, 'f')) this.#show(this.cursor + page);
    else if (key.name === 'home' || character === 'g') this.#show(0);
    else if (key.name === 'end' || character === 'G') this.#show(end);
    else if (key.name === 'right' || character === 'l') this.#fold(false);
    else if (key.name === 'left' || character === 'h') this.#foldOrLeave();
    else return false;
    return true;
  }

  #act(key: Key): void {
    switch (key.name === 'text' ? typed(key) : key.name) {
      case ' ':
        this.#toggle();
        break;
      case 'enter':
        this.#fold(!(this.#node()?.folded ?? true));
        break;
      case '[':
      case ']':
        for (const node of this.tree.nodes) node.folded = node.isDir && typed(key) === '[';
        this.#list();
        break;
      case '/':
        this.mode = 'filter';
        this.edited = editText(this.filter.text);
        break;
      case 'd':
        this.#narrow({ ...this.filter, deletionsOnly: !this.filter.deletionsOnly });
        break;
      case 'escape':
        this.#narrow(NO_FILTER);
        break;
      case 'a':
        this.#apply();
        break;
      case 'q':
        this.#ended.resolve(undefined);
        break;
      case '?':
        this.mode = 'help';
        break;
      default:
    }
  }

  #typeFilter(key: Key): void {
    if (key.name === 'enter') this.mode = 'browse';
    else if (key.name === 'escape') {
      this.mode = 'browse';
      this.#narrow({ ...this.filter, text: '' });
    } else {
      this.edited = editByKey(this.edited, key) ?? this.edited;
      this.#narrow({ ...this.filter, text: this.edited.text.toLowerCase() });
    }
  }

  #apply(): void {
    if (this.contents.readOnly) this.notice = 'nothing is applied with --dry-run';
    else if (this.tree.root.chosen.changes === 0) this.notice = 'nothing to apply';
    else this.#ended.resolve(chosenChanges(this.tree));
  }

  #toggle(): void {
    const node = this.#node();
    if (node === undefined) return;
    toggle(node);
    reckon(this.tree, this.filter);
    if (!node.isDir || node.folded) this.#show(this.cursor + 1);
  }

  #fold(folded: boolean): void {
    const node = this.#node();
    if (node === undefined || !node.isDir || node.folded === folded) return;
    node.folded = folded;
    this.#list();
  }

  #foldOrLeave(): void {
    const node = this.#node();
    if (node === undefined) return;
    if (node.isDir && !node.folded) {
      this.#fold(true);
      return;
    }
    const at = node.parent === undefined ? -1 : this.lines.indexOf(node.parent);
    if (at >= 0) this.#show(at);
  }

  #narrow(filter: PlanFilter): void {
    this.filter = filter;
    reckon(this.tree, filter);
    this.#list();
  }

  /** Lists the lines anew and keeps the cursor on its node, or on the folder that it is now hidden in. */
  #list(): void {
    let node = this.#node();
    this.lines = visibleNodes(this.tree);
    let at = -1;
    for (; node !== undefined && at < 0; node = node.parent) at = this.lines.indexOf(node);
    this.#show(Math.max(0, at));
  }

  #node(): PlanNode | undefined {
    return this.lines[this.cursor];
  }

  #show(cursor: number): void {
    this.cursor = moveCursor(cursor, 0, Math.max(1, this.lines.length));
    this.first = scrollTo(this.first, this.cursor, this.#rows, this.lines.length);
  }
}
