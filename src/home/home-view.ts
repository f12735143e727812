import type { Key } from '../screen/key.ts';
import type { KeyRule } from '../screen/key-table.ts';
import type { ScreenStep } from '../screen/state-screen.ts';
import type { EditedText } from '../screen/text-edit.ts';
import type { HomeAction } from './home-actions.ts';
import type { HomeCommand, HomeRemote, RemoteTest } from './home-entry.ts';
import type { PastRun } from './past-run.ts';

/** What the home screen shows at the moment. */
export type HomeView =
  | { readonly at: 'remotes'; readonly cursor: number }
  | ActionsView
  | AskView
  | { readonly at: 'runs'; readonly cursor: number }
  | RunView
  | { readonly at: 'keys'; readonly back: HomeView; readonly first: number };

/** What can be done with a remote. */
export interface ActionsView {
  readonly at: 'actions';
  readonly remote: HomeRemote;
  readonly cursor: number;
  /** The test of the remote; `running` until it has ended. */
  readonly test?: RemoteTest | 'running';
}

/** The texts of an action are asked for. */
export interface AskView {
  readonly at: 'ask';
  readonly remote: HomeRemote;
  readonly action: HomeAction;
  readonly fields: readonly EditedText[];
  readonly field: number;
  /** What is wrong with the answers. */
  readonly complaint?: string;
  /** How the text of the field may go on, after the key that completes it. */
  readonly matches?: readonly string[];
}

/** A run of the history, or the question whether to run it again. */
export interface RunView {
  readonly at: 'run' | 'again';
  readonly run: PastRun;
  readonly cursor: number;
}

/** What is to be done besides showing. */
export type HomeEffect =
  /** The screen ends with a command to run, or without one. */
  | { readonly type: 'end'; readonly command: HomeCommand | undefined }
  /** Tests a remote. */
  | { readonly type: 'test'; readonly remote: string }
  /** Looks up how `typed` may go on behind the words of a command line. */
  | { readonly type: 'complete'; readonly words: readonly string[]; readonly typed: string };

/** What came of a key. */
export type HomeStep = ScreenStep<HomeView, HomeEffect>;

/** A row of the screen's key tables. */
export type HomeRule = KeyRule<(name: string, key: Key) => HomeStep>;
