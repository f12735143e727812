import { resolve } from 'node:path';

/** A path as a person types it: `~` at its beginning is the home folder. */
export function expandHome(path: string, env: NodeJS.ProcessEnv): string {
  const home = env['HOME'];
  const isOfHome = home !== undefined && /^~(\/|$)/.test(path);
  return resolve(isOfHome ? home + path.slice(1) : path);
}
