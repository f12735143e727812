import type { SetUpAnswer, SetUpInput } from '../../core/options.ts';
import type { ImportedRemote } from '../import-remotes.ts';
import type { ConfigSections } from '../ini-lines.ts';
import type { Draft } from './draft.ts';

/** Work that takes time; the dialogue continues with its result. */
export type Work =
  /** Results in the text of a token. */
  | { readonly type: 'login'; readonly how: 'browser' | 'device'; readonly draft: Draft }
  /** Results in a `SetUpAnswer`. */
  | { readonly type: 'set-up'; readonly draft: Draft; readonly input: SetUpInput }
  /** Results in a `Found`. */
  | { readonly type: 'read-import'; readonly path: string; readonly password: string | undefined };

/** What a foreign configuration holds. */
export interface Found {
  /** It is encrypted, and the password was missing or wrong. */
  readonly isLocked: boolean;
  /** What would become of each of its remotes, where those of the same name are kept. */
  readonly remotes: readonly ImportedRemote[];
}

/** What a test of a remote found. */
export interface TestResult {
  /** How many entries its root has, at least. */
  readonly entries: number;
  readonly hasMore: boolean;
  /** The first names. */
  readonly names: readonly string[];
}

/** What the wizard can have done. Everything may reject with a `SyncerError`. */
export interface WizardWorks {
  login(
    how: 'browser' | 'device',
    draft: Draft,
    tell: (text: string) => void,
    signal: AbortSignal,
  ): Promise<string>;
  /** `tell` gets what the user must do for it: open a link. */
  setUp(
    draft: Draft,
    input: SetUpInput,
    signal: AbortSignal,
    tell: (text: string) => void,
  ): Promise<SetUpAnswer>;
  readImport(path: string, password: string | undefined): Promise<Found>;
  /** Lists the root. Nothing is written. */
  test(draft: Draft, signal: AbortSignal): Promise<TestResult>;
}

/** Does a work; resolves to its result. */
export function doWork(
  works: WizardWorks,
  work: Work,
  tell: (text: string) => void,
  signal: AbortSignal,
): Promise<unknown> {
  switch (work.type) {
    case 'login':
      return works.login(work.how, work.draft, tell, signal);
    case 'set-up':
      return works.setUp(work.draft, work.input, signal, tell);
    case 'read-import':
      return works.readImport(work.path, work.password);
  }
}

/** What a test that worked has found, in a line. */
export function testResultText({ entries, hasMore, names }: TestResult, ellipsis = '...'): string {
  const rest = hasMore || entries > names.length ? `, ${ellipsis}` : '';
  const list = names.length === 0 ? '' : `: ${names.join(', ')}${rest}`;
  const count = hasMore ? `more than ${entries}` : entries === 0 ? 'no' : String(entries);
  return `Test passed: ${count} ${entries === 1 && !hasMore ? 'entry' : 'entries'}${list}`;
}

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
