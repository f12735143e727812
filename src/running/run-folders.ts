import { isAbsolute, join } from 'node:path';
import { stateDir } from '../config/config-path.ts';

const NAME = 'running';

/**
 * The directories with the entries of running runs, the one that a run would use first: below `XDG_RUNTIME_DIR`, or else
 * the state directory. What cron starts has no `XDG_RUNTIME_DIR`: it looks for the runs of login sessions where these
 * have theirs.
 */
export function runFolders(env: NodeJS.ProcessEnv): readonly string[] {
  const { XDG_RUNTIME_DIR: xdg } = env;
  const state = stateDir(env);
  const inState = state === undefined ? [] : [join(state, NAME)];
  if (xdg !== undefined && isAbsolute(xdg)) return [join(xdg, 'syncer', NAME), ...inState];
  return [...inState, join('/run/user', String(process.geteuid?.() ?? 0), 'syncer', NAME)];
}
