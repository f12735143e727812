import type { BackendOption } from '../core/options.ts';
import { ALIAS_TYPE } from './alias-target.ts';
import type { ConfigSections } from './ini-lines.ts';

/** What of a backend its configuration needs to know. */
export interface BackendKind {
  readonly type: string;
  readonly aliases?: readonly string[];
  readonly options: readonly BackendOption[];
}

/** What remotes and types there are. */
export interface KnownNames<K extends BackendKind = BackendKind> {
  readonly config: ConfigSections;
  /** For messages; `undefined`: the configuration is in memory. */
  readonly configPath: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly backends: readonly K[];
  /** The name among `names` that `typed` most likely meant. */
  readonly nearest: (typed: string, names: Iterable<string>) => string | undefined;
}

/** Where the options of remotes come from. */
export interface OptionSources<K extends BackendKind = BackendKind> extends KnownNames<K> {
  /** The value that the command line gives to the flag `<type>-<option>`, such as `s3-access-key-id`. */
  readonly flagValue: (flag: string) => string | undefined;
}

/** The kind of storage that `type` means; `undefined` for an unknown type and for an alias. */
export function kindOf<K extends BackendKind>(type: string, kinds: readonly K[]): K | undefined {
  return kinds.find((kind) => kind.type === type || kind.aliases?.includes(type) === true);
}

/** Whether remotes can be of this type. */
export function isKnownType(type: string, kinds: readonly BackendKind[]): boolean {
  return type === ALIAS_TYPE || kindOf(type, kinds) !== undefined;
}
