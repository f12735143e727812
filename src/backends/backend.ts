import type { PieceNotes, ProbeNotes } from '../core/content-pieces.ts';
import type { Context } from '../core/context.ts';
import {
  type BackendOption,
  DESCRIPTION,
  type SetUpAnswer,
  type SetUpInput,
} from '../core/options.ts';
import type { Remote } from '../core/remote.ts';
import type { UploadRecordsAccess } from '../core/upload-records.ts';
import type { TokenPlace } from './auth/oauth-token.ts';
import type { LoginChoices } from './auth/post-form.ts';
import type { TransportOptions } from './http/network-options.ts';

/** How rclone opens a remote. */
export interface RcloneSettings {
  /** The remote without a path, with the options of its connection string: `name,option=value:`. */
  readonly spec: string;
  /** The type of the remote, as in the configuration. */
  readonly type: string;
  /** Name or path of the program; absent: `rclone`. */
  readonly program?: string | undefined;
  /** The environment of the program: also the options of its backends that flags and references to secrets set. */
  readonly env: NodeJS.ProcessEnv;
  /** More of it for the remote control alone. */
  readonly serverEnv: NodeJS.ProcessEnv;
  /** Remotes with equal keys share one running rclone. */
  readonly key: string;
  /** The configuration file; absent: none. */
  readonly configFile?: string | undefined;
  /** The password of the configuration file; `undefined` if it is not encrypted. */
  password(): Promise<string | undefined>;
}

/** What this machine has noted in earlier uploads. */
export interface EarlierUploads {
  /** Records of unfinished uploads, if they may be resumed. */
  readonly uploads?: UploadRecordsAccess;
  /** The pieces of large objects that runs have written; absent where nothing is kept. */
  readonly pieces?: () => Promise<PieceNotes>;
  /** What probes have shown of buckets; likewise. */
  readonly probes?: () => Promise<ProbeNotes>;
}

/** The arguments of a backend's `open`. */
export interface OpenParams extends EarlierUploads {
  /** Name of the remote in the configuration; `''` for a bare local path. */
  readonly name: string;
  /** Path of the root, as the user wrote it, without a slash at the end (but `/` for the local root). */
  readonly root: string;
  /** The options that have a value, by name, as text: flags, connection string, environment and file resolved. */
  readonly options: Readonly<Record<string, string>>;
  /** The same once more, with references to secrets read again; absent if no option is one. */
  readonly optionsNow?: () => Promise<Readonly<Record<string, string>>>;
  readonly context: Context;
  readonly transport: TransportOptions;
  /** Where the option `token` came from and a renewed one is written; absent if it is not from the file. */
  readonly tokenPlace?: TokenPlace;
  /** Listings have the metadata of entries if that costs no request (`--metadata`). */
  readonly listsMetadata?: boolean;
  /** What of a written file may differ from what was sent (`--ignore-size`, `--ignore-checksum`). */
  readonly mayDiffer?: { readonly size: boolean; readonly checksum: boolean };
  /** The same as `uploads` of downloads to disks. */
  readonly downloads?: UploadRecordsAccess;
  /** Only for the backend that serves the types of others (`Backend.servesOthers`). */
  readonly rclone?: RcloneSettings;
  /** A value shared by the remotes of one run: the one created first for this key. */
  readonly shared?: <T>(key: string, make: () => T) => T;
}

/** The exports of a backend's module; loaded only when a remote of that backend is opened. */
export interface BackendModule {
  /** Opens a remote. Rejects with `config` for missing or invalid options; makes no request. */
  open(params: OpenParams): Promise<Remote>;
  /** Logs in again; resolves to the keys of the section to set (the new token). Absent for backends without login. */
  readonly reconnect?: (
    params: OpenParams,
    choices: LoginChoices,
  ) => Promise<Readonly<Record<string, string>>>;
  /**
   * The questions after the login, one step a call: which of the account's drives it is. The states are rclone's.
   * Rejects with `usage` for an unknown state; a refusal by the service is the `error` of the result.
   */
  readonly setUp?: (params: OpenParams, input: SetUpInput) => Promise<SetUpAnswer>;
}

/** An option that the wizard asks first. */
export interface FirstOption {
  readonly name: string;
  /** Asked only if another option has one of these values. */
  readonly where?: { readonly option: string; readonly is: readonly string[] };
  /** The wizard's step that it belongs to; default: `Settings`. */
  readonly step?: string;
}

/** A backend: its name, options and summary, without its code. */
export interface Backend {
  /** The `type` in the configuration file. */
  readonly type: string;
  /** Other names of the type. */
  readonly aliases?: readonly string[];
  /**
   * It opens every type of remote that no other backend has (`OpenParams.rclone`), with whatever options their sections
   * have; its `open` makes requests, because only an open remote says what it can do.
   */
  readonly servesOthers?: true;
  /**
   * Whether an rclone that is installed opens a remote of the configuration instead, because it has what the section
   * lacks. References to secrets are as they stand.
   */
  readonly isLeftToRclone?: (options: Readonly<Record<string, string>>) => boolean;
  /** A summary in one line. */
  readonly summary: string;
  /** What its users must know before its options, in paragraphs; steps begin with their numbers. */
  readonly about?: string;
  /** The heading of its group in the wizard's list of types. */
  readonly group?: string;
  readonly options: readonly BackendOption[];
  /**
   * The options that the wizard asks first, in this order; all others count as advanced there. Absent: those not
   * `advanced`.
   */
  readonly firstOptions?: readonly FirstOption[];
  /** Remotes need a login, held by the option `token`. `finds`: the options that `setUp` determines after it. */
  readonly login?: { readonly finds: readonly string[] };
  readonly load: () => Promise<BackendModule>;
}

/** The backend with the option that all have. */
export function describable(backend: Backend): Backend {
  return { ...backend, options: [...backend.options, DESCRIPTION] };
}
