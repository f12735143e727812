import type { LoginChoices } from '../auth/login-server.ts';
import type { TokenPlace } from '../auth/oauth-token.ts';
import type { Context } from '../core/context.ts';
import type { BackendOption, SetUpAnswer, SetUpInput } from '../core/options.ts';
import type { Remote } from '../core/remote.ts';
import type { NetworkOptions } from '../http/network-options.ts';

/** How a backend talks to the network; from the global flags. */
export interface TransportOptions extends NetworkOptions {
  /** Tries of one request (`--low-level-retries`). */
  readonly lowLevelRetries: number;
  readonly userAgent: string;
  /** Headers of requests that write files, and of those that read them (`--header-upload`, `--header-download`). */
  readonly uploadHeaders?: Readonly<Record<string, string>>;
  readonly downloadHeaders?: Readonly<Record<string, string>>;
  /** Waits until the next request may go out (`--tpslimit`); absent where there is no limit. */
  readonly takeTransaction?: (signal: AbortSignal) => Promise<void>;
}

/** What a backend is opened with. */
export interface OpenParams {
  /** Name of the remote in the configuration; `''` for a bare local path. */
  readonly name: string;
  /** Path of the root inside the store, as given by the user, no slash at the end (but `/` for the local root). */
  readonly root: string;
  /** The options that have a value, by name, as text: flags, connection string, environment and file resolved. */
  readonly options: Readonly<Record<string, string>>;
  readonly context: Context;
  readonly transport: TransportOptions;
  /** Where the option `token` came from and a renewed one goes; absent where it did not come from the file. */
  readonly tokenPlace?: TokenPlace;
  /** What remotes of one run share: the value made first for this key. */
  readonly shared?: <T>(key: string, make: () => T) => T;
}

/** What a backend's module exports; loaded only when a remote of its kind is opened. */
export interface BackendModule {
  /** Opens a remote. Rejects with `config` where options are missing or make no sense; makes no request. */
  open(params: OpenParams): Promise<Remote>;
  /** Logs in again; resolves to the keys of the section to set (the new token). Absent for backends without login. */
  readonly reconnect?: (
    params: OpenParams,
    choices: LoginChoices,
  ) => Promise<Readonly<Record<string, string>>>;
  /**
   * The questions after the login, one step a call: which of the account's drives it is. The states are rclone's.
   * Rejects with `usage` for an unknown state; a refusal by the service is the answer's `error`.
   */
  readonly setUp?: (params: OpenParams, input: SetUpInput) => Promise<SetUpAnswer>;
}

/** An option that the wizard asks first. */
export interface FirstOption {
  readonly name: string;
  /** It is asked only where another option has one of these values. */
  readonly where?: { readonly option: string; readonly is: readonly string[] };
}

/** A kind of storage: what is known of it before its code is loaded. */
export interface Backend {
  /** The `type` in the configuration file. */
  readonly type: string;
  /** Other names of the same kind. */
  readonly aliases?: readonly string[];
  /** One line: what it is. */
  readonly summary: string;
  readonly options: readonly BackendOption[];
  /**
   * The options that the wizard asks first, in this order; all others count as advanced there. Absent: those not
   * `advanced`.
   */
  readonly firstOptions?: readonly FirstOption[];
  /** Remotes need a login, held by the option `token`. `finds`: the options that `setUp` finds out after it. */
  readonly login?: { readonly finds: readonly string[] };
  readonly load: () => Promise<BackendModule>;
}
