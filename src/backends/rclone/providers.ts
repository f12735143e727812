import { type BackendOption, DESCRIPTION, type OptionType } from '../../core/options.ts';
import type { Json } from '../../go/go-json.ts';
import type { FirstOption } from '../backend.ts';
import { OBSCURED_OPTIONS, RCLONE_TYPES, type RcloneToAsk } from './index.ts';
import { findRclone, output } from './rclone-program.ts';

/** One of rclone's backends, as a type of remote. */
export interface RcloneProvider {
  readonly type: string;
  /** Other names of the type; the first one begins the names of its flags, if it is not the type that does. */
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly options: readonly BackendOption[];
  readonly firstOptions?: readonly FirstOption[];
  readonly isOfRclone: true;
  /** As `rclone config providers` prints it; absent if rclone was not asked. */
  readonly record?: ProviderRecord;
}

/** A backend as `rclone config providers` prints it; older versions lack some of the keys. */
export interface ProviderRecord {
  readonly [key: string]: Json;
  readonly Name: string;
  readonly Description: string;
  readonly Prefix: string;
  readonly Options: readonly OptionRecord[];
}

/** An option as rclone prints it, also as a question. */
export interface OptionRecord {
  readonly [key: string]: Json | undefined;
  readonly Name: string;
  readonly Help: string;
}

/** rclone's names of option types; others are texts to syncer. */
const TYPES: Readonly<Record<string, OptionType>> = {
  bool: 'bool',
  Tristate: 'bool',
  int: 'int',
  float64: 'float',
  SizeSuffix: 'size',
  Duration: 'duration',
  CommaSepList: 'list',
};

/** Names of options that are secrets, among those that rclone calls sensitive, which hosts and users are, too. */
const SECRET =
  /pass|secret|token|cookie|credential|authorization|^key|private|(?:api|master|access|customer)_key(?:$|_base64)/;

const PASSWORDS: readonly BackendOption[] = [...OBSCURED_OPTIONS].map((name) => ({
  name,
  type: 'string',
  help: 'Password of the remote.',
  obscured: true,
}));

/** The types of remotes that rclone opens, as they are known without it: their passwords, and no other options. */
export const UNASKED_PROVIDERS: readonly RcloneProvider[] = RCLONE_TYPES.map((type) => ({
  type,
  aliases: [],
  summary: 'Through rclone',
  options: PASSWORDS,
  isOfRclone: true,
}));

/** The backends of the installed rclone but those of `own` types. Rejects with `config` without an rclone. */
export async function rcloneProviders(
  { program, env }: RcloneToAsk,
  own: ReadonlySet<string>,
): Promise<readonly RcloneProvider[]> {
  const path = await findRclone(program, env);
  const text = await output(path, ['--config=', 'config', 'providers'], env);
  return readProviders(text).filter(({ type }) => !own.has(type));
}

/** The same, and what is known without rclone if there is none or it fails. */
export function providersIfAny(asked: RcloneToAsk, own: ReadonlySet<string>) {
  return rcloneProviders(asked, own).catch(() => UNASKED_PROVIDERS);
}

/** The backends in the output of `rclone config providers`. Throws `SyntaxError` for anything else. */
export function readProviders(text: string): readonly RcloneProvider[] {
  const records = JSON.parse(text) as readonly ProviderRecord[];
  return records.map((record): RcloneProvider => {
    const { Name: type, Prefix: prefix, Description: summary, Options: options } = record;
    const others = [prefix, ...((record['Aliases'] ?? []) as readonly string[])];
    const aliases = [...others, type.replaceAll(' ', '')].filter((name) => name !== type);
    // Each once: those for several providers have a record for each.
    const read = new Map<string, BackendOption>();
    for (const one of options) {
      if (read.has(one.Name)) continue;
      const { required, ...option } = readOption(one);
      read.set(one.Name, { ...option, ...(required && !one['Provider'] ? { required } : {}) });
    }
    if (!read.has(DESCRIPTION.name)) read.set(DESCRIPTION.name, DESCRIPTION);
    return {
      type,
      aliases: [...new Set(aliases)],
      summary,
      options: [...read.values()],
      // Some are asked first only for certain providers.
      firstOptions: [...read.values()]
        .filter(({ advanced, isAsked }) => advanced !== true && isAsked !== false)
        .map(({ name }) => {
          const of = options.filter(({ Name }) => Name === name);
          const is = of.flatMap((one) => String(one['Provider'] ?? '').split(','));
          return of.length === 0 || is.includes('')
            ? { name }
            : { name, where: { option: 'provider', is } };
        }),
      isOfRclone: true,
      record,
    };
  });
}

/** The beginning of the names of a type's flags: `gcs`. */
export function flagPrefix({ type, aliases, record }: RcloneProvider): string {
  return record?.Prefix ?? (type.includes(' ') ? (aliases[0] ?? type) : type);
}

/** An option as rclone describes it. */
export function readOption(record: OptionRecord): BackendOption {
  const { Name: name, Help: help } = record;
  // The first paragraph, as one line that ends with a full stop.
  const [first = ''] = help.trim().split('\n\n');
  const line = first.replace(/\s*\n\s*/g, ' ').trim();
  const told = String(record['DefaultStr'] ?? '');
  const isTristate = record['Type'] === 'Tristate';
  const ifUnset = isTristate && told === 'unset' ? '' : told;
  const isObscured = record['IsPassword'] === true;
  const isSecret = isObscured || (record['Sensitive'] !== false && SECRET.test(name));
  const shown = (record['Examples'] ?? []) as readonly {
    readonly Value: string;
    readonly Help: string;
    readonly Provider?: string;
  }[];
  const examples = shown.map(({ Value: value, Help: text, Provider: provider }) => ({
    value,
    help: text === '' ? value : text,
    ...(provider ? { provider: provider.split(',') } : {}),
  }));
  // The bit for "not asked in a dialogue".
  const isHidden = (Number(record['Hide'] ?? 0) & 2) !== 0;
  return {
    name,
    type: TYPES[String(record['Type'])] ?? 'string',
    help: line === '' || /[.!?:]$/.test(line) ? line.replace(/:$/, '.') : `${line}.`,
    ...(ifUnset === '' ? {} : { default: ifUnset }),
    ...(record['Required'] === true ? { required: true } : {}),
    ...(isTristate ? { isTristate } : {}),
    ...(isSecret ? { secret: true } : {}),
    ...(isObscured ? { obscured: true } : {}),
    ...(record['Advanced'] === true ? { advanced: true } : {}),
    ...(isHidden ? { isAsked: false } : {}),
    ...(examples.length === 0 ? {} : { examples }),
  };
}
