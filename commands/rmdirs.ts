import type { Command, Invocation } from '../src/app/command.ts';
import { openListing } from '../src/app/listing/open-listing.ts';
import { removeEmptyTree } from '../src/app/listing/remove-empty-tree.ts';
import { missingDirectory } from '../src/app/remotes/missing-directory.ts';
import { fileForDirectory } from '../src/app/remotes/open-directory.ts';
import { runAttempts } from '../src/app/transfer/run-attempts.ts';

/** `syncer rmdirs remote:path` */
export const rmdirsCommand: Command = { run };

async function run(invocation: Invocation): Promise<void> {
  const { flags, args } = invocation;
  const opened = await openListing(invocation);
  if (opened.file !== undefined) throw fileForDirectory(args[0] ?? '');
  await runAttempts(invocation, async (attempt) => {
    try {
      await removeEmptyTree(attempt, opened.within(attempt), {
        leaveRoot: flags['leave-root'],
      });
    } catch (thrown) {
      throw missingDirectory(thrown, opened.remote.traits);
    }
  });
}
