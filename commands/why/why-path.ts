import { hasCode, SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { LogEvent, SyncerEvent } from '../../src/core/events.ts';
import { isOwnEntry, isTrashDir, OWN_NAMES } from '../../src/core/own-names.ts';
import type { Entry, FileEntry, Op, Remote } from '../../src/core/remote.ts';
import { joinPath, parentPath } from '../../src/core/remote-path.ts';
import { counted } from '../../src/core/shown-text.ts';
import type { Action, Sides, Verb } from '../../src/engine/action.ts';
import { commonGround } from '../../src/engine/compare-pair.ts';
import { PRETEND } from '../../src/engine/consent.ts';
import type { SyncRequest } from '../../src/engine/file-work.ts';
import { withMetadata } from '../../src/engine/mod-time-of.ts';
import type { Outcomes } from '../../src/engine/outcomes.ts';
import { isSameStore, overlap, placeOf, refuseOverlap } from '../../src/engine/place/overlap.ts';
import type { RunSetup } from '../../src/engine/run.ts';
import { attemptSync } from '../../src/engine/sync.ts';
import { type Filter, onlyPath } from '../../src/filter/filter.ts';
import { formatDuration } from '../../src/go/quantities.ts';
import { openGuards } from '../../src/run/guards/run-guards.ts';
import {
  listHistory,
  type PathRun,
  pathRuns,
  storedPathOf,
} from '../../src/run/history/list-history.ts';
import { holderText, runsAt } from '../../src/run/presence/enter-presence.ts';
import { readLease, refuseLease } from '../../src/run/presence/remote-lease.ts';
import { CollectedPlan } from '../../src/run/review/plan-consent.ts';
import type { PlannedChange } from '../../src/run/review/planned-change.ts';
import { filterText, type PathVerdict } from '../../src/run/review/review-lines.ts';
import { refuseTrashDir } from '../../src/run/transfer/refuse-inside.ts';
import { syncOptions } from '../../src/run/transfer/sync-options.ts';
import { guardRules, openDestination } from '../../src/run/transfer/transfer.ts';
import type { CommandCall, Environment, Remotes } from '../../src/shell/command-line/command.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { messageOf } from '../../src/shell/log/words.ts';

/** Everything that decides about a path, and who changed it. */
export type Why = Awaited<ReturnType<typeof whyPath>>;

/**
 * Why a run with these flags would do what it does with one path. Only reads: the directories above the path, and what
 * the comparison needs. Rejects with what would prevent the run.
 */
export async function whyPath(invocation: CommandCall & Environment & Remotes, verb: Verb) {
  const [from = '', to = '', typed = ''] = invocation.args;
  const { flags, context } = invocation;
  const path = typed.replace(/^(?:\.\/|\/)+|\/+$/g, '');
  if (path.split('/').some((name) => ['', '.', '..'].includes(name))) {
    throw new SyncerError('usage', `"${typed}" is not a path below source and destination`);
  }
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
  const plan: SyncRequest = {
    verb,
    source,
    dest,
    options: { ...options, passes: options.passes.filter(({ seesAll }) => seesAll !== true) },
    roots,
    moreRules: await guardRules(invocation, verb, source),
  };
  const guard = await guardOf(invocation, verb, { source, dest });
  const locks = await lockWhy(invocation, verb === 'move' ? [dest, source] : [dest]);
  const setup = { context, filter, useServerModTime: flags['use-server-modtime'] };
  const run = await trialRun(setup, plan, path);
  const [change] = run.changes;
  const isOnOneSide = change?.kind === 'copy' || change?.kind === 'delete';
  const renamed =
    options.passes.some(({ seesAll }) => seesAll) && isOnOneSide
      ? await trialRename(setup, { ...plan, options }, path)
      : undefined;
  const trash = await trashWhy(invocation, plan, renamed === undefined ? change : undefined);
  const history = await lastChanges(invocation, { source, dest }, path);
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
  const known = { verb, guard, locks, sourceEntry, destEntry, filter: verdict, destFilter };
  const ended = endOf(run, renamed, known);
  const requests =
    renamed === undefined
      ? run.changes.flatMap((one) => requestsOf(plan, one, trash?.into))
      : [`rename ${renamed.from} of ${dest.title} to ${renamed.to}`];
  return {
    ...known,
    ...ended,
    path,
    source,
    dest,
    trash,
    history,
    ground: commonGround(source, dest, options.modifyWindowNs),
    /** Why the run does what it does with the two files. */
    reason: run.logged.flatMap((event) => (event.code === 'decided' ? event.fields.reason : []))[0],
    requests: ended.action === 'stop' ? [] : requests,
    error: run.error,
  };
}

/** The last run that changed the path of each side. A history that cannot be read is a notice. */
async function lastChanges(
  invocation: CommandCall & Environment,
  { source, dest }: Sides,
  path: string,
) {
  const found: (PathRun & { readonly side: 'source' | 'destination' })[] = [];
  try {
    const entries = await listHistory(invocation);
    for (const side of ['source', 'destination'] as const) {
      const at = storedPathOf(side === 'source' ? source : dest, path);
      for await (const { entry, changes } of pathRuns(invocation, at, entries)) {
        const made = changes.filter(({ done }) => done?.ok !== false);
        if (made.length === 0) continue;
        found.push({ side, entry, changes: made });
        break;
      }
    }
  } catch (thrown) {
    invocation.context.emit(logText('notice', toSyncerError(thrown).message));
  }
  return found;
}

/** `--guard`, and what it says. */
async function guardOf(
  invocation: CommandCall & Environment & Remotes,
  verb: Verb,
  sides: Sides,
): Promise<{ readonly list: string; readonly why?: string } | undefined> {
  const { guard: list } = invocation.flags;
  if (list === undefined || verb === 'move') return undefined;
  const guards = openGuards({ ...invocation, consent: PRETEND }, verb, sides);
  if (guards === undefined) return undefined;
  try {
    await guards.before();
    return { list };
  } catch (thrown) {
    if (!hasCode(thrown, 'guarded')) throw thrown;
    return { list, why: thrown.message };
  }
}

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

/** What the run would do, and the verdict in the words of the log. `fail`: it could not be determined. */
function endOf(
  { changes, logged, error }: Awaited<ReturnType<typeof trialRun>>,
  renamed: Awaited<ReturnType<typeof trialRename>>,
  known: {
    readonly verb: Verb;
    readonly guard: Awaited<ReturnType<typeof guardOf>>;
    readonly locks: readonly LockWhy[];
    /** As they were listed or compared. */
    readonly sourceEntry: Entry | undefined;
    readonly destEntry: Entry | undefined;
    readonly filter: PathVerdict;
    /** Of the entry at the destination, if that is another one: the rules about sizes and times. */
    readonly destFilter: PathVerdict | undefined;
  },
): {
  readonly action: PlannedChange['kind'] | 'skip' | 'exclude' | 'stop' | 'fail';
  readonly verdict: string;
} {
  const { verb, guard, locks, filter, destFilter, sourceEntry, destEntry } = known;
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
  if (!filter.keeps)
    return { action: 'exclude', verdict: filterText(filter).replace('excluded', 'Excluded') };
  if (words !== '') return { action: 'skip', verdict: words };
  if (sourceEntry?.kind === 'dir' || (destEntry?.kind === 'dir' && sourceEntry === undefined)) {
    return { action: 'skip', verdict: 'a directory: its files are decided one by one' };
  }
  const verdict = `not at the source; ${verb} deletes nothing at the destination`;
  return { action: 'skip', verdict };
}

/** What a change asks of the remotes, in order. `trash`: where the old file of the destination is kept. */
function requestsOf(
  { source, dest, verb, options }: SyncRequest,
  { kind, path, size, dest: old }: PlannedChange,
  trash: string | undefined,
): readonly string[] {
  const bytes = size < 0 ? '' : ` (${counted(size, 'byte')})`;
  const there = `${path} of ${dest.title}`;
  const keptIn = options.passes.find(({ keepsIn }) => keepsIn)?.keepsIn;
  const isKept = old !== undefined && keptIn !== undefined;
  const backUp = isKept ? [`move ${there} to ${keptIn.title}`] : [];
  const own = `${path} of ${source.title}`;
  const take = `delete ${own}`;
  switch (kind) {
    case 'copy':
    case 'update':
    case 'move': {
      const isWithin = dest.can.copyFrom !== undefined && isSameStore(source, dest);
      return [
        ...backUp,
        ...(isWithin ? [] : [`read ${own}${bytes}`]),
        ...(trash === undefined ? [] : [`keep ${there} in ${trash}`]),
        `${isWithin ? `copy ${path} within` : `write ${path} to`} ${dest.title}${bytes}`,
        ...(verb === 'move' ? [take] : []),
      ];
    }
    case 'time':
      return [`set the modification time of ${there}`];
    case 'delete':
      if (verb === 'move') return [take];
      if (keptIn !== undefined) return backUp;
      return [trash === undefined ? `delete ${there}` : `move ${there} to ${trash}`];
    case 'rename':
      return [`rename ${there}`];
    case 'make-dir':
      return [`create the directory ${there}`];
    case 'remove-dir':
      return [`delete the directory ${verb === 'move' ? own : there}, if it is empty`];
    // Of two-way syncs, which `why` does not explain.
    case 'conflict':
      return [];
  }
}

/** Where `--trash` keeps the file that a change deletes or replaces, in words, and the directory that it is put into. */
async function trashWhy(
  { flags, remotes, context }: CommandCall & Remotes,
  { verb, dest, options }: Pick<SyncRequest, 'verb' | 'dest' | 'options'>,
  change: PlannedChange | undefined,
): Promise<{ readonly text: string; readonly into?: string } | undefined> {
  const { trash, 'trash-dir': dir } = flags;
  if (!trash && !dir) return undefined;
  const isDeleted = change?.kind === 'delete' && verb !== 'move';
  const isReplaced = change?.kind === 'update' || change?.kind === 'move';
  const fate = isDeleted ? 'deleted' : isReplaced ? 'replaced' : undefined;
  const goes = change?.dest && fate;
  if (goes === undefined) return { text: 'no file of the destination is deleted or replaced' };
  if (options.passes.some(({ keepsIn }) => keepsIn))
    return { text: 'not used: the old file is in --backup-dir' };
  const keeps = await dest.can.restoring?.keeps({ signal: context.signal });
  if (keeps?.[goes] === true) return { text: `the server of ${dest.title} keeps the ${goes} file` };
  const into = dir ? (await remotes.openDir(dir)).title : `${OWN_NAMES.trash} of ${dest.title}`;
  return { text: `the ${goes} file is kept in ${into}`, into };
}

interface LockWhy {
  readonly text: string;
  /** The run would end before it changes anything. */
  readonly stops: boolean;
}

/** What the locks make of other runs that change the same places, the destination first. Only reads. */
async function lockWhy(
  { flags, env, stores, context }: CommandCall & Environment,
  remotes: readonly Remote[],
): Promise<readonly LockWhy[]> {
  const op: Op = { signal: context.signal };
  const places = await Promise.all(remotes.map((remote) => placeOf(remote, op)));
  const { lock, 'lock-wait': waitMs, 'lock-remote': isRemote } = flags;
  const [other] = await runsAt({ env, stores }, places).catch((thrown) => {
    if (lock || waitMs !== undefined) throw thrown;
    stores.tellMissing('runs that change the same place are not known', thrown);
    return [];
  });
  const found: LockWhy[] = [];
  if (other !== undefined) {
    const text = await holderText(other, context.clock);
    if (waitMs !== undefined) {
      const longest = formatDuration(waitMs);
      found.push({ text: `waits for ${text}; at most ${longest}`, stops: false });
    } else if (lock) found.push({ text: `locked by ${text}`, stops: true });
    else found.push({ text: `${text}; without --lock the run is not kept from it`, stops: false });
  } else if (lock || waitMs !== undefined) {
    found.push({ text: 'no other run on this machine changes the same place', stops: false });
  }
  const [dest] = remotes;
  if (isRemote && dest !== undefined) found.push(await leaseWhy(dest, op));
  return found;
}

async function leaseWhy(dest: Remote, op: Op): Promise<LockWhy> {
  try {
    refuseLease(dest);
    const found = await readLease(dest, op);
    if (found === 'moving') return { text: 'another run is taking the remote lock', stops: false };
    if (found === undefined || found.record.isReleased) {
      return { text: 'no run holds the remote lock', stops: false };
    }
    const { id, host, command } = found.record;
    const then = 'the run ends with 75 if it is renewed, and takes it after 75 s if it is not';
    const text = `run ${id} on ${host} holds the remote lock: ${command}; ${then}`;
    return { text, stops: false };
  } catch (thrown) {
    if (!hasCode(thrown, 'unsupported', 'locked')) throw thrown;
    return { text: toSyncerError(thrown).message, stops: true };
  }
}

/** Runs the engine for one path without a change: the entries that were compared, and what was logged about them. */
async function trialRun(
  setup: Pick<RunSetup, 'context' | 'useServerModTime'> & { readonly filter: Filter },
  plan: SyncRequest,
  path: string,
) {
  const collected = new CollectedPlan();
  const logged: LogEvent[] = [];
  const pair: { source?: FileEntry; dest?: FileEntry } = {};
  const outcomes: Outcomes = {
    compared: (_, found) => void Object.assign(pair, found),
    stays() {},
    arrived() {},
    gone() {},
    failed() {},
    dirs() {},
  };
  const emit = (event: SyncerEvent) => {
    if (event.type === 'log' && event.path === path) logged.push(event);
  };
  const { error } = await attemptSync(
    {
      ...setup,
      context: { ...setup.context, emit, verbose: true },
      filter: onlyPath(setup.filter, path),
      consent: { how: 'collect', plan: collected },
      outcomes,
    },
    plan,
  );
  const paths = [path, pair.dest?.path];
  const changes = [...collected.changes.values()].filter((one) => paths.includes(one.path));
  return { source: pair.source, dest: pair.dest, changes, logged, error };
}

/**
 * The rename of `--track-renames` from or to a path of the destination, without changing anything. Lists both trees:
 * every new file and every extra one counts. `undefined`: there is none, or it could not be determined.
 */
async function trialRename(
  setup: Pick<RunSetup, 'context' | 'useServerModTime'> & { readonly filter: Filter },
  plan: SyncRequest,
  path: string,
) {
  let found: { readonly from: string; readonly to: string } | undefined;
  const allows = (action: Action) => {
    if (action.do !== 'rename' || action.source === undefined) return false;
    const { path: from, source } = action;
    if ([source.path, from].includes(path)) found = { from, to: source.path };
    return false;
  };
  const context = { ...setup.context, emit: () => {} };
  await attemptSync(
    { ...setup, context, consent: { how: 'collect', plan: { allows, isReadOnly: true } } },
    plan,
  );
  return found;
}

/** What decides about a path of a remote: a rule about a directory above it, or one about itself. Sends requests for marker files only. */
async function explainPath(
  { filter, remote, op }: { readonly filter: Filter; readonly remote: Remote; readonly op: Op },
  path: string,
  entry: Entry | undefined,
): Promise<PathVerdict> {
  if (isTrashDir(parentPath(path)) || (entry !== undefined && isOwnEntry(entry)))
    return { keeps: false, rule: 'an entry of syncer itself', from: 'hidden from listings' };
  const { maxDepth } = filter;
  const segments = path.split('/');
  if (maxDepth >= 0 && segments.length > maxDepth) {
    const rule = `${segments.length} levels deep`;
    return { keeps: false, rule, from: `--max-depth ${maxDepth}` };
  }
  for (let depth = 0; depth < segments.length; depth++) {
    const dir = segments.slice(0, depth).join('/');
    const verdict = filter.explainDir(dir);
    if (!verdict.keeps) return { ...verdict, dir };
    for (const name of filter.markerFiles) {
      if ((await remote.stat(joinPath(dir, name), op))?.kind !== 'file') continue;
      const from = `--exclude-if-present ${name}`;
      return { keeps: false, rule: `the directory has the file ${name}`, from, dir };
    }
  }
  return entry?.kind === 'dir'
    ? filter.explainDir(path)
    : filter.explainFile(entry ?? { path, size: -1 });
}
