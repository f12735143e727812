import { userInfo } from 'node:os';
import { SyncerError } from '../core/errors.ts';

/** The user's home: `$HOME` if not empty, else from the system's list of users, as in rclone; `undefined` if there is none. */
export function homeFolder(env: NodeJS.ProcessEnv): string | undefined {
  const given = env['HOME'];
  if (given) return given;
  try {
    return userInfo().homedir || undefined;
  } catch {
    return undefined;
  }
}

/**
 * A path that was typed where no shell expands it: `~` and `~/…` at its beginning, `$NAME` and `${NAME}` anywhere;
 * `\$` is a `$`. The path of a remote stays as it is. Throws `usage` for `~name`, for a variable that is not set, and
 * for `~` without a home: a directory of that name would be created.
 */
export function expandPath(text: string, env: NodeJS.ProcessEnv): string {
  const tilde = /^~[^/]*/.exec(text)?.[0];
  // `remote:path` or `:backend:path`.
  if (tilde === undefined && /^:?[^/]*:/.test(text)) return text;
  if (tilde !== undefined && tilde !== '~') {
    const why = 'the home directories of other users are not looked up';
    throw new SyncerError(
      'usage',
      `${text}: ${why}; enter the full path, or ./${text} for a directory of that name`,
    );
  }
  const home = tilde === undefined ? '' : homeFolder(env);
  if (home === undefined) {
    throw new SyncerError('usage', `${text}: no home directory found; set HOME`);
  }
  const variable = /\\\$|\$([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\}/g;
  const rest = text.slice(tilde?.length ?? 0).replace(variable, (whole, plain, braced) => {
    if (whole === '\\$') return '$';
    const name: string = plain ?? braced;
    const value = env[name];
    if (value) return value;
    throw new SyncerError('usage', `${text}: $${name} is not set; write \\$ for a "$" in a name`);
  });
  return home + rest;
}

/** A word as it would be typed in a shell of Unix: in quotes where it has to be. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Words as they would be typed in a shell. */
export function shellLine(words: readonly string[]): string {
  return ['syncer', ...words].map(shellWord).join(' ');
}
