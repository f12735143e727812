import type { Readable } from 'node:stream';
import type { AskPassword } from '../config/config-password.ts';
import type { FixedOptions } from '../config/resolve-options.ts';
import type { Context } from '../core/context.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import type { Filter } from '../filter/filter.ts';
import type { ChangeGuard } from '../sync/change-guard.ts';
import type { Bandwidth } from '../sync/run.ts';
import type { RunControl } from '../sync/run-control.ts';
import type { Flags } from './flags/flag-table.ts';

/** Standard output as data: names of any bytes, slow readers and closed pipes are its business. */
export interface Output {
  /**
   * Resolves when the reader has taken enough that more may be written. Nothing happens once the pipe is closed.
   * Bytes must not be changed before it resolves. A string is a text: on a terminal nothing of it is obeyed but ends of
   * lines and tabs.
   */
  write(data: string | Uint8Array): Promise<void>;
  /** Whether it is a terminal that may be coloured (`NO_COLOR`, `TERM`, `--color` obeyed). */
  readonly colour: boolean;
  readonly isTerminal: boolean;
}

/** A remote, and the one file of it that the user meant, where the path named a file. */
export interface OpenedPath {
  /** Opened at the directory that was named, or at the directory that holds `file`. */
  readonly remote: Remote;
  readonly file?: FileEntry;
}

/** What a new login came to. */
export interface Reconnected {
  /** The section of the configuration file to store it in; `undefined` where the remote has none. */
  readonly section: string | undefined;
  /** The keys to set there. */
  readonly values: Readonly<Record<string, string>>;
}

/** Everything a command gets: its arguments and the services of the program. */
export interface Invocation {
  readonly args: readonly string[];
  /** All words of the command line after the program's name, for what starts the same command anew. */
  readonly argv: readonly string[];
  readonly flags: Flags;
  /** All commands of the program, for help. */
  readonly commands: readonly CommandSummary[];
  readonly context: Context;
  /** Aborted by Ctrl-C and SIGTERM, as `context.signal` is too but for commands that `endsItself`. */
  readonly interruption: AbortSignal;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  readonly out: Output;
  /**
   * Reads the configuration now and not with the first remote: before a screen is drawn over the question for its
   * password.
   */
  readConfig(): Promise<void>;
  /** Opens `remote:path`, `:backend:path` or a local path at the directory it names, without looking at it. */
  openDir(spec: string, fixed?: FixedOptions): Promise<Remote>;
  /** Opens a path that may name a file or a directory; asks the store which. */
  openPath(spec: string, fixed?: FixedOptions): Promise<OpenedPath>;
  /** Logs in to a remote again; `undefined` where its kind of storage has no login. */
  reconnect(spec: string): Promise<Reconnected | undefined>;
  /** Slows transfers down (`--bwlimit`); absent where there is no limit. */
  readonly bandwidth?: Bandwidth;
  /** Decides what may be changed (`--dry-run`, `--interactive`); absent where everything may be. */
  readonly guard?: ChangeGuard;
  /** What a person does to the run by the keys of `--progress`; absent where there are none. */
  readonly control?: RunControl;
  /** Takes the view of `--progress` away while a screen is shown; gives the way back. Absent where there is none. */
  readonly stepAside?: () => () => void;
  /** Asks for the password of an encrypted configuration; absent with `--ask-password=false`. */
  readonly ask?: AskPassword;
  /** Keeps the log from standard error, where a screen is shown, until the function that it gives is called. */
  holdLog(): () => void;
  /** The filter that the flags describe; its files are read at the first call. */
  filter(): Promise<Filter>;
}

/** A command: declared in `commands/index.ts`, loaded when it is run. */
export interface Command {
  /** Runs it. A `SyncerError` thrown here ends the program with that error's exit code. */
  run(invocation: Invocation): Promise<void>;
}

/** What is known of a command without loading it. */
export interface CommandSummary extends CommandUsage {
  /** Commands below this one, by the word that follows its name: `create` of `config`. */
  readonly subcommands?: readonly CommandUsage[];
  /** Statistics are logged while it runs and at its end (with `-v`). */
  readonly showsStats?: boolean;
  /** It transfers nothing: `--error-on-no-transfer` ends it with 9 whatever it did, as in rclone. */
  readonly transfersNothing?: boolean;
  /** Ctrl-C and SIGTERM do not break off what it does: it ends in its own time, by `Invocation.interruption`. */
  readonly endsItself?: boolean;
  /** The argument, from 0, that is a secret: it is not logged. */
  readonly secretArg?: number;
  readonly load: () => Promise<Command>;
}

/** How a command is used. */
export interface CommandUsage {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The arguments as shown in the usage line: `source:path dest:path`. */
  readonly usage: string;
  /** Fewest and most arguments; `usage` is shown where they are not met. */
  readonly args: readonly [min: number, max: number];
  /** The longer help text. */
  readonly description?: string;
  readonly hidden?: boolean;
}
