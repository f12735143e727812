import { isAbsolute, join } from 'node:path';
import { stateDir } from '../../config/config-path.ts';

const NAME = 'running';

/** Where a run may put its socket, best first: below `XDG_RUNTIME_DIR`, in the state directory. */
export function ownRunFolders(env: NodeJS.ProcessEnv): readonly string[] {
  const state = stateDir(env);
  const inState = state === undefined ? [] : [join(state, NAME)];
  return hasRuntime(env) ? [join(env.XDG_RUNTIME_DIR, 'syncer', NAME), ...inState] : inState;
}

/**
 * Where sockets may be left. What cron starts has no `XDG_RUNTIME_DIR`, but sessions of
 * the same user have.
 */
export function runFolders(env: NodeJS.ProcessEnv): readonly string[] {
  if (hasRuntime(env)) return ownRunFolders(env);
  const ofSession = join('/run/user', String(process.geteuid?.() ?? 0), 'syncer', NAME);
  return [...ownRunFolders(env), ofSession];
}

function hasRuntime(env: NodeJS.ProcessEnv): env is { readonly XDG_RUNTIME_DIR: string } {
  return isAbsolute(env['XDG_RUNTIME_DIR'] ?? '');
}
