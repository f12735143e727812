import type { FileEntry } from './remote.ts';

/**
 * What the engine does about an error, and the exit code if it is the last one: rclone 1.75.2's, as measured
 * (docs/exit-codes.md).
 */
interface ErrorRule {
  /** Trying the same call again may succeed. */
  readonly retry: boolean;
  /**
   * Its subject may have changed since the listing, or that is unknown: a new attempt, with new listings, may
   * succeed.
   */
  readonly outdated: boolean;
  /** Nothing else of the run can succeed either: stop starting new work. */
  readonly stop: boolean;
  /** Exit code of the program when this is the last error. */
  readonly exit: number;
}

const rule = (exit: number, retry = false, stop = false): ErrorRule => {
  return { retry, outdated: false, stop, exit };
};

const outdated = (exit: number): ErrorRule => ({ ...rule(exit), outdated: true });

/** Every type of failure, and its consequences. */
export const ERROR_RULES = {
  'command-line': rule(2, false, true),
  usage: rule(1, false, true),
  config: rule(1, false, true),
  'config-password': rule(1, false, true),
  'unknown-remote': rule(1, false, true),
  'access-denied': rule(1),
  archived: rule(1),
  'sign-in': rule(1, false, true),
  'bucket-not-found': rule(3, false, true),
  'directory-not-found': outdated(3),
  'file-not-found': outdated(4),
  'already-exists': outdated(1),
  'not-a-file': rule(1),
  'not-a-directory': rule(1),
  'not-empty': rule(1),
  'no-space': outdated(1),
  'quota-exceeded': rule(7, false, true),
  'name-invalid': rule(1),
  'name-too-long': rule(6),
  'read-only': rule(1),
  'too-large': rule(1),
  unreadable: rule(6),
  'precondition-failed': outdated(1),
  'source-changed': rule(6, true),
  corrupted: rule(1, true),
  metadata: rule(1, true),
  network: rule(5, true),
  'body-cut': rule(5, true),
  unreachable: rule(5, true),
  'timed-out': rule(5, true),
  throttled: rule(1, true),
  server: rule(1, true),
  'bad-answer': outdated(1),
  unsupported: rule(1),
  differences: rule(1),
  'no-deletes': rule(1),
  'no-retry': rule(6),
  fatal: rule(7, false, true),
  'max-transfer': rule(8, false, true),
  'no-transfer': rule(9),
  'max-duration': rule(10, false, true),
  'sign-in-needed': rule(20, false, true),
  guarded: rule(21, false, true),
  'plan-outdated': rule(22),
  locked: rule(75, false, true),
  quit: rule(0, false, true),
  'no-answer': rule(1, false, true),
  stopped: rule(130, false, true),
  interrupted: rule(130, false, true),
  terminated: rule(143, false, true),
  vanished: outdated(1),
  other: outdated(1),
} satisfies Record<string, ErrorRule>;

/** A type of failure; the key into `ERROR_RULES`. */
export type ErrorCode = keyof typeof ERROR_RULES;

/** The exact problem with the options of a remote or the way to its server. */
export type RemoteFault =
  | 'access-key'
  | 'secret-key'
  | 'region'
  | 'client'
  | 'application'
  | 'clock'
  | 'authority'
  | 'certificate'
  | 'protocol'
  | 'host-name'
  | 'connection';

/** What an error has besides its code and its text. */
export interface ErrorDetails {
  /** As the user would write it. */
  readonly path?: string | undefined;
  /** How long the server asks to wait before the next try, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** What to do about it, if the message does not say so; shown once, with the last error of a run. */
  readonly advice?: string | undefined;
  readonly fault?: RemoteFault | undefined;
  /** The problem with a name: only its length; or it is misspelt, and the message has a hint. */
  readonly nameFault?: 'length' | 'misspelt' | undefined;
  /** The underlying error; shown with `-vv` only. */
  readonly cause?: unknown;
  /** The wrong file that a write left under its name: for `Capabilities.takeBack`. */
  readonly wrong?: FileEntry | undefined;
  /** The file was not read because its content has this size in bytes, and its listing another one. */
  readonly trueSize?: number | undefined;
}

/** The only error type. The message is one line for people: what failed, why, what to do; never a secret. */
export class SyncerError extends Error {
  readonly code: ErrorCode;
  readonly path: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly advice: string | undefined;
  readonly fault: RemoteFault | undefined;
  readonly nameFault: ErrorDetails['nameFault'];
  readonly wrong: FileEntry | undefined;
  readonly trueSize: number | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'SyncerError';
    this.code = code;
    this.path = details.path;
    this.retryAfterMs = details.retryAfterMs;
    this.advice = details.advice;
    this.fault = details.fault;
    this.nameFault = details.nameFault;
    this.wrong = details.wrong;
    this.trueSize = details.trueSize;
  }

  get retry(): boolean {
    return ERROR_RULES[this.code].retry;
  }

  get outdated(): boolean {
    return ERROR_RULES[this.code].outdated;
  }

  get stop(): boolean {
    return ERROR_RULES[this.code].stop;
  }

  /** An unknown host name is no temporary error. */
  get exit(): number {
    return this.fault === 'host-name' ? 1 : ERROR_RULES[this.code].exit;
  }
}

/** The file of a database is no longer one, or contradicts itself. */
export class DamagedDatabase extends SyncerError {}

/** A note about a file is not as it was written. */
export class DamagedNote extends SyncerError {}

/**
 * Any thrown value as a `SyncerError`: `other` with its first line as text. Errors of the system have the form of Go's; a
 * deleted working directory has its own words.
 */
export function toSyncerError(thrown: unknown): SyncerError {
  if (thrown instanceof SyncerError) return thrown;
  const { code, syscall, path, message } = (thrown ?? {}) as NodeJS.ErrnoException;
  if (syscall === 'uv_cwd') {
    const why = 'cannot resolve a relative path: the working directory was deleted';
    const what = 'change to another directory or use absolute paths';
    return new SyncerError('other', `${why}; ${what}`, { cause: thrown });
  }
  let text = thrown instanceof Error ? thrown.message : String(thrown);
  // `open /a: permission denied` for Node's `EACCES: permission denied, open '/a'`.
  const known = /^([A-Z0-9_]+): (.+), \w+( '.*')?$/s.exec(message ?? '');
  if (known !== null && known[1] === code && syscall !== undefined)
    text = `${syscall}${path === undefined ? '' : ` ${path}`}: ${known[2]}`;
  return new SyncerError('other', text.split('\n', 1)[0] ?? '', { cause: thrown });
}

/** Whether a person or the system ended the run: it stopped in order, and nothing failed. */
export function isStop({ code }: SyncerError): boolean {
  return code === 'interrupted' || code === 'terminated' || code === 'stopped' || code === 'quit';
}

/** Whether a failure may pass, and is not of the content: what was sent can be used later. */
export function isPassing(thrown: unknown): boolean {
  if (!(thrown instanceof SyncerError)) return false;
  return thrown.retry && !['corrupted', 'source-changed', 'metadata'].includes(thrown.code);
}

/** Whether `thrown` is a `SyncerError` with one of these codes. */
export function hasCode(thrown: unknown, ...codes: ErrorCode[]): thrown is SyncerError {
  return thrown instanceof SyncerError && codes.includes(thrown.code);
}

/** For `catch`: `undefined` instead of an error with one of these codes; throws any other again. */
export function absentIf(...codes: readonly ErrorCode[]): (thrown: unknown) => undefined {
  return (thrown) => {
    if (!hasCode(thrown, ...codes)) throw thrown;
  };
}
