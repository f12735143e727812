import type { FoundItem } from '../machine/found-item.ts';
import type { InstallPlan } from '../plan/step.ts';

/** An action that was looked into, before anything is changed. */
export type Prepared =
  /** It can be done. */
  | {
      readonly outcome: 'ready';
      readonly title: string;
      readonly plan: InstallPlan;
      /** Whether all that was done is undone when a step fails; otherwise the other steps are still done. */
      readonly allOrNothing: boolean;
      /** Said at the end. */
      readonly closing: readonly string[];
    }
  /** It must not be done. */
  | {
      readonly outcome: 'refused';
      readonly found: readonly FoundItem[];
      readonly why: string;
    }
  /** There is nothing to do. */
  | { readonly outcome: 'nothing'; readonly why: string };
