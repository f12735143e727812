import { homedir } from 'node:os';
import { basename, isAbsolute, join, resolve } from 'node:path';

/**
 * Where the configuration file is: `--config`, else `$SYNCER_CONFIG`, else `$XDG_CONFIG_HOME/syncer/syncer.conf`,
 * else `~/.config/syncer/syncer.conf`. `undefined`: in memory only, asked for as in rclone by an empty name,
 * `/dev/null` or a file called `notfound`.
 */
export function configPath(flag: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const given = flag ?? env['SYNCER_CONFIG'];
  if (given === undefined)
    return join(userFolder('XDG_CONFIG_HOME', '.config', env), 'syncer.conf');
  if (given === '' || given === '/dev/null' || basename(given) === 'notfound') return undefined;
  return resolve(given);
}

/** Where syncer may keep what it can make anew: `--cache-dir`, `$XDG_CACHE_HOME/syncer`, else `~/.cache/syncer`. */
export function cacheDir(env: NodeJS.ProcessEnv, flag?: string): string {
  if (flag) return resolve(flag);
  return userFolder('XDG_CACHE_HOME', '.cache', env);
}

/** Where syncer keeps what happened: `$XDG_STATE_HOME/syncer`, else `~/.local/state/syncer`. */
export function stateDir(env: NodeJS.ProcessEnv): string {
  return userFolder('XDG_STATE_HOME', '.local/state', env);
}

/** The XDG Base Directory Specification wants a variable ignored that is not an absolute path. */
function userFolder(variable: string, below: string, env: NodeJS.ProcessEnv): string {
  const xdg = env[variable];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'syncer');
  return join(env['HOME'] || homedir(), below, 'syncer');
}
