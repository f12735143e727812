import type { ConfigSections } from '../ini-lines.ts';
import type { Draft } from './draft.ts';

/** What a dialogue comes to. Nothing is written before it. */
export type Outcome =
  | { readonly type: 'save'; readonly draft: Draft }
  | { readonly type: 'rename'; readonly from: string; readonly to: string }
  | { readonly type: 'copy'; readonly from: string; readonly to: string }
  | { readonly type: 'delete'; readonly name: string }
  | {
      readonly type: 'import';
      readonly path: string;
      readonly password: string | undefined;
      /** Remotes of the same name are replaced. */
      readonly force: boolean;
      /** Only these; absent: all. */
      readonly names?: readonly string[];
    }
  /** `undefined`: the file is no longer encrypted. */
  | { readonly type: 'password'; readonly password: string | undefined }
  /** What the configuration held before its last change is put back, if it is still what the question showed. */
  | { readonly type: 'undo'; readonly shown: ConfigSections }
  /** Back to the menu, nothing done. */
  | { readonly type: 'nothing' }
  | { readonly type: 'quit' };

/** Does what a dialogue came to; resolves to a line that says so. Rejects with a `SyncerError`. */
export type DoOutcome = (outcome: Outcome) => Promise<string>;
