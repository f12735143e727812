/** How a value is read: see `src/go/quantities.ts` for sizes and durations. */
export type OptionType =
  | 'bool'
  | 'string'
  | 'int'
  | 'float'
  | 'size'
  | 'duration'
  /** A string that may be given several times. */
  | 'list'
  /** A flag that counts how often it is given (`-vv`). */
  | 'count';

/** A value an option can take, with what it means. */
export interface OptionExample {
  readonly value: string;
  readonly help: string;
  /** Only for these values of the `provider` option. */
  readonly provider?: readonly string[];
}

/** One option of a backend, for configuration keys, `--<backend>-<option>` flags, variables, the wizard and the docs. */
export interface BackendOption {
  /** As it stands in the configuration file: `access_key_id`. */
  readonly name: string;
  readonly type: OptionType;
  /** What it is, in a sentence that ends with a full stop. */
  readonly help: string;
  /** As text, as it would stand in the configuration file. */
  readonly default?: string;
  readonly required?: boolean;
  /** Of an `int`: its least and its greatest value. */
  readonly min?: number;
  readonly max?: number;
  /** Of a `bool`: its flag takes a word, `true`, `false` or `unset`, as rclone's of type Tristate. */
  readonly isTristate?: boolean;
  /** Never shown, logged or completed. */
  readonly secret?: boolean;
  /** Obscured in the file as rclone does (`rclone obscure`). */
  readonly obscured?: boolean;
  /** A path, local or of a remote: a dialogue expands `~` in it. */
  readonly isPath?: boolean;
  /** The URL of a server that gets requests, and credentials with them, or what chooses that server. */
  readonly isAddress?: boolean;
  /** Chooses the credentials among those of this machine, or the role to assume with them. */
  readonly isLogin?: boolean;
  /** Asked only when the user wants the advanced questions. */
  readonly advanced?: boolean;
  /** `false`: the wizard never asks for it; it is there for rclone's configuration files. */
  readonly isAsked?: false;
  /** It has no effect here: the level of the line that says so if it is set, `notice` if a user may miss it. */
  readonly ignoredAt?: 'info' | 'notice';
  readonly examples?: readonly OptionExample[];
  /** An example of a value, if there are no `examples`. */
  readonly example?: string;
  /** What is wrong with a value, in a sentence; `undefined` for a valid one. Absent: the type is enough. */
  readonly check?: (value: string) => string | undefined;
}

/** The state of the dialogue that sets up a remote, and the answer to its last question. */
export interface SetUpInput {
  /** `''` at the start; otherwise as it came with the question. */
  readonly state: string;
  readonly result: string;
}

/** A question that only the server can put: which of the account's drives it is. */
export interface SetUpQuestion extends BackendOption {
  /** Only the examples can be answered. */
  readonly exclusive?: boolean;
  /** It only asks for confirmation: a caller that shows the result before saving need not ask. */
  readonly isConfirmation?: boolean;
  /** As the program that asks it prints it. */
  readonly record?: Readonly<Record<string, unknown>>;
}

/** The result of a step of the dialogue. */
export interface SetUpAnswer {
  /** To be given with the next answer; `''` at the end. */
  readonly state: string;
  /** Absent at the end, and if the dialogue continues without one. */
  readonly question?: SetUpQuestion;
  /** Why the last answer is invalid, if the dialogue returns to the question. */
  readonly error?: string;
  /** Values of the section that the step determined. */
  readonly values?: Readonly<Record<string, string>>;
}

/** An option that the wizard asks for. */
export function option(
  name: string,
  type: OptionType,
  help: string,
  more?: Partial<BackendOption>,
): BackendOption {
  return { name, type, help, ...more };
}

/** An option that only the advanced questions ask for. */
export const advanced: typeof option = (name, type, help, more) =>
  option(name, type, help, { advanced: true, ...more });

/** An advanced option that is off by default. */
export function flag(name: string, help: string): BackendOption {
  return advanced(name, 'bool', help, { default: 'false' });
}

/** An advanced option that is on, off, or unset. */
export function tristate(name: string, help: string): BackendOption {
  return advanced(name, 'bool', help, { isTristate: true });
}

/** The option that every type of remote has. */
export const DESCRIPTION = advanced('description', 'string', 'Description of the remote.');

/** An option of rclone that is accepted and has no effect here; `why` ends its help. */
export function ignored(option: Omit<BackendOption, 'help'>, why: string): BackendOption {
  const help = `Ignored, for compatibility with rclone: ${why}`;
  return { ignoredAt: 'info', ...option, help, advanced: true, isAsked: false };
}

/** As `ignored`, for a flag. */
export function ignoredFlag(name: string, why: string): BackendOption {
  return ignored({ name, type: 'bool', default: 'false' }, why);
}
