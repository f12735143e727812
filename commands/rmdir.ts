import type { Command, Invocation } from '../src/app/command.ts';
import { openDirectory } from '../src/app/remotes/open-directory.ts';
import { runAttempts } from '../src/app/transfer/run-attempts.ts';
import { hasCode, SyncerError } from '../src/core/errors.ts';

/** `syncer rmdir remote:path` */
export const rmdirCommand: Command = { run };

async function run(invocation: Invocation): Promise<void> {
  const remote = await openDirectory(invocation);
  const [spec = ''] = invocation.args;
  await runAttempts(invocation, async ({ log, mayChange, op }) => {
    if (!(await mayChange({ action: 'remove directory', about: remote.title }))) return;
    log('info', remote.title, 'Removing directory');
    try {
      await remote.removeDir('', op);
    } catch (thrown) {
      throw explained(thrown, spec);
    }
  });
}

/** A missing directory ends rmdir with exit code 1, not 3, as in rclone. */
function explained(thrown: unknown, spec: string): unknown {
  if (hasCode(thrown, 'not-empty')) {
    const advice = `"syncer purge ${spec}" deletes it with its contents`;
    return new SyncerError('not-empty', `${spec} is not empty; ${advice}`, { cause: thrown });
  }
  if (hasCode(thrown, 'directory-not-found', 'bucket-not-found')) {
    return new SyncerError('other', thrown.message, { cause: thrown });
  }
  return thrown;
}
