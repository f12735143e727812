import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import type { Remote } from '../../core/remote.ts';

/** The remote with notes of failed writes, if it can undo them. */
export async function guardedRemote(
  remote: Remote,
  context: Context,
  env: NodeJS.ProcessEnv,
): Promise<Remote> {
  if (remote.can.takeBack === undefined) return remote;
  const [{ withFailedProofs }, { stateDir }] = await Promise.all([
    import('../../failed-proofs/guarded-remote.ts'),
    import('../../config/config-path.ts'),
  ]);
  const folder = stateDir(env);
  return withFailedProofs(remote, context, folder && join(folder, 'failed-proofs'));
}
