import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import { OWN_NAMES } from '../../core/own-names.ts';
import type { Remote } from '../../core/remote.ts';
import type { CommandLine, CommandSummary } from '../../shell/command-line/command.ts';
import type { Flags } from '../../shell/flags/flag-table.ts';
import { logText } from '../../shell/log/log-text.ts';
import type { Stores } from '../../state/stores.ts';
import type { TrashPlan } from '../journal/trash.ts';
import type { JournalEnd, KnownWords } from './note-run.ts';

/** The journal of a run, loaded when the first remote is opened. */
export type LazyJournal = NonNullable<ReturnType<typeof lazyJournal>>;

/** The trash that the flags ask for, or a review may. */
async function trashPlan(
  { trash, 'trash-dir': dir, 'trash-keep': keepMs = -1, review }: Flags,
  runId: string,
  { emit, clock }: Context,
  stores: Stores,
  open: (spec: string) => Promise<Remote>,
): Promise<TrashPlan | undefined> {
  const isOn = trash || Boolean(dir);
  if (!isOn && !review) return undefined;
  return {
    use: { isOn },
    ...(dir ? { into: await open(dir) } : {}),
    runId,
    term: { keepMs: keepMs < 0 ? Number.POSITIVE_INFINITY : keepMs, nowMs: clock.now() },
    onCreate({ title, root, traits }) {
      const { trash: name } = OWN_NAMES;
      const where = traits.onDisk ? join(root, name) : `${name} in ${title}`;
      const text = `Deleted and replaced files are moved to ${where}. syncer hides it, but other programs see it: --trash-dir names another directory`;
      emit(logText('notice', text));
    },
    async onEmptied(id, files) {
      const { addGone } = await import('../../state/runs.ts');
      await stores.tryState(undefined, (state) => addGone(state, id, files));
    },
  };
}

/** The journal of a run; `undefined` for commands that change nothing, and for users without a home. */
export function lazyJournal(
  command: CommandSummary,
  { flags, typed, args }: CommandLine,
  run: KnownWords,
  context: Context,
  { env, stores }: { readonly env: NodeJS.ProcessEnv; readonly stores: Stores },
) {
  if (command.changes !== true || flags['dry-run']) return undefined;
  if (command.journals?.includes(args[0] ?? '') === false) return undefined;
  if (flags['no-history']) return undefined;
  const trashDir = flags['trash-dir'] ?? flags['trash-at'];
  const load = async (open: (spec: string) => Promise<Remote>) => {
    const [{ ChangeJournal }, { stateDir }] = await Promise.all([
      import('./change-journal.ts'),
      import('../../config/config-path.ts'),
    ]);
    const folder = stateDir(env);
    // Undoing it must be possible, and what it restores may be old.
    const kept = command.restores
      ? { trash: flags.trash || !typed.has('trash'), 'trash-keep': -1, 'trash-dir': trashDir }
      : {};
    const trash = await trashPlan({ ...flags, ...kept }, run.id, context, stores, open);
    if (folder === undefined) {
      if (trash?.use.isOn !== true) return undefined;
      const why = 'this user has no home directory; set HOME';
      throw new SyncerError('config', `--trash needs the history of runs: ${why}`);
    }
    // Such a run is noted whatever it changes: the state is opened while the first listing is under way.
    if (command.showsStats === true) void stores.state().catch(() => undefined);
    return new ChangeJournal(run, join(folder, 'runs', run.id), context, stores, trash);
  };
  let loading: ReturnType<typeof load> | undefined;
  return {
    /**
     * The remote with its changes in the journal.
     *
     * @param open opens a remote without a journal
     */
    async around(remote: Remote, open: (spec: string) => Promise<Remote>): Promise<Remote> {
      // Nothing of it is left when the process ends.
      if (remote.traits.inProcess === true) return remote;
      loading ??= load(open);
      return (await (await loading)?.around(remote)) ?? remote;
    },
    /** See `Changing.trashUse`. */
    trashUse: async () => (await loading)?.trash?.use,
    /** Ends the journal; resolves to what it says in numbers, `undefined` if there was no change. Never rejects. */
    async close(): Promise<JournalEnd | undefined> {
      const journal = await loading;
      if (journal?.file.hasBegun !== true) return undefined;
      const { counts } = journal.file;
      return { counts, sum: await journal.close() };
    },
  };
}
