import type { Job } from '../config/job.ts';
import type { RemoteHealth } from '../state/home.ts';
import type { PastRun } from '../state/runs.ts';
import type { RunningSummary } from './presence/running-text.ts';

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
  /** What opens it, if syncer does not itself, or why nothing does: `through rclone 1.75.2`. */
  readonly via?: string;
}

/** A directory as the home screen shows it: of this computer, or of a remote. */
export interface HomePlace {
  /** As commands take it. */
  readonly path: string;
  /** The same, shorter: `~/projects`. */
  readonly shown: string;
  /** It is the working directory. */
  readonly isHere?: true;
  /** Bytes of its disk, where that is known. */
  readonly used?: number;
  readonly total?: number;
}

/** A mount as the home screen shows it. */
export interface HomeMount {
  readonly mountPoint: string;
  readonly source: string;
  /** The name of its user, if those of several are listed. */
  readonly user?: string;
  /** `live`, `ending`, or what is wrong with it. */
  readonly state: string;
  /** Files that are not uploaded yet, and their bytes. */
  readonly pending: number;
  readonly pendingBytes: number;
  readonly failed: number;
  readonly cachedFiles: number;
  readonly cachedBytes: number;
  /** When it was mounted, in milliseconds since the epoch; absent where the mount does not answer. */
  readonly sinceMs?: number;
}

/** Something to begin with where there is no remote yet. */
export interface HomeOffer {
  readonly label: string;
  readonly note: string;
  /** It writes the configuration: what it does to it. */
  readonly question: string;
  readonly command: HomeCommand;
}

/** Whether a run can be undone. */
export interface RunUndo {
  readonly can: boolean;
  /** In a few words, as the history says it. */
  readonly text: string;
}

/** What the home screen is opened with. */
export interface HomeContents {
  /** The working directory, if it still exists, the pinned places, and then those of the last runs. */
  readonly places: readonly HomePlace[];
  /** The paths of what is pinned, places and remotes (`photos:`), in their order. */
  readonly pins: readonly string[];
  readonly remotes: readonly HomeRemote[];
  readonly jobs: readonly Job[];
  readonly mounts: readonly HomeMount[];
  /** Runs that go on, the oldest first. */
  readonly running: readonly RunningSummary[];
  /** The newest first. */
  readonly runs: readonly PastRun[];
  /** Which runs can be undone, by their ids; empty until that was read. */
  readonly undo: ReadonlyMap<string, RunUndo>;
  /** Only where there is no remote. */
  readonly offers: readonly HomeOffer[];
  /** What remotes said, by name. */
  readonly health: ReadonlyMap<string, RemoteHealth>;
  /** When the configuration was changed last, in milliseconds since the epoch: what was said before may be old. */
  readonly changedMs?: number;
  /** What could not be read, in a line. */
  readonly problem?: string;
  /** The names of the remotes that are asked at the moment. */
  readonly asking: ReadonlySet<string>;
  /** A path as it was typed, with `~` and variables expanded. Throws `usage`. */
  readonly expand: (typed: string) => string;
  /** Where the cursor is first. */
  readonly from?: ItemPlace;
  /** Flags that every command from here gets, so that it sees the same configuration; shown as part of it. */
  readonly flags: readonly string[];
  /** Without a history there is no trash. */
  readonly noHistory?: boolean;
}

/** What the home screen needs of the world while it is open. */
export interface HomeWorks {
  /** The ways in which a word behind the words of a command line may go on. */
  readonly complete: (words: readonly string[], typed: string) => Promise<readonly string[]>;
  /** Asks a remote, with one request and a short time limit. Never rejects. */
  readonly askRemote: (remote: HomeRemote) => Promise<RemoteHealth>;
  /** Lists the root of a remote; resolves to what that came to. */
  readonly test: (remote: string) => Promise<RemoteTest>;
  /** Whether each run of the history can be undone, by its id. */
  readonly readUndo: () => Promise<ReadonlyMap<string, RunUndo>>;
  /** What a run changed, a line for each path. Rejects if it cannot be read. */
  readonly readChanges: (id: string) => Promise<readonly string[]>;
  /** Pins a place, or unpins it, in the background. */
  readonly pin: (path: string, isPinned: boolean) => void;
  readonly listMounts: () => Promise<readonly HomeMount[]>;
  readonly listRunning: () => Promise<readonly RunningSummary[]>;
  /** Milliseconds since the epoch. */
  readonly nowMs: () => number;
}

/** What the user has chosen to run: the words after `syncer`. */
export interface HomeCommand {
  readonly words: readonly string[];
  /** The command has a screen of its own, so that nothing is left to read when it ends. */
  readonly hasScreen: boolean;
  /** The folder to run it in; the present one where absent. */
  readonly dir?: string;
  /** Its environment; the present one where absent. */
  readonly env?: NodeJS.ProcessEnv;
  /** The item from which it comes. */
  readonly from?: ItemPlace;
}

/** An item by its name, and whether its actions are shown. */
export interface ItemPlace {
  readonly kind: string;
  readonly name: string;
  readonly isOpen: boolean;
  /** Its place in the list, if the item is gone; absent: the first one. */
  readonly at?: number;
  /** The id of the run that the cursor is on, in the history. */
  readonly run?: string | undefined;
}

/** What a test of a remote came to, in a line. */
export interface RemoteTest {
  readonly works: boolean;
  readonly text: string;
}
