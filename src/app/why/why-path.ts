import { hasCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Reason } from '../../core/reason.ts';
import type { Entry, Op, Remote } from '../../core/remote.ts';
import { commonGround } from '../../engine/compare-pair.ts';
import type { CommonGround } from '../../engine/decide.ts';
import type { SyncPlan, Verb } from '../../engine/file-work.ts';
import { withMetadata } from '../../engine/mod-time-of.ts';
import { overlap, refuseOverlap } from '../../engine/place/overlap.ts';
import type { Filter } from '../../filter/filter.ts';
import type { Invocation } from '../command.ts';
import { openGuards } from '../guards/run-guards.ts';
import { messageOf } from '../log/words.ts';
import { refuseTrashDir } from '../transfer/refuse-inside.ts';
import { syncOptions } from '../transfer/sync-options.ts';
import { openDestination } from '../transfer/transfer.ts';
import { explainPath, type PathVerdict } from './filter-why.ts';
import { type LockWhy, lockWhy } from './lock-why.ts';
import { requestsOf } from './requests-of.ts';
import { type TrashWhy, trashWhy } from './trash-why.ts';
import { type TrialRename, type TrialRun, trialRename, trialRun } from './trial-run.ts';

/** What a run would do with a path. `stop`: the run ends before; `fail`: it could not be determined. */
export type WhyAction = TrialRun['changes'][number]['kind'] | 'skip' | 'exclude' | 'stop' | 'fail';

/** Everything that decides about a path. */
export interface Why {
  readonly path: string;
  readonly verb: Verb;
  readonly source: Remote;
  readonly dest: Remote;
  /** As they were listed or compared. */
  readonly sourceEntry: Entry | undefined;
  readonly destEntry: Entry | undefined;
  readonly filter: PathVerdict;
  /** Of the entry at the destination, if that is another one: the rules about sizes and times. */
  readonly destFilter: PathVerdict | undefined;
  readonly ground: CommonGround;
  /** Why the run does what it does with the two files. */
  readonly reason: Reason | undefined;
  /** `--guard`, and what it says. */
  readonly guard: { readonly list: string; readonly why?: string } | undefined;
  /** Other runs that change the same places, and the lock flags. */
  readonly locks: readonly LockWhy[];
  /** `--trash`. */
  readonly trash: TrashWhy | undefined;
  readonly requests: readonly string[];
  readonly action: WhyAction;
  /** In the words of the log. */
  readonly verdict: string;
  readonly error: SyncerError | undefined;
}

/**
 * Why a run with these flags would do what it does with one path. Only reads: the directories above the path, and what
 * the comparison needs. Rejects with what would prevent the run.
 */
export async function whyPath(invocation: Invocation, verb: Verb): Promise<Why> {
  const [from = '', to = '', typed = ''] = invocation.args;
  const { flags, context } = invocation;
  const path = pathBelow(typed);
  const { remote: source, file } = await invocation.remotes.openPath(from);
  if (file !== undefined) {
    throw new SyncerError('usage', `${from} is a file: name its directory, and the file as path`);
  }
  const dest = await openDestination(invocation, to);
  await refuseTrashDir(invocation, { source, dest });
  const op: Op = { signal: context.signal };
  const filter = await invocation.filter();
  const options = await syncOptions(invocation, verb, { source, dest });
  const roots = await overlap(source, dest, op);
  if (verb !== 'copy') refuseOverlap(roots, { source, dest }, filter, verb);
  const plan: SyncPlan = {
    verb,
    source,
    dest,
    options: { ...options, trackRenames: false },
    roots,
  };
  const guard = await guardOf(invocation, verb, { source, dest });
  const locks = await lockWhy(invocation, verb === 'move' ? [dest, source] : [dest]);
  const setup = { context, filter, useServerModTime: flags['use-server-modtime'] };
  const run = await trialRun(setup, plan, path);
  const [change] = run.changes;
  const isOnOneSide = change?.kind === 'copy' || change?.kind === 'delete';
  const renamed =
    options.trackRenames !== false && isOnOneSide
      ? await trialRename(setup, { ...plan, options }, path)
      : undefined;
  const trash = await trashWhy(invocation, plan, renamed === undefined ? change : undefined);
  const [sourceEntry, destEntry] = await Promise.all([
    run.source ?? look(source, path, filter, op),
    run.dest ?? look(dest, path, filter, op),
  ]);
  const remote = sourceEntry === undefined && destEntry !== undefined ? dest : source;
  const verdict = await explainPath({ filter, remote, op }, path, sourceEntry ?? destEntry);
  const there =
    sourceEntry === undefined || destEntry === undefined || filter.deleteExcluded
      ? verdict
      : await explainPath({ filter, remote: dest, op }, path, destEntry);
  const destFilter = there.keeps === verdict.keeps ? undefined : there;
  const entries = { sourceEntry, destEntry, filter: verdict, destFilter };
  const ended = endOf(run, { verb, guard, locks, renamed, ...entries });
  const requests =
    renamed === undefined
      ? run.changes.flatMap((one) => requestsOf(plan, one, trash?.into))
      : [`rename ${renamed.from} of ${dest.title} to ${renamed.to}`];
  return {
    ...{ path, verb, source, dest, guard, locks, trash, ...entries },
    ground: commonGround(source, dest, options.modifyWindowNs),
    reason: run.logged.flatMap((event) => (event.code === 'decided' ? event.fields.reason : []))[0],
    requests: ended.action === 'stop' ? [] : requests,
    ...ended,
    error: run.error,
  };
}

