import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import type { Remote } from '../../core/remote.ts';
import type { CommandSummary } from '../command.ts';
import type { CommandLine } from '../command-line/parse-command-line.ts';

/** The journal of a run, loaded when the first remote is opened. */
export interface LazyJournal {
  /** The remote with its changes in the journal. */
  around(remote: Remote): Promise<Remote>;
  /** Ends the journal; returns whether there was a change. Never rejects. */
  close(): Promise<boolean>;
}

/** The journal of a run; `undefined` for commands that change nothing, and for users without a home. */
export function lazyJournal(
  command: CommandSummary,
  { flags }: CommandLine,
  run: { readonly id: string; readonly words: readonly string[] },
  context: Context,
  env: NodeJS.ProcessEnv,
): LazyJournal | undefined {
  if (command.changes !== true || flags['no-history'] || flags['dry-run']) return undefined;
  const beganMs = context.clock.now();
  const load = async () => {
    const [{ ChangeJournal }, { stateDir }] = await Promise.all([
      import('./change-journal.ts'),
      import('../../config/config-path.ts'),
    ]);
    const folder = stateDir(env);
    if (folder === undefined) return undefined;
    return new ChangeJournal({ ...run, folder: join(folder, 'runs', run.id), beganMs }, context);
  };
  let loading: ReturnType<typeof load> | undefined;
  return {
    async around(remote) {
      // Nothing of it is left when the process ends.
      if (remote.traits.inProcess === true) return remote;
      loading ??= load();
      return (await loading)?.around(remote) ?? remote;
    },
    async close() {
      const journal = await loading;
      if (journal?.file.hasBegun !== true) return false;
      await journal.close();
      return true;
    },
  };
}
