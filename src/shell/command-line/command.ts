import type { Readable } from 'node:stream';
import type { TokenPlace } from '../../backends/auth/oauth-token.ts';
import type { RcloneSettings } from '../../backends/backend.ts';
import type { ReadConfig } from '../../config/config-file.ts';
import type { AskPassword } from '../../config/config-password.ts';
import type { FixedOptions } from '../../config/resolve-options.ts';
import type { TrashUse } from '../../core/change-details.ts';
import type { Context } from '../../core/context.ts';
import type { SyncerError } from '../../core/errors.ts';
import type { Emit } from '../../core/events.ts';
import type { FlagRows, FlagValue } from '../../core/flags.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import type { Consent } from '../../engine/consent.ts';
import type { Bandwidth } from '../../engine/run.ts';
import type { RunControl } from '../../engine/run-control.ts';
import type { Filter } from '../../filter/filter.ts';
import type { Stores } from '../../state/stores.ts';
import type { Exclusion } from '../flags/exclusions.ts';
import type { Flags, FlagsWith, NoFlags } from '../flags/flag-table.ts';
import type { Output } from '../output/output.ts';
import type { RunOverview } from '../progress/row-lines.ts';

/** A remote, and the file in it if the path names a file. */
export interface OpenedPath {
  /** Opened at the named directory, or at the directory of `file`. */
  readonly remote: Remote;
  readonly file?: FileEntry;
}

/** The result of a new login. */
export interface Reconnected {
  /** The section of the configuration file to store it in; `undefined` for a remote without one. */
  readonly section: string | undefined;
  /** The keys to set there. */
  readonly values: Readonly<Record<string, string>>;
  /** Where its login is kept, which may be elsewhere; absent if that is not known. */
  readonly place?: TokenPlace | undefined;
}

/** Opens the remotes that the user names. */
export interface RemoteOpener {
  /** Reads the configuration now, which may ask for its password: before a screen covers the question. */
  readConfig(): Promise<void>;
  /** Opens `remote:path`, `:backend:path` or a local path as a directory, without a look at it. */
  openDir(spec: string, fixed?: FixedOptions): Promise<Remote>;
  /** Opens a path that may name a file or a directory; asks the remote which, until `op.signal` is aborted. */
  openPath(spec: string, fixed?: FixedOptions, op?: Op): Promise<OpenedPath>;
  /** The same path as a connection string, with all options that are not defaults; secrets as they are stored. */
  connectionString(spec: string): Promise<string>;
  /** Logs in to a remote again; `undefined` if its backend has no login. */
  reconnect(spec: string): Promise<Reconnected | undefined>;
  /** How rclone is started for a remote that it opens; `undefined` for any other. A draft need not be stored. */
  rcloneSettings(remote: string | RcloneDraft): Promise<RcloneSettings | undefined>;
  /** A remote that the user may have meant: `shelf:a` if `shelf/a` was opened as a local path, and nothing is there. */
  meantInstead(error: SyncerError): string | undefined;
  closeAll(): Promise<void>;
}

/** A remote of one of rclone's types, with options that need not be stored; passwords are obscured. */
export interface RcloneDraft {
  readonly name: string;
  readonly type: string;
  readonly options: Readonly<Record<string, string>>;
}

/** What a run changes. */
export interface ChangedPlaces {
  readonly remotes: readonly Remote[];
  /** One file there: others may change other files at the same time. */
  readonly isFile: boolean;
}

/** What a run inside another one is to be. */
export interface InnerAsked {
  /** The command that it is in the history, and that `perform` runs. */
  readonly command: string;
  /** Absent: the words of the run around it. */
  readonly args?: readonly string[];
  readonly flags?: Readonly<Record<string, FlagValue | undefined>>;
  /** Options of all remotes that it opens, which override others. */
  readonly options?: FixedOptions;
  readonly consent?: Consent;
  readonly signal: AbortSignal;
  readonly emit: Emit;
}

/** One act of a screen as a run of its own: it has a journal, stands in the history, and can be undone alone. */
export interface InnerRun {
  readonly id: string;
  readonly invocation: Invocation;
  perform(): Promise<void>;
  /** What the command wrote to standard output. */
  written(): string;
  /** Closes its remotes and completes its entry in the history; whether it changed anything. */
  end(error?: unknown): Promise<boolean>;
}

/**
 * How the command was called, and the context that it runs in. `Own` are the flags of its capability.
 *
 * This and the interfaces below are what a command can get. Each command and each function around it names those that
 * it needs: `CommandCall & Remotes` reads, `CommandCall & Remotes & Changing` may change something.
 */
export interface CommandCall<Own extends FlagRows = NoFlags> {
  readonly args: readonly string[];
  readonly flags: FlagsWith<Own>;
  /** Keys of the flags that are on the command line, and not only in the environment or in a file. */
  readonly typed: ReadonlySet<string>;
  /** See `CommandLine`. */
  readonly beganMs: number;
  /** See `newRunId`. */
  readonly runId: string;
  /** The command line without secrets, as the log and the history have it. */
  readonly shownWords: readonly string[];
  readonly context: Context;
}

