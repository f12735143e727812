import { realpath, stat } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { homeFolder } from '../kit/shell-words.ts';

/**
 * rclone's own configuration file: `$RCLONE_CONFIG`, or the first that exists of `rclone.conf` next to the program, in
 * `$XDG_CONFIG_HOME/rclone` and in `~/.config/rclone`, and `~/.rclone.conf`; otherwise `undefined`.
 */
export async function rcloneConfigPath(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const given = env['RCLONE_CONFIG'];
  if (given) return resolve(given);
  const home = homeFolder(env);
  const xdg = env['XDG_CONFIG_HOME'];
  const program = await programFolder(env['PATH'] ?? '');
  const candidates = [
    ...(program === undefined ? [] : [join(program, 'rclone.conf')]),
    ...(xdg ? [join(xdg, 'rclone', 'rclone.conf')] : []),
    ...(home === undefined
      ? []
      : [join(home, '.config', 'rclone', 'rclone.conf'), join(home, '.rclone.conf')]),
  ];
  for (const path of candidates) if (await isFile(path)) return path;
  return undefined;
}

/** The directory of the program `rclone`, with links followed. */
async function programFolder(path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    if (folder === '') continue;
    const program = join(folder, 'rclone');
    if (await isFile(program)) return dirname(await realpath(program).catch(() => program));
  }
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}
