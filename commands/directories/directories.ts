import { hasCode, SyncerError } from '../../src/core/errors.ts';
import { openListing } from '../../src/run/listing/open-listing.ts';
import {
  fileForDirectory,
  missingDirectory,
  openDirectory,
} from '../../src/run/remotes/file-or-directory.ts';
import { runAttempts } from '../../src/run/transfer/run-attempts.ts';
import type { Changing, CommandCall, Remotes } from '../../src/shell/command-line/command.ts';
import { deleteEmptyTree } from '../delete/use.ts';
import type { DIRECTORIES_FLAGS } from './command.ts';

export async function mkdirCommand(invocation: CommandCall & Remotes & Changing): Promise<void> {
  const remote = await openDirectory(invocation);
  const { title, traits, root } = remote;
  await runAttempts(invocation, async ({ log, mayChange, op }) => {
    if (!traits.emptyDirs && root.includes('/')) {
      const why = "running mkdir on a remote which can't have empty directories does nothing";
      log('notice', title, 'message', { text: `Warning: ${why}` });
    }
    if (!(await mayChange({ do: 'make-dir', path: '', title }))) return;
    log('info', title, 'message', { text: 'Making directory' });
    await remote.makeDir('', op);
  });
}

export async function rmdirCommand(invocation: CommandCall & Remotes & Changing): Promise<void> {
  const remote = await openDirectory(invocation);
  const [spec = ''] = invocation.args;
  await runAttempts(invocation, async ({ log, mayChange, op }) => {
    if (!(await mayChange({ do: 'remove-dir', path: '', title: remote.title }))) return;
    log('info', remote.title, 'removing-dir');
    try {
      await remote.deleteDir('', op);
    } catch (thrown) {
      if (!hasCode(thrown, 'not-empty')) throw missingDirectory(thrown, remote.traits);
      const advice = `"syncer purge ${spec}" deletes it with its contents`;
      throw new SyncerError('not-empty', `${spec} is not empty; ${advice}`, { cause: thrown });
    }
  });
}

export async function rmdirsCommand(
  invocation: CommandCall<typeof DIRECTORIES_FLAGS> & Remotes & Changing,
): Promise<void> {
  const { flags, args } = invocation;
  const opened = await openListing(invocation);
  if (opened.file !== undefined) throw fileForDirectory(args[0] ?? '');
  await runAttempts(invocation, async (attempt) => {
    try {
      await deleteEmptyTree(attempt, opened.within(attempt), {
        mustBeEmpty: true,
        leaveRoot: flags['leave-root'],
      });
    } catch (thrown) {
      throw missingDirectory(thrown, opened.remote.traits);
    }
  });
}
