import type { DoOutcome } from './outcome.ts';
import type { Script } from './step.ts';
import type { WizardWorld } from './wizard-world.ts';
import type { WizardWorks } from './work.ts';

/** What a wizard is made of, on a terminal and as lines of text. */
export interface WizardParts {
  /** Reads the current state before each turn. */
  readonly look: () => Promise<WizardWorld>;
  readonly script: (world: WizardWorld) => Script;
  /** It begins again after each turn, until `quit`. */
  readonly repeats: boolean;
  readonly works: WizardWorks;
  readonly carryOut: DoOutcome;
  readonly signal: AbortSignal;
}
