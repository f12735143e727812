import type { Command, Invocation } from '../src/app/command.ts';
import { runAttempts } from '../src/app/transfer/run-attempts.ts';
import { SyncerError } from '../src/core/errors.ts';
import { deleteBudget } from '../src/sync/delete-budget.ts';
import { deleteFiles } from '../src/sync/delete-files.ts';

/** `syncer deletefile remote:path` */
export const deletefileCommand: Command = { run };

async function run(invocation: Invocation): Promise<void> {
  const { args, flags } = invocation;
  const [spec = ''] = args;
  const { remote, file } = await invocation.openPath(spec);
  if (file === undefined) {
    throw new SyncerError('not-a-file', `${spec} is a directory or doesn't exist`, { path: spec });
  }
  const rules = { budget: deleteBudget(flags['max-delete'] ?? -1), width: 1 };
  await runAttempts(invocation, (attempt) => deleteFiles(attempt, remote, [[file]], rules));
}
