import type { PastRun } from './past-run.ts';

/** A remote as the home screen shows it. */
export interface HomeRemote {
  readonly name: string;
  /** The backend as the configuration names it. */
  readonly type: string;
  /** Where it points: an endpoint, a drive, a folder. */
  readonly place: string;
  /** How its login is; `''` for storage without one. */
  readonly login: string;
  /** A new login is required. */
  readonly needsLogin: boolean;
  /** Of a kind that syncer can open. */
  readonly isKnown: boolean;
}

/** What the home screen is opened with. */
export interface HomeContents {
  readonly remotes: readonly HomeRemote[];
  /** The newest first. */
  readonly runs: readonly PastRun[];
  /** For messages; `undefined`: the configuration is in memory only. */
  readonly configPath: string | undefined;
  /** A path as it was typed, with `~` and variables expanded. Throws `usage`. */
  readonly expand: (typed: string) => string;
  /** The ways in which a word behind the words of a command line may go on. */
  readonly complete: (words: readonly string[], typed: string) => Promise<readonly string[]>;
  /** Lists the root of a remote; resolves to what that came to. */
  readonly test: (remote: string) => Promise<RemoteTest>;
  /** The remote whose actions are shown first. */
  readonly remote?: string;
  /** Flags that every command from here gets, so that it sees the same configuration; shown as part of it. */
  readonly flags: readonly string[];
}

/** What the user has chosen to run: the words after `syncer`. */
export interface HomeCommand {
  readonly words: readonly string[];
  /** The command has a screen of its own, so that nothing is left to read when it ends. */
  readonly hasScreen: boolean;
  /** The folder to run it in; the present one where absent. */
  readonly dir?: string;
  /** The remote from whose actions it comes. */
  readonly remote?: string;
}

/** What a test of a remote came to, in a line. */
export interface RemoteTest {
  readonly works: boolean;
  readonly text: string;
}
