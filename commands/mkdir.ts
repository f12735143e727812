import type { Command, Invocation } from '../src/app/command.ts';
import { openDirectory } from '../src/app/remotes/open-directory.ts';
import { runAttempts } from '../src/app/transfer/run-attempts.ts';

/** `syncer mkdir remote:path` */
export const mkdirCommand: Command = { run };

async function run(invocation: Invocation): Promise<void> {
  const remote = await openDirectory(invocation);
  const { title, traits, root } = remote;
  await runAttempts(invocation, async ({ log, mayChange, op }) => {
    if (!traits.emptyDirs && root.includes('/')) {
      const why = "running mkdir on a remote which can't have empty directories does nothing";
      log('notice', title, `Warning: ${why}`);
    }
    if (await mayChange({ action: 'make directory', about: title })) await remote.makeDir('', op);
  });
}