/** The program, to start this command or another one. */
export interface Program {
  /** All words after the program's name, to start the same command again. */
  readonly argv: readonly string[];
  /** All commands of the program, for help. */
  readonly commands: readonly CommandSummary[];
}

/** What the machine keeps for the program. */
export interface Environment {
  readonly env: NodeJS.ProcessEnv;
  /** `state.db` and `cache.db`. */
  readonly stores: Stores;
}

/** Of a command with `endsItself`. */
export interface Interruption {
  /** Aborted by Ctrl-C and SIGTERM; so is `context.signal`, but not here. */
  readonly interruption: AbortSignal;
}

/** The remotes that the user names, and which of their files are meant. */
export interface Remotes {
  readonly remotes: RemoteOpener;
  /** The filter of the flags; its files are read at the first call. */
  filter(): Promise<Filter>;
  /** Limits the speed of transfers (`--bwlimit`). */
  readonly bandwidth?: Bandwidth | undefined;
}

/** Of a command that prints. */
export interface StandardOutput {
  readonly out: Output;
}

/** Of a command that reads data from standard input. */
export interface StandardInput {
  /** Standard input as data. After the first call, answers to questions are not read from it. */
  input(): Readable;
}

/** Of a command that shows a screen. */
export interface Showing {
  /** Removes the view of `--progress` while a screen is shown; returns the function that brings it back. */
  readonly stepAside?: (() => () => void) | undefined;
  /** Keeps the log off standard error while a screen is shown; the returned function shows what came. */
  holdLog(): () => void;
  /** Stops the clock of the run while a person is asked, until the returned function is called. */
  holdClock(): () => void;
}

/** Of a command that asks a person. */
export interface Asking extends Showing {
  /** Standard input for the answer to a question; keys and screens may read it afterwards. */
  answers(): Readable;
  /** Asks for the password of an encrypted configuration; absent with `--ask-password=false`. */
  readonly ask?: AskPassword | undefined;
}

/** Of a command with a view of its progress. */
export interface Steering {
  /** The keys of `--progress`. */
  readonly control?: RunControl | undefined;
  /** Shows lines in the view of `--progress` instead of the figures of this process; `undefined`: these again. */
  readonly overview?: ((overview: RunOverview | undefined) => void) | undefined;
}

/** Of a command that may change something. */
export interface UnderConsent {
  /** Whether changes are made (`--dry-run`, `--interactive`, `--review`). */
  readonly consent: Consent;
}

/** Of a command that may change files of remotes: before some changes a person is asked. */
export interface Changing extends UnderConsent, Asking, Steering {
  /**
   * Says what the command is about to change; see `startPresence`. Rejects with `locked` if it may not. Not for what only
   * shows changes.
   */
  changes(places: ChangedPlaces): Promise<void>;
  /**
   * Whether the trash of the run is used, once it has opened a remote. `undefined`: nothing it deletes or replaces can
   * be kept, as it has no history, or it is neither reviewed nor run with `--trash`.
   */
  trashUse(): Promise<TrashUse | undefined>;
}

/** Of a screen whose acts are runs of their own. */
export interface InnerRuns {
  /** Begins a run inside this one. Rejects with `usage` for an unknown command. */
  begin(asked: InnerAsked): InnerRun;
}

/** Everything a command can get, as plain members: `{ ...invocation, consent }` is the same with another consent. */
export interface Invocation<Own extends FlagRows = NoFlags>
  extends CommandCall<Own>,
    Program,
    Environment,
    Interruption,
    Remotes,
    StandardOutput,
    StandardInput,
    Changing,
    InnerRuns {}

/**
 * A command, loaded when it runs. It may need less than an invocation has. A `SyncerError` thrown here ends the program
 * with that error's exit code.
 */
export type Command<Own extends FlagRows = NoFlags> = (
  invocation: Invocation<Own>,
) => Promise<void>;

