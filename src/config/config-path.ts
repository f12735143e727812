import { basename, isAbsolute, join, resolve } from 'node:path';
import { SyncerError } from '../core/errors.ts';
import { homeFolder } from '../kit/shell-words.ts';

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

/**
 * The cache directory: `--cache-dir`, `$XDG_CACHE_HOME/syncer` or `~/.cache/syncer`. Throws `config` for a user without
 * a home.
 */
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
