import type { Conversation } from './conversation.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { WizardEntry } from './entry.ts';
import type { WizardWorld } from './wizard-world.ts';
import type { TestResult } from './work.ts';

/** How the test of a remote stands. */
export type TestState =
  | { readonly is: 'none' }
  | { readonly is: 'running' }
  | { readonly is: 'good'; readonly result: TestResult }
  | { readonly is: 'bad'; readonly diagnosis: Diagnosis };

/** A line about what was done last. */
export interface Notice {
  readonly text: string;
  readonly isBad: boolean;
}

/** Everything the screens of the wizard show. */
export interface WizardState {
  readonly world: WizardWorld;
  readonly conversation: Conversation;
  readonly entry: WizardEntry;
  /** What is wrong with what is entered; told while it is typed where it can only be wrong, else at Enter. */
  readonly wrong: string;
  /** Secrets are shown. */
  readonly reveals: boolean;
  /** What a work has told so far. */
  readonly told: readonly string[];
  /** It is being written. */
  readonly isWriting: boolean;
  readonly test: TestState;
  readonly notice: Notice | undefined;
  /** In place of the question: all keys, or the section that will be written. */
  readonly page: 'question' | 'keys' | 'section';
  /** The first line shown of that page. */
  readonly first: number;
}
