import type { BackendOption } from '../core/options.ts';
import { ALIAS_TYPE } from './alias-target.ts';
import type { ConfigSections } from './ini-lines.ts';
import type { Variable } from './remotes-in-environment.ts';

/** A backend as the configuration knows it. */
export interface BackendKind {
  readonly type: string;
  readonly aliases?: readonly string[];
  readonly options: readonly BackendOption[];
}

/** The known remotes and types. */
export interface KnownNames<K extends BackendKind = BackendKind> {
  readonly config: ConfigSections;
  /** For messages; `undefined`: the configuration is in memory. */
  readonly configPath: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly backends: readonly K[];
  /** The name among `names` closest to `typed`. */
  readonly nearest: (typed: string, names: Iterable<string>) => string | undefined;
}

/** An option set by a variable. */
export interface UsedVariable {
  readonly variable: Variable;
  /** The remote's name, `:type` for one without a section, `''` for a local path. */
  readonly remote: string;
  readonly option: BackendOption;
}

/** The sources of the options of remotes. */
export interface OptionSources<K extends BackendKind = BackendKind> extends KnownNames<K> {
  /** The value of the flag `<type>-<option>` on the command line, such as `s3-access-key-id`. */
  readonly flagValue: (flag: string) => string | undefined;
  /** The variable that sets the flag `<type>-<option>` under its general name: `SYNCER_COPY_LINKS` for `local-copy-links`. */
  readonly generalVariable?: (flag: string) => Variable | undefined;
  /** Called for each variable that sets an option. */
  readonly onVariable?: (used: UsedVariable) => void;
}

/** The backend of a type; `undefined` for an unknown type and for an alias. */
export function kindOf<K extends BackendKind>(type: string, kinds: readonly K[]): K | undefined {
  return kinds.find((kind) => kind.type === type || kind.aliases?.includes(type) === true);
}

/** Whether a remote can have this type. */
export function isKnownType(type: string, kinds: readonly BackendKind[]): boolean {
  return type === ALIAS_TYPE || kindOf(type, kinds) !== undefined;
}
