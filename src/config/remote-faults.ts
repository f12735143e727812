import { readFile } from 'node:fs/promises';
import { hasCode, SyncerError } from '../core/errors.ts';
import { ALIAS_TYPE } from './alias-target.ts';
import { rcloneConfigPath } from './config-path.ts';
import { sectionNames } from './ini-lines.ts';
import { type BackendKind, isKnownType, type KnownNames, shownType } from './option-sources.ts';
import { parseRemoteSpec } from './remote-spec.ts';
import { remotesInEnvironment } from './remotes-in-environment.ts';

/** The error for an unknown remote; `hint` is used if no name is close. */
export function unknownRemote(name: string, known: KnownNames, hint = 'see "syncer listremotes"') {
  const { config, configPath, env, backends, nearest } = known;
  const inEnv = remotesInEnvironment(env, config.keys(), (type) => isKnownType(type, backends));
  const near = nearest(name, [...config.keys(), ...inEnv]);
  const where = configPath === undefined ? 'the configuration' : `config file "${configPath}"`;
  const advice = near === undefined ? hint : `did you mean "${near}"?`;
  return new SyncerError('unknown-remote', `no remote named "${name}" in ${where}: ${advice}`);
}

/** An error for an unknown remote with the configuration of rclone that has it; any other error as it is. */
export async function orInRclone(
  thrown: unknown,
  spec: string,
  configPath: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<unknown> {
  if (!hasCode(thrown, 'unknown-remote')) return thrown;
  const path = await rcloneConfigPath(env);
  const isOther = path !== undefined && path !== configPath;
  const text = isOther ? await readFile(path, 'utf8').catch(() => '') : '';
  const { name } = parseRemoteSpec(spec);
  if (path === undefined || !sectionNames(text, path).includes(name)) return thrown;
  const { message } = thrown;
  const advice = `it is in ${path}: run "syncer config import", or add --config ${path}`;
  const what = message.replace(/(: did you|: see ).*$/, '');
  return new SyncerError('unknown-remote', what, { advice });
}

/** The names of all types. */
export function typeNames(backends: readonly BackendKind[]): readonly string[] {
  return [...backends.flatMap(({ type, aliases = [] }) => [type, ...aliases]), ALIAS_TYPE];
}

/** The error for an unknown type, thrown when the remote is used, not when the file is read. */
export function unknownType(name: string, type: string, known: KnownNames): SyncerError {
  const near = known.nearest(type, typeNames(known.backends));
  const own = known.backends.filter(({ servesOthers }) => servesOthers !== true);
  const types = [...own.map(shownType), ALIAS_TYPE].join(', ');
  const others = own.length < known.backends.length ? ', or a type of rclone' : '';
  const hint = near === undefined ? `use ${types}${others}` : `did you mean "${near}"?`;
  const what = name.startsWith(':')
    ? `unknown backend "${type}"`
    : `remote "${name}" has the unsupported type "${type}"`;
  return new SyncerError('config', `${what}: ${hint}`);
}
