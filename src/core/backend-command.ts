import type { Doing } from './reason.ts';

/** What a command of a backend is called with; `Op` and `File` are those of `remote.ts`. */
export interface BackendCall<Op, File> {
  readonly args: readonly string[];
  /** The options of `-o name=value`; one without a value is `''`. */
  readonly options: ReadonlyMap<string, string>;
  readonly op: Op;
  /** The files of the path that belong to the run. */
  files(): AsyncIterable<readonly File[]>;
  /** Whether a change is made: `--dry-run` and `--interactive`. */
  mayChange(action: string, path: string, size?: number): Promise<boolean>;
  /** Counts and logs an error about one file; the command goes on. */
  fail(thrown: unknown, path: string, doing: Doing): void;
}

/** A command that only this backend has (`syncer backend`), as rclone has it. */
export interface BackendCommand<Op, File> {
  /** In one line, without a full stop. */
  readonly summary: string;
  /** Names of the arguments behind the path. */
  readonly usage?: string;
  /** Its options, and what each does. */
  readonly options?: Readonly<Record<string, string>>;
  /** The path may be a file; `files` then yields it. */
  readonly takesFile?: true;
  /** The result, to be printed as JSON; `undefined` if there is none. */
  run(call: BackendCall<Op, File>): Promise<unknown>;
}
