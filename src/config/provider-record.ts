import type { BackendOption, OptionType, SetUpQuestion } from '../core/options.ts';
import type { Json } from '../go/go-json.ts';
import { DURATION_OFF, parseByteSize, parseDuration, SIZE_OFF } from '../go/quantities.ts';
import { type BackendKind, examplesFor } from './option-sources.ts';

/** A backend with its summary. */
export interface DescribedKind extends BackendKind {
  readonly summary: string;
  /** The heading of its group in the wizard's list of types. */
  readonly group?: string;
  /** As rclone itself prints it, if it is one of its backends and was asked. */
  readonly record?: { readonly [key: string]: Json };
}

/** rclone's names of option types. */
const GO_TYPES: Readonly<Record<OptionType, string>> = {
  bool: 'bool',
  string: 'string',
  int: 'int',
  float: 'float64',
  size: 'SizeSuffix',
  duration: 'Duration',
  list: 'CommaSepList',
  count: 'int',
};

/** Keys that name an account or a place in it. */
export const ACCOUNT_KEYS: ReadonlySet<string> = new Set([
  ...['access_key_id', 'sse_kms_key_id', 'sse_customer_key_md5', 'role_arn', 'role_external_id'],
  ...['client_id', 'drive_id', 'root_folder_id', 'tenant'],
]);

/** A backend as `rclone config providers` prints it. */
export function providerRecord(kind: DescribedKind): Json {
  if (kind.record !== undefined) return kind.record;
  return {
    Name: kind.type,
    Description: kind.summary,
    Prefix: kind.type,
    Options: kind.options.map((option) => optionRecord(option)),
    CommandHelp: null,
    Aliases: kind.aliases === undefined ? null : [...kind.aliases],
    Hide: false,
    MetadataInfo: null,
  };
}

/** An option as rclone prints it, also as a question, with `value` as its default and the examples for `provider`. */
export function optionRecord(
  option: BackendOption,
  value = option.default ?? '',
  provider = '',
): { readonly [key: string]: Json } {
  const isTristate = option.type === 'bool' && option.default === undefined;
  const text = isTristate && value === '' ? 'unset' : value;
  const examples = examplesFor(option, provider);
  return {
    Name: option.name,
    FieldName: '',
    Help: option.help,
    Default: isTristate
      ? { Value: value === 'true', Valid: value !== '' }
      : typed(option.type, value),
    Value: null,
    ...(examples.length === 0
      ? {}
      : {
          Examples: examples.map((example) => ({
            Value: example.value,
            Help: example.help,
            ...(example.provider && { Provider: example.provider.join(',') }),
          })),
        }),
    Hide: 0,
    Required: option.required === true,
    IsPassword: option.obscured === true,
    NoPrefix: false,
    Advanced: option.advanced === true,
    Exclusive: false,
    Sensitive: option.secret === true || ACCOUNT_KEYS.has(option.name),
    DefaultStr: text,
    ValueStr: text,
    Type: isTristate ? 'Tristate' : GO_TYPES[option.type],
  };
}

/** A question of the store, or of a dialogue itself, as rclone prints it. */
export function questionRecord(asked: SetUpQuestion): { readonly [key: string]: Json } {
  if (asked.record !== undefined) return asked.record as { readonly [key: string]: Json };
  return { ...optionRecord(asked), Exclusive: asked.exclusive === true };
}

/** A value as JSON of its type: sizes in bytes, durations in nanoseconds. An invalid one stays text. */
function typed(type: OptionType, value: string): Json {
  try {
    switch (type) {
      case 'bool':
        return value === 'true';
      case 'int':
      case 'float':
      case 'count':
        return Number.isFinite(Number(value)) ? Number(value) : value;
      case 'size': {
        const size = value === '' ? 0 : parseByteSize(value);
        return size === SIZE_OFF ? -1 : size;
      }
      case 'duration': {
        const ms = value === '' ? 0 : parseDuration(value, 0);
        return ms === DURATION_OFF ? value : ms * 1e6;
      }
      case 'list':
        return value === '' ? null : value.split(',');
      case 'string':
        return value;
    }
  } catch {
    return value;
  }
}
