import type { Command, Invocation } from '../src/app/command.ts';
import { openDirectory } from '../src/app/remotes/open-directory.ts';
import { runAttempts } from '../src/app/transfer/run-attempts.ts';
import { SyncerError } from '../src/core/errors.ts';

/** `syncer cleanup remote:path` */
export const cleanupCommand: Command = { run };

async function run(invocation: Invocation): Promise<void> {
  const { flags } = invocation;
  const { can, title } = await openDirectory(invocation);
  const { cleanUp } = can;
  if (cleanUp === undefined) {
    throw new SyncerError('unsupported', `${title} keeps nothing that could be cleaned up`);
  }
  await runAttempts(invocation, async ({ mayChange, op }) => {
    if (await mayChange({ action: 'clean up old files', about: title }))
      await cleanUp(flags['older-than'], op);
  });
}
