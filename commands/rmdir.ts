import type { Command, Invocation } from '../src/app/command.ts';
import { missingDirectory } from '../src/app/remotes/missing-directory.ts';
import { openDirectory } from '../src/app/remotes/open-directory.ts';
import { runAttempts } from '../src/app/transfer/run-attempts.ts';
import { hasCode, SyncerError } from '../src/core/errors.ts';
import type { Traits } from '../src/core/remote.ts';

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
      throw explained(thrown, spec, remote.traits);
    }
  });
}

function explained(thrown: unknown, spec: string, traits: Traits): unknown {
  if (hasCode(thrown, 'not-empty')) {
    const advice = `"syncer purge ${spec}" deletes it with its contents`;
    return new SyncerError('not-empty', `${spec} is not empty; ${advice}`, { cause: thrown });
  }
  return missingDirectory(thrown, traits);
}
