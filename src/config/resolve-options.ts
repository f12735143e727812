import { createHash } from 'node:crypto';
import { SyncerError } from '../core/errors.ts';
import { compareNames } from '../core/name-order.ts';
import type { BackendOption } from '../core/options.ts';
import { isReference } from '../system/secret-reference.ts';
import { ALIAS_TYPE, aliasTarget } from './alias-target.ts';
import { reveal } from './obscure.ts';
import { type BackendKind, kindOf, type OptionSources, shownType } from './option-sources.ts';
import { typeNames, unknownRemote, unknownType } from './remote-faults.ts';
import { parseRemoteSpec, type RemoteSpec } from './remote-spec.ts';
import { backendOptionInEnvironment, remoteKeyInEnvironment } from './remotes-in-environment.ts';

/** A path with everything needed to open it. */
export interface ResolvedRemote<K extends BackendKind = BackendKind> {
  /**
   * Name in the configuration, `:type` for a backend without a section, `''` for a local path. If options come from
   * elsewhere, it ends in `{…}`, a hash of them: equal names mean the same remote.
   */
  readonly name: string;
  /** The section to store a renewed token in; `undefined` if there is none. */
  readonly section: string | undefined;
  readonly type: string;
  readonly backend: K;
  /** The path in the remote without trailing slashes; `/` stays. */
  readonly root: string;
  /** All options with a value, passwords in plain text; references to secrets as they stand (`withSecrets`). */
  readonly options: Readonly<Record<string, string>>;
  /** The path as it was written, or as its aliases led to it. */
  readonly spec: RemoteSpec;
  /**
   * The settings `override.…` and `global.…`, with their prefixes, of the remote and of the aliases that led to it; each
   * from the file and the connection string, with the remote or alias that has it.
   */
  readonly flags: Readonly<Record<string, { readonly text: string; readonly remote: string }>>;
}

/** A setting of a remote that is a flag: for the remote alone, or for the whole run. */
const FLAG_SETTING = /^(?:override|global)\./;

/** Options that override all other sources. */
export type FixedOptions = Readonly<Record<string, string>>;

/**
 * Finds the backend and options of a path. Each option comes from the first of: `fixed`, connection string, flag,
 * `SYNCER_CONFIG_<NAME>_<KEY>`, `SYNCER_<TYPE>_<OPTION>`, the variable of a general flag (rclone's names too), file,
 * default. Aliases are followed. Throws `usage` for an invalid path, `unknown-remote`, and `config` for an unknown
 * type, missing keys or circular aliases.
 *
 * @param opener the backend that opens it, whatever its type is
 */
export function resolveOptions<K extends BackendKind>(
  path: string,
  sources: OptionSources<K>,
  fixed: FixedOptions = {},
  opener?: K,
): ResolvedRemote<K> {
  let spec = parseRemoteSpec(path);
  let flags: ResolvedRemote['flags'] = {};
  // Longer chains of aliases are treated as circular.
  for (let hops = 0; hops < 32; hops++) {
    const { name: remote, overrides } = spec;
    const all = [...(sources.config.get(remote) ?? []), ...overrides];
    const settings = all.filter(([key]) => FLAG_SETTING.test(key));
    const own = Object.fromEntries(settings.map(([key, text]) => [key, { text, remote }]));
    flags = { ...flags, ...own };
    if (typeOf(spec, sources) !== ALIAS_TYPE) return resolve(spec, sources, fixed, flags, opener);
    spec = aliasTarget(spec, lookUp(spec, 'remote', sources));
  }
  throw new SyncerError('config', `remote "${spec.name}" is an alias of itself`);
}

