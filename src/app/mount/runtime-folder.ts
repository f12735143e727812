import { isAbsolute, join } from 'node:path';

/**
 * Where mounts keep their control sockets, best first: what is lost at a restart as mounts are. Not by the environment
 * alone: services of systemd run without.
 */
export function runtimeFolders(
  uid: number,
  env: NodeJS.ProcessEnv,
  cacheDir: string,
): readonly string[] {
  const { XDG_RUNTIME_DIR: xdg } = env;
  const base = uid === 0 ? '/run' : `/run/user/${uid}`;
  const folders = [base, ...(xdg !== undefined && isAbsolute(xdg) ? [xdg] : []), cacheDir];
  return [...new Set(folders)].map((folder) =>
    folder === cacheDir ? join(folder, 'mounts') : join(folder, 'syncer', 'mounts'),
  );
}
