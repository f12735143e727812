import type { BackendOption, OptionExample, SetUpQuestion } from '../core/options.ts';
import { ALIAS_TYPE } from './alias-target.ts';
import type { ConfigSections } from './ini-lines.ts';
import type { Variable } from './remotes-in-environment.ts';

/** A backend as the configuration knows it. */
export interface BackendKind {
  readonly type: string;
  readonly aliases?: readonly string[];
  readonly options: readonly BackendOption[];
  /** It opens every type that no other backend has, with options that are not listed. */
  readonly servesOthers?: true;
  /** rclone opens it, and asks the questions that follow its options. */
  readonly isOfRclone?: true;
}

/** Whether an option is stored obscured. */
export function isPassword(kind: BackendKind | undefined, key: string): boolean {
  return kind?.options.some((option) => option.name === key && option.obscured) === true;
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

/** The name of a type for people, by which its flags are listed as well: rclone's, if it has another one. */
export function shownType({ type, aliases, servesOthers, isOfRclone }: BackendKind): string {
  return servesOthers || isOfRclone ? type : (aliases?.[0] ?? type);
}

/** Whether a remote can have this type. */
export function isKnownType(type: string, kinds: readonly BackendKind[]): boolean {
  return type === ALIAS_TYPE || kindOf(type, kinds) !== undefined;
}

/** The options that a dialogue asks for, in their order: the plain ones first, the advanced ones where they are wanted. */
export function optionList({ options }: BackendKind, advanced: boolean): readonly BackendOption[] {
  return options.filter((option) => (option.advanced === true) === advanced);
}

/** The value of an option that a dialogue shows as it is: what is stored, or the default. */
export function shownValue(option: BackendOption, values: ReadonlyMap<string, string>): string {
  return values.get(option.name) ?? option.default ?? '';
}

/** The examples of an option for a value of the option `provider`; `''`: all of them. */
export function examplesFor(
  { examples = [] }: BackendOption,
  provider: string,
): readonly OptionExample[] {
  return examples.filter(
    (one) => one.provider === undefined || one.provider.includes(provider || 'AWS'),
  );
}

/** A question for true or false. */
export function yesNoQuestion(name: string, help: string, ifUnset: string): SetUpQuestion {
  const examples = [
    { value: 'true', help: 'Yes' },
    { value: 'false', help: 'No' },
  ];
  return { name, type: 'bool', default: ifUnset, help, exclusive: true, examples };
}

/** Whether the advanced options are wanted. */
export const ADVANCED_QUESTION = yesNoQuestion(
  'config_fs_advanced',
  'Edit advanced config?',
  'false',
);

/** Whether a remote that has a login gets another one. */
export const REFRESH_QUESTION = yesNoQuestion(
  'config_refresh_token',
  'Already have a token - refresh?',
  'true',
);