function resolve<K extends BackendKind>(
  spec: RemoteSpec,
  sources: OptionSources<K>,
  fixed: FixedOptions,
  flags: ResolvedRemote['flags'],
  opener: K | undefined,
): ResolvedRemote<K> {
  const type = typeOf(spec, sources);
  const { backends, nearest } = sources;
  let backend = opener ?? kindOf(type, backends);
  // The one for types that no other has; not if another type is meant.
  if (backend === undefined && !spec.name.startsWith(':')) {
    const near = nearest(type, typeNames(backends));
    backend = near === undefined ? backends.find((one) => one.servesOthers) : undefined;
  }
  if (backend === undefined) throw unknownType(spec.name, type, sources);
  const { servesOthers = false } = backend;
  for (const key of spec.overrides.keys()) {
    if (servesOthers || key === 'type' || FLAG_SETTING.test(key)) continue;
    const names = backend.options.map((option) => option.name);
    if (names.includes(key)) continue;
    const near = nearest(key, names);
    const hint = near === undefined ? '' : ` (did you mean "${near}"?)`;
    const text = `"${spec.name}": ${shownType(backend)} has no option "${key}"${hint}`;
    throw new SyncerError('usage', text);
  }
  const options: Record<string, string> = {};
  const overridden: string[] = [];
  for (const option of backend.options) {
    const override = fixed[option.name] ?? fromOutside(spec, backend, option, sources);
    if (override !== undefined) overridden.push(JSON.stringify([option.name, override]));
    const value = override ?? fromFile(spec, option.name, sources) ?? option.default;
    if (value !== undefined) options[option.name] = inClear(spec, option, value);
  }
  const missing = backend.options.filter((option) => option.required && !options[option.name]);
  if (missing.length > 0) {
    const keys = missing.map((option) => `"${option.name}"`).join(', ');
    const text = `remote "${spec.name}" of type ${shownType(backend)} lacks ${keys}: add it in the config file`;
    throw new SyncerError('config', text);
  }
  if (servesOthers) for (const one of spec.overrides) overridden.push(JSON.stringify(one));
  for (const [key, { text }] of Object.entries(flags)) {
    if (key.startsWith('override.')) overridden.push(JSON.stringify([key, text]));
  }
  let { name } = spec;
  if (name !== '' && overridden.length > 0) {
    const hash = createHash('sha256').update(overridden.join()).digest('base64url');
    name += `{${hash.slice(0, 5)}}`;
  }
  const section = sources.config.has(spec.name) ? spec.name : undefined;
  const root = /^\/+$/.test(spec.path) ? '/' : spec.path.replace(/\/+$/, '');
  const ownType = servesOthers ? type : backend.type;
  return { name, section, type: ownType, backend, root, options, spec, flags };
}

/** A path as rclone's connection string, passwords obscured, aliases not followed. Throws as `resolveOptions` does. */
export function connectionString(path: string, sources: OptionSources): string {
  const spec = parseRemoteSpec(path);
  const type = typeOf(spec, sources);
  const kind = kindOf(type, sources.backends);
  if (kind === undefined) throw unknownType(spec.name, type, sources);
  const values = kind.options.flatMap((option): [string, string][] => {
    const value = fromOutside(spec, kind, option, sources) ?? fromFile(spec, option.name, sources);
    const isDefault = value === undefined || value === (option.default ?? '');
    return isDefault ? [] : [[option.name, value]];
  });
  const words = values
    .toSorted(([a], [b]) => compareNames(a, b))
    .map(([key, value]) => {
      if (value === 'true') return `,${key}`;
      const isPlain = !/[:,='"]/.test(value);
      return `,${key}=${isPlain ? value : `'${value.replaceAll("'", "''")}'`}`;
    });
  return `:${type}${words.join('')}:${spec.path}`;
}

function typeOf(spec: RemoteSpec, sources: OptionSources): string {
  if (spec.name === '') return 'local';
  if (spec.name.startsWith(':')) return spec.name.slice(1);
  const type = lookUp(spec, 'type', sources);
  if (type !== undefined && type !== '') return type;
  if (!sources.config.has(spec.name)) {
    const hint = `see "syncer listremotes", or write "./${spec.name}:…" for a local file`;
    throw unknownRemote(spec.name, sources, hint);
  }
  const text = `remote "${spec.name}" has no "type" in the config file: add a line such as "type = s3"`;
  throw new SyncerError('config', text);
}

/** A key without a backend: `type`, and `remote` of an alias. */
function lookUp(spec: RemoteSpec, key: string, sources: OptionSources): string | undefined {
  return (
    spec.overrides.get(key) ??
    (spec.name === '' ? undefined : remoteKeyInEnvironment(sources.env, spec.name, key)?.value) ??
    fromFile(spec, key, sources)
  );
}

function fromOutside(
  spec: RemoteSpec,
  backend: BackendKind,
  option: BackendOption,
  { flagValue, generalVariable, onVariable, env }: OptionSources,
): string | undefined {
  const types = [backend.type, ...(backend.aliases ?? [])];
  const flags = types.map((type) => `${type}-${option.name}`.replaceAll('_', '-'));
  const given = [spec.overrides.get(option.name), ...flags.map(flagValue)].find(isThere);
  if (given !== undefined) return given;
  const variable = [
    spec.name === '' ? undefined : remoteKeyInEnvironment(env, spec.name, option.name),
    ...types.map((type) => backendOptionInEnvironment(env, type, option.name)),
    ...flags.map((flag) => generalVariable?.(flag)),
  ].find(isThere);
  if (variable !== undefined) onVariable?.({ variable, remote: spec.name, option });
  return variable?.value;
}

function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** An empty value in the file counts as unset, as in rclone. */
function fromFile(spec: RemoteSpec, key: string, { config }: OptionSources): string | undefined {
  return config.get(spec.name)?.get(key) || undefined;
}

function inClear(spec: RemoteSpec, option: BackendOption, value: string): string {
  if (option.obscured !== true || value === '' || isReference(value)) return value;
  try {
    return reveal(value);
  } catch (error) {
    const how = 'set it with "syncer config update", which obscures it';
    const text = `"${option.name}" of remote "${spec.name}" is not obscured: ${how}`;
    throw new SyncerError('config', text, { cause: error });
  }
}