/** A command before it is loaded. */
export interface CommandSummary extends CommandUsage {
  /** The flags of its capability: of this command, and of others in its folder. */
  readonly flags?: FlagRows;
  /** What excludes what among them. */
  readonly exclusions?: readonly Exclusion<string>[];
  /** Its subcommands, by their own word: `create` of `config`. */
  readonly subcommands?: readonly CommandUsage[];
  /** Logs statistics while it runs and at the end (with `-v`); `never`, not with `--stats` either: others do the work. */
  readonly showsStats?: boolean | 'never';
  /** A run of it is in `syncer ps` while it goes on; `steered`: it can be paused, and its transfers changed. */
  readonly listed?: 'steered' | 'only';
  /** Changes files: its changes are kept in a journal, for `history` and `undo`. */
  readonly changes?: boolean;
  /** The only ones of its subcommands whose changes are kept so; absent: all. */
  readonly journals?: readonly string[];
  /** Restores what earlier runs deleted, which may be old: `--trash` keeps what that replaces, and for good. */
  readonly restores?: true;
  /** Deletes at its source what it has transferred; `in-place`: there it only gets another name. */
  readonly moves?: 'to-dest' | 'in-place';
  /** Never transfers: with `--error-on-no-transfer` it always exits with 9, as in rclone. */
  readonly transfersNothing?: boolean;
  /** Ctrl-C and SIGTERM do not abort it: it watches its `Interruption` and ends by itself. */
  readonly endsItself?: boolean;
  /** Its name is not a verb: its last line does not begin with `Failed to`. */
  readonly noun?: true;
  /** Whether it uses modification times: then the index of them is read. It affects the number of requests only. */
  usesTimes?(flags: Flags): boolean;
  /** Whether it computes hashes, or verifies by them what it copies: then the cache of hashes is used. */
  usesHashes?(flags: Flags): boolean;
  /** Index of the argument that is a secret and is not logged. */
  readonly secretArg?: number;
  /** Loads it; absent where `expand` says what is run instead. */
  readonly load?: () => Promise<Command>;
  /**
   * Gives the words of the command line that is run instead: `apply plan.json` stands for the command of the plan.
   * Rejects with `usage` or `config`.
   */
  readonly expand?: (line: CommandLine, lookup: CommandLookup) => Promise<readonly string[]>;
}

/** Where the words of another command line are looked up. */
export interface CommandLookup {
  readonly commands: readonly CommandSummary[];
  readonly env: NodeJS.ProcessEnv;
}

export interface CommandLine {
  /** Absent if only flags were given. */
  readonly command: string | undefined;
  readonly summary: CommandSummary | undefined;
  readonly args: readonly string[];
  readonly flags: Flags;
  /** From which time ages in flags count, as dates were made ages; in milliseconds since the epoch. */
  readonly beganMs: number;
  /** Keys of the flags given on the command line, in the environment or in the file of defaults. */
  readonly given: ReadonlySet<string>;
  /** Keys of the flags given on the command line. */
  readonly typed: ReadonlySet<string>;
  /** What the file of defaults and variables set, the strongest last. */
  readonly variables: readonly FlagVariable[];
  /** The given flags of backends, by name: `s3-endpoint`. */
  readonly backendFlags: Readonly<Record<string, string>>;
  /** The remotes whose `global.` settings are among the flags. */
  readonly appliedGlobals?: ReadonlySet<string>;
  /** The configuration as it was read for them. */
  readonly config?: ReadConfig;
  /** The typed flags as words, to run another command with them: `--transfers=8`. */
  readonly flagWords: readonly string[];
}

/** A flag set by an environment variable or by the file of defaults, or the first values of its list. */
export interface FlagVariable {
  /** Key of the flag, and its name on the command line. */
  readonly key: string;
  readonly name: string;
  /** Absent if the file of defaults sets it. */
  readonly variable?: string;
  /** Where the file of defaults sets it. */
  readonly at?: string;
  readonly text: string;
  /** The parsed value, or the values of a list. */
  readonly values: readonly string[];
}

export interface CommandUsage {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The arguments as shown in the usage line: `source:path dest:path`. */
  readonly usage: string;
  /** Fewest and most arguments, otherwise `usage` is shown; absent: as many as it has words, those in brackets or not. */
  readonly args?: readonly [min: number, max: number];
  /** The longer help text. */
  readonly description?: string;
  /** Command lines, each with what it does: `syncer ls shelf:  # List all files`. */
  readonly examples?: string;
  /** When it ends with which code, beside those that every command has: docs/exit-codes.md. */
  readonly exits?: Readonly<Record<number, string>>;
  /** The names of the flags that its help shows first, of its own and of the common ones. */
  readonly often?: readonly string[];
  /** Commands and topics of help to see also. */
  readonly see?: readonly string[];
  readonly hidden?: boolean;
}

/** The fewest and most arguments of a command. */
export function argumentCounts({ usage, args }: CommandUsage): readonly [min: number, max: number] {
  const words = usage.split(' ').filter((word) => word !== '');
  return args ?? [words.filter((word) => !word.startsWith('[')).length, words.length];
}

/** The subcommands of a command, by their full names: `config create`. */
export function subcommandsOf(command: CommandSummary): readonly CommandUsage[] {
  return (command.subcommands ?? []).map((one) => ({
    ...one,
    name: `${command.name} ${one.name}`,
  }));
}

/** All commands, each followed by its subcommands under their full names. */
export function allUsages(commands: readonly CommandSummary[]): readonly CommandUsage[] {
  return commands.flatMap((command) => [command, ...subcommandsOf(command)]);
}

/** The usage of the subcommand that the first word names, or else of the command. */
export function usageOf(command: CommandSummary, [word]: readonly string[]): CommandUsage {
  return subcommandsOf(command).find(({ name }) => name === `${command.name} ${word}`) ?? command;
}

/** `syncer copy source:path dest:path [flags]`. */
export function usageLine({ name, usage }: CommandUsage): string {
  return ['syncer', name, usage, '[flags]'].filter((part) => part !== '').join(' ');
}
