/** How a value is read: see `byte-size.ts` and `duration.ts` for sizes and durations. */
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

/**
 * One option of a backend: the record from which come configuration keys, `--<backend>-<option>` flags,
 * environment variables, the wizard's questions and the documentation.
 */
export interface BackendOption {
  /** As it stands in the configuration file: `access_key_id`. */
  readonly name: string;
  readonly type: OptionType;
  /** What it is, in a sentence that ends with a full stop. */
  readonly help: string;
  /** As text, as it would stand in the configuration file. */
  readonly default?: string;
  readonly required?: boolean;
  /** Of a `bool`: its flag takes a word, `true`, `false` or `unset`, as rclone's of type Tristate. */
  readonly isTristate?: boolean;
  /** Never shown, logged or completed. */
  readonly secret?: boolean;
  /** Obscured in the file as rclone does (`rclone obscure`). */
  readonly obscured?: boolean;
  /** Asked only when the user wants the advanced questions. */
  readonly advanced?: boolean;
  /** `false`: the wizard never asks for it, as it is there for the sake of rclone's configuration files. */
  readonly isAsked?: false;
  readonly examples?: readonly OptionExample[];
  /** A value as it may look, where there are no `examples`. */
  readonly example?: string;
  /** What is wrong with a value, in a sentence; `undefined` where nothing is. Absent: its type says all. */
  readonly check?: (value: string) => string | undefined;
}
