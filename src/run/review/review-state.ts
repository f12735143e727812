import type { Keep } from '../../engine/consent.ts';
import type { EditedText } from '../../terminal/text-edit.ts';
import type { Pace, SeenDest } from './afterwards.ts';
import type { TextDifference } from './difference-rows.ts';
import type { Plan } from './plan-consent.ts';
import type { Keeping, PlanLoss } from './plan-loss.ts';
import type { PlanFilter, PlanNode, PlanTree } from './plan-tree.ts';
import type { PlannedChange } from './planned-change.ts';

export interface ReviewContents {
  readonly plan: Plan;
  /** What was planned: `sync`, `photos`, `s3:photos`. */
  readonly title: string;
  readonly subject: string;
  /** Errors of the planning run: something may be missing from the plan. */
  readonly problems: readonly string[];
  /** It is only looked at. */
  readonly readOnly: boolean;
  /** What the filter says about a change, in words. */
  readonly explain?: (change: PlannedChange) => string;
  /** What a person decided about conflicts before, and when the plan is applied. */
  readonly keeps?: Map<PlannedChange, Keep>;
  /** How the two versions of a conflict differ, or why that cannot be shown. Rejects if they cannot be read. */
  readonly difference?: (change: PlannedChange) => Promise<readonly TextDifference[] | string>;
  /** What is chosen is saved, not applied. */
  readonly saves?: boolean;
  /** What the walk has seen of the destination. */
  readonly seen?: SeenDest;
  /** The last run between the same places. */
  readonly pace?: Pace;
  /** What keeps lost content; absent: nothing, as far as is known. */
  readonly keeping?: Keeping;
  /** The user had it planned again: that is a choice. */
  readonly isAgain?: boolean;
  /** It can be planned again with `--track-renames`. */
  readonly canTrack?: boolean;
}

/** The state of a review. The tree is its own: keys fold its nodes and exclude them in place. */
export interface ReviewState {
  readonly contents: ReviewContents;
  readonly tree: PlanTree;
  readonly lines: readonly PlanNode[];
  readonly cursor: number;
  /** The first line that is shown, and how many are. */
  readonly first: number;
  readonly rows: number;
  /** Below them stands what the destination will be. */
  readonly hasEffect: boolean;
  /** The columns of a page without a pane. */
  readonly columns: number;
  readonly mode: 'browse' | 'filter' | 'sure' | 'why' | 'conflict' | 'rest' | 'leave';
  readonly filter: PlanFilter;
  readonly edited: EditedText;
  /** The line that the cursor was on before the filter. */
  readonly before?: PlanNode | undefined;
  /** The first line that is shown of a conflict, or of a page about a change. */
  readonly scroll: number;
  /** Of the last conflict that was shown; `why`: there are no rows. */
  readonly difference?: {
    readonly of: PlannedChange;
    readonly rows?: readonly TextDifference[];
    readonly why?: string;
  };
  /** What the changes lose that a question is about. */
  readonly loss?: PlanLoss;
  /** Why the last key did nothing. */
  readonly notice: string;
}

/** The changes to make, that it is planned again with `--track-renames`, or `undefined` where the user left. */
export type ReviewResult = ReadonlySet<PlannedChange> | 'with-renames' | undefined;

/** The review ends, or reads both versions of a conflict. */
export type ReviewEffect =
  | { readonly type: 'end'; readonly result: ReviewResult }
  | { readonly type: 'difference'; readonly of: PlannedChange };
