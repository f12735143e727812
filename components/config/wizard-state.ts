import type { Conversation } from '../../src/config/dialogue/conversation.ts';
import type { Diagnosis } from '../../src/config/dialogue/diagnosis.ts';
import type { Draft } from '../../src/config/dialogue/draft.ts';
import type { WizardEntry } from '../../src/config/dialogue/entry.ts';
import type { WizardWorld } from '../../src/config/dialogue/wizard-parts.ts';
import type { Outcome, TestResult, Work } from '../../src/config/dialogue/work.ts';
import type { ScreenStep } from '../../src/terminal/state-screen.ts';

/** How the test of a remote stands. */
export type TestState =
  | { readonly is: 'none' }
  | { readonly is: 'running' }
  | { readonly is: 'good'; readonly result: TestResult }
  | { readonly is: 'bad'; readonly diagnosis: Diagnosis };

/** Everything the screens of the wizard show. */
export interface WizardState {
  readonly world: WizardWorld;
  readonly conversation: Conversation;
  readonly entry: WizardEntry;
  /** What is wrong with what is entered; shown while typing where it can only be wrong, else at Enter. */
  readonly wrong: string;
  /** Secrets are shown. */
  readonly reveals: boolean;
  /** What a work has reported so far. */
  readonly told: readonly string[];
  readonly isWriting: boolean;
  readonly test: TestState;
  /** A line about what was done last. */
  readonly notice: { readonly text: string; readonly isBad: boolean } | undefined;
  /** The form of a remote: the field with the cursor, else the first; `isOpen`: the advanced fields are shown. */
  readonly form: { readonly at: string; readonly isOpen: boolean };
  /** Instead of the question: the section that will be written, or whether to save or to leave the form. */
  readonly page: 'question' | 'section' | 'save' | 'leave';
  /** The first line shown of that page. */
  readonly first: number;
}

/** What is to be done besides showing. Each ends what was under way before. */
export type WizardEffect =
  | { readonly type: 'stop' }
  | { readonly type: 'work'; readonly work: Work }
  | { readonly type: 'test'; readonly draft: Draft }
  | { readonly type: 'write'; readonly outcome: Outcome }
  /** The next turn starts, or the wizard ends; `said`: what was done. */
  | { readonly type: 'turn'; readonly said: string | undefined }
  | { readonly type: 'end' }
  | { readonly type: 'fail'; readonly error: unknown };

/** What happens besides keys. */
export type WizardEvent =
  | { readonly type: 'told'; readonly text: string }
  | { readonly type: 'worked'; readonly value: unknown }
  | { readonly type: 'tested'; readonly test: TestState }
  /** A work or the writing failed. */
  | { readonly type: 'failed'; readonly error: unknown }
  /** A turn starts. */
  | {
      readonly type: 'began';
      readonly world: WizardWorld;
      readonly conversation: Conversation;
      readonly said: string | undefined;
    };

/** What came of a key or an event. */
export type WizardStep = ScreenStep<WizardState, WizardEffect>;