function pathBelow(typed: string): string {
  const path = typed.replace(/^(?:\.\/|\/)+|\/+$/g, '');
  if (path !== '' && !path.split('/').some((name) => ['', '.', '..'].includes(name))) return path;
  throw new SyncerError('usage', `"${typed}" is not a path below source and destination`);
}

async function guardOf(
  invocation: Invocation,
  verb: Verb,
  sides: { readonly source: Remote; readonly dest: Remote },
): Promise<Why['guard']> {
  const { guard: list } = invocation.flags;
  const guards =
    list === undefined || verb === 'move' ? undefined : openGuards(invocation, verb, sides);
  if (list === undefined || guards === undefined) return undefined;
  try {
    await guards.before();
    return { list };
  } catch (thrown) {
    if (!hasCode(thrown, 'guarded')) throw thrown;
    return { list, why: thrown.message };
  }
}

/** The entry, with what the filter reads of it. */
async function look(
  remote: Remote,
  path: string,
  { needsModTime, needsMetadata }: Filter,
  op: Op,
): Promise<Entry | undefined> {
  try {
    const entry = await remote.stat(path, op);
    const isRead = entry?.kind === 'file' && (needsModTime || needsMetadata);
    return isRead ? await withMetadata(remote, entry, op) : entry;
  } catch (thrown) {
    if (hasCode(thrown, 'directory-not-found', 'bucket-not-found', 'not-a-directory'))
      return undefined;
    throw toSyncerError(thrown);
  }
}

function endOf(
  { changes, logged, error }: TrialRun,
  known: Pick<
    Why,
    'verb' | 'guard' | 'locks' | 'filter' | 'destFilter' | 'sourceEntry' | 'destEntry'
  > & { readonly renamed: TrialRename | undefined },
): Pick<Why, 'action' | 'verdict'> {
  const { verb, guard, locks, renamed, filter, destFilter, sourceEntry, destEntry } = known;
  const locked = locks.find(({ stops }) => stops);
  if (locked !== undefined) return { action: 'stop', verdict: locked.text };
  if (guard?.why !== undefined) return { action: 'stop', verdict: guard.why };
  if (renamed !== undefined) {
    const { from, to } = renamed;
    return { action: 'rename', verdict: `${from} of the destination is renamed to ${to}` };
  }
  const [change] = changes;
  const words = logged.map(messageOf).join('; ');
  if (change !== undefined) {
    const hidden = destFilter === undefined ? '' : ', because what is there is excluded';
    return { action: change.kind, verdict: words === '' ? change.reason + hidden : words };
  }
  if (error !== undefined) return { action: 'fail', verdict: error.message };
  if (sourceEntry === undefined && destEntry === undefined) {
    return { action: 'skip', verdict: 'neither side has it' };
  }
  if (!filter.keeps) {
    const { rule, from, dir } = filter;
    const where = dir === undefined ? '' : `${dir || 'the root'}: `;
    return { action: 'exclude', verdict: `Excluded: ${where}${rule} (${from})` };
  }
  if (words !== '') return { action: 'skip', verdict: words };
  if (sourceEntry?.kind === 'dir' || (destEntry?.kind === 'dir' && sourceEntry === undefined)) {
    return { action: 'skip', verdict: 'a directory: its files are decided one by one' };
  }
  if (sourceEntry === undefined) {
    return {
      action: 'skip',
      verdict: `not at the source; ${verb} deletes nothing at the destination`,
    };
  }
  return { action: 'skip', verdict: 'not at the destination; --existing copies no new files' };
}
