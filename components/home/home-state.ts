import type { HomeCommand, HomeRemote, RemoteTest } from '../../src/run/home-entry.ts';
import type { PastRun } from '../../src/state/runs.ts';
import type { Key } from '../../src/terminal/key.ts';
import type { KeyRule } from '../../src/terminal/key-table.ts';
import type { Filtered } from '../../src/terminal/list-filter.ts';
import type { ScreenStep } from '../../src/terminal/state-screen.ts';
import type { EditedText } from '../../src/terminal/text-edit.ts';
import type { HomeAction } from './home-actions.ts';
import type { OpenItem } from './home-item.ts';

/** What the home screen shows at the moment: a page, or a question. */
export type HomeState = PageState | SureState;

/** A page of the home screen. */
export type PageState = HomeListState | ActionsState | AskState | RunsState | PastRunState;

/** The first list. */
export interface HomeListState extends Filtered {
  readonly at: 'remotes';
  readonly cursor: number;
  /** Why the last key did nothing. */
  readonly notice?: string;
}

/** The history. */
export type RunsState = Omit<HomeListState, 'at'> & { readonly at: 'runs' };

/** What can be done with an item. */
export interface ActionsState {
  readonly at: 'actions';
  readonly item: OpenItem;
  readonly cursor: number;
  /** The test of the remote; `running` until it has ended. */
  readonly test?: RemoteTest | 'running';
}

/** The texts of an action are asked for. */
export interface AskState {
  readonly at: 'ask';
  readonly item: OpenItem;
  readonly action: HomeAction;
  readonly fields: readonly EditedText[];
  readonly field: number;
  /** What is wrong with the answers. */
  readonly complaint?: string;
  /** How the text of the field may go on, after the key that completes it. */
  readonly matches?: readonly string[];
}

/** A run of the history. */
export interface PastRunState {
  readonly at: 'run';
  readonly run: PastRun;
  /** What it changed, a line for each path; absent until it was read. */
  readonly changes?: readonly string[];
  /** Why the last key did nothing. */
  readonly notice?: string;
  readonly cursor: number;
  readonly first: number;
}

/** The question whether to run a command. */
export interface SureState {
  readonly at: 'sure';
  readonly question: string;
  readonly command: HomeCommand;
  /** The same with a plan first, where there is one. */
  readonly plan?: HomeCommand;
  readonly first: number;
  readonly back: PageState;
}

/** What is to be done besides showing. */
export type HomeEffect =
  /** The screen ends with a command to run, or without one. */
  | { readonly type: 'end'; readonly command: HomeCommand | undefined }
  /** Asks a remote whether it works, and for its space. */
  | { readonly type: 'ask'; readonly remote: HomeRemote }
  /** Pins what commands take as `path`, or unpins it. */
  | { readonly type: 'pin'; readonly path: string; readonly isPinned: boolean }
  /** Reads what a run changed. */
  | { readonly type: 'changes'; readonly id: string }
  | { readonly type: 'test'; readonly remote: string }
  /** Looks up how `typed` may go on behind the words of a command line. */
  | { readonly type: 'complete'; readonly words: readonly string[]; readonly typed: string };

/** What came of a key. */
export type HomeStep = ScreenStep<HomeState, HomeEffect>;

/** A row of the screen's key tables. */
export type HomeRule = KeyRule<(name: string, key: Key) => HomeStep>;
