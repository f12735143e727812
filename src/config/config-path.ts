import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { SyncerError } from '../core/errors.ts';
import { homeFolder } from '../system/shell-words.ts';

/** A configuration has a few lines per remote: a larger file, in bytes, was named by mistake. */
export const MOST_CONFIG_BYTES = 16 * 1024 ** 2;

/**
 * The path of the configuration file: `--config`, `$SYNCER_CONFIG`, `$XDG_CONFIG_HOME/syncer/syncer.conf` or
 * `~/.config/syncer/syncer.conf`. `undefined`: in memory only, for a user without a home and, as in rclone, for an
 * empty name, `/dev/null` or a file named `notfound`.
 */
export function configPath(flag: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const given = flag ?? env['SYNCER_CONFIG'];
  if (given === undefined) {
    const folder = userFolder('XDG_CONFIG_HOME', '.config', env);
    return folder && join(folder, 'syncer.conf');
  }
  if (given === '' || given === '/dev/null' || basename(given) === 'notfound') return undefined;
  return resolve(given);
}

/** The cache directory: `--cache-dir`, `$XDG_CACHE_HOME/syncer`, `~/.cache/syncer`. Throws `config` without a home. */
export function cacheDir(env: NodeJS.ProcessEnv, flag?: string): string {
  const found = findCacheDir(env, flag);
  if (found !== undefined) return found;
  const why = 'this user has no home directory';
  throw new SyncerError('config', `no cache directory: ${why}; set HOME or --cache-dir`);
}

/** As `cacheDir`; `undefined` for a user without a home. */
export function findCacheDir(env: NodeJS.ProcessEnv, flag?: string): string | undefined {
  if (flag) return resolve(flag);
  return userFolder('XDG_CACHE_HOME', '.cache', env);
}

/** The state directory: `$XDG_STATE_HOME/syncer` or `~/.local/state/syncer`; `undefined` for a user without a home. */
export function stateDir(env: NodeJS.ProcessEnv): string | undefined {
  return userFolder('XDG_STATE_HOME', '.local/state', env);
}

/** The XDG Base Directory Specification ignores variables that are not absolute paths. */
function userFolder(variable: string, below: string, env: NodeJS.ProcessEnv): string | undefined {
  const xdg = env[variable];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'syncer');
  const home = homeFolder(env);
  return home && join(home, below, 'syncer');
}

/** rclone's own configuration file, as rclone looks for it; `undefined` if there is none. */
export async function rcloneConfigPath(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const given = env['RCLONE_CONFIG'];
  if (given) return resolve(given);
  const home = homeFolder(env);
  const xdg = env['XDG_CONFIG_HOME'];
  const candidates = xdg ? [join(xdg, 'rclone', 'rclone.conf')] : [];
  if (home !== undefined) {
    candidates.push(join(home, '.config', 'rclone', 'rclone.conf'), join(home, '.rclone.conf'));
  }
  const { realpath } = await import('node:fs/promises');
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const program = join(folder, 'rclone');
    if (folder === '' || !(await isFile(program))) continue;
    const real = await realpath(program).catch(() => program);
    candidates.unshift(join(dirname(real), 'rclone.conf'));
    break;
  }
  for (const path of candidates) if (await isFile(path)) return path;
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  const { stat } = await import('node:fs/promises');
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}
