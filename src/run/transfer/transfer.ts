import { plainRemoteSpec } from '../../config/remote-spec.ts';
import { linkedAbort } from '../../core/context.ts';
import { defined } from '../../core/defined.ts';
import { SyncerError } from '../../core/errors.ts';
import { asSeen } from '../../core/mod-time.ts';
import type { FileEntry, Remote } from '../../core/remote.ts';
import { areAlike, leafName } from '../../core/remote-path.ts';
import type { Verb } from '../../engine/action.ts';
import { isReviewed } from '../../engine/consent.ts';
import { type SyncRequest, stoppableWork } from '../../engine/file-work.ts';
import { isOtherCase, overlap, refuseOverlap } from '../../engine/place/overlap.ts';
import { judgeAsking } from '../../engine/rules/ask.ts';
import type { FileRule } from '../../engine/rules/rule.ts';
import { type Attempt, inReview, type RunSetup, retryRun } from '../../engine/run.ts';
import { attempt, attemptSync } from '../../engine/sync.ts';
import { renameCase, settle } from '../../engine/sync-files.ts';
import { execute } from '../../engine/transfer-queue.ts';
import type {
  Changing,
  CommandCall,
  Environment,
  Program,
  Remotes,
  StandardOutput,
  Steering,
} from '../../shell/command-line/command.ts';
import { deleteBudget, maxDeletePercent } from '../../shell/flags/delete-limits.ts';
import { cannotUse, REPORTS } from '../../shell/flags/exclusions.ts';
import { logText } from '../../shell/log/log-text.ts';
import { bucketGuard } from '../guards/bucket-guard.ts';
import { type LockedRun, withPlaces } from '../presence/with-places.ts';
import { refuseWithoutQueue } from '../queue/needs-queue.ts';
import { refuseFilteredFile, splitFileSpec } from '../remotes/file-or-directory.ts';
import { refuseTrashDir } from './refuse-inside.ts';
import { startTimeLimit, syncOptions, type TimeLimit } from './sync-options.ts';

/** What copy, sync and move need. */
export type TransferNeeds = CommandCall &
  Program &
  Environment &
  Remotes &
  StandardOutput &
  Changing;

/**
 * Runs copy, sync or move with the two paths of the command line. A source that is a file goes into the directory
 * that the second path names, or becomes the file of that name (`asNamed`: copyto, moveto). Rejects with the error
 * that decides the exit code.
 *
 * @param layer what is put around the destination
 */
export async function runTransfer(
  invocation: TransferNeeds,
  verb: Verb,
  asNamed: boolean,
  layer: (dest: Remote) => Remote = (dest) => dest,
): Promise<void> {
  refuseWithoutQueue(invocation);
  const limit = startTimeLimit(invocation);
  try {
    await transferWithin(limit, invocation, verb, asNamed, layer);
  } finally {
    limit.end();
  }
}

async function transferWithin(
  limit: TimeLimit,
  invocation: TransferNeeds,
  verb: Verb,
  asNamed: boolean,
  layer: (dest: Remote) => Remote,
): Promise<void> {
  const { until } = limit;
  const [from = '', to = from] = invocation.args;
  const { remote: source, file } = await until(invocation.remotes.openPath(from));
  // `convmv` has one path.
  const inPlace = invocation.args.length === 1;
  const filter = await invocation.filter();
  if (asNamed) refuseFilteredFile(filter, file !== undefined, from);
  const named = asNamed && file !== undefined ? splitFileSpec(to) : undefined;
  const into = inPlace && file !== undefined ? splitFileSpec(from).dir : (named?.dir ?? to);
  const dest = layer(await until(openDestination(invocation, into)));
  invocation.context.emit({
    type: 'sides',
    source: plainRemoteSpec(file === undefined ? from : splitFileSpec(from).dir),
    dest: plainRemoteSpec(into),
  });
  const { flags } = invocation;
  const isFile = file !== undefined;
  await until(refuseTrashDir(invocation, { source, dest }, isFile));
  const options = await until(syncOptions(invocation, verb, { source, dest, isFile }));
  // Without these flags nothing is loaded.
  const isGuarded = flags.guard !== undefined || maxDeletePercent(flags) !== undefined;
  const openGuards = async () =>
    (await import('../guards/run-guards.ts')).openGuards(invocation, verb, { source, dest });
  const guards = isGuarded && !inPlace && !isFile ? await until(openGuards()) : undefined;
  const moreRules = await until(guardRules(invocation, verb, source));
  // There are none for a plan.
  const hasReports = REPORTS.some((flag) => flags[flag]) && !isReviewed(invocation.consent);
  const { openOutcomes } = hasReports ? await import('../listing/open-reports.ts') : {};
  const reports = await openOutcomes?.(invocation, { source, dest }, options.deletes !== 'off');
  const planned: RunSetup = {
    outcomes: reports?.outcomes,
    clashes: new Map(),
    context: limit.context,
    filter,
    useServerModTime: flags['use-server-modtime'],
    bandwidth: invocation.bandwidth,
    consent: invocation.consent,
    budget: deleteBudget(flags, verb !== 'move'),
    control: limit.control,
    checkBuckets: bucketGuard(invocation),
  };
  const remotes = verb === 'move' && !inPlace ? [dest, source] : [dest];
  const work = async ({ context, whileLocked }: LockedRun) => {
    const setup = { ...planned, context };
    const sides = { source: whileLocked(source), dest: whileLocked(dest) };
    const plan: SyncRequest = {
      verb,
      ...sides,
      options,
      moreRules,
      ...(inPlace ? { inPlace } : {}),
    };
    const leaf = named?.leaf ?? leafName(file?.path ?? '');
    const one = file && { file, path: (await options.transform?.name(leaf, 'file')) ?? leaf };
    const run: RunPart = async (setup, plan, isWhole) => {
      await guards?.before();
      const checked = guards && {
        options: { ...plan.options, checkDeletes: guards.check(isWhole) },
      };
      const transferred = await transfer(invocation, setup, { ...plan, ...checked }, one);
      await guards?.remember();
      return transferred;
    };
    if (flags.watch) await watchTree(invocation, setup, plan, isFile, run);
    return run(setup, plan, true);
  };
  let isWhole = false;
  try {
    const transferred = await withPlaces(invocation, { remotes, isFile }, work, limit);
    isWhole = true;
    if (transferred === 0 && flags['error-on-no-transfer'])
      throw new SyncerError('no-transfer', 'no files transferred');
  } finally {
    await reports?.close(isWhole);
    await Promise.allSettled([source.close(), dest.close()]);
  }
}

/** Transfers the trees, or the part of them that the filter of `setup` includes. Resolves to the number of files. */
type RunPart = (setup: RunSetup, plan: SyncRequest, isWhole: boolean) => Promise<number>;

/** `--checksum` and the guard `suspect` refuse to replace a file by one that `scrub` found suspect. */
export async function guardRules(
  { flags, stores }: CommandCall & Environment,
  verb: Verb,
  source: Remote,
): Promise<readonly FileRule[]> {
  if (!flags.checksum && flags.guard === undefined) return [];
  const { parseGuards } = await import('../guards/guard-list.ts');
  if (!flags.checksum && !parseGuards(flags.guard ?? 'off').suspect) return [];
  const { suspectRule } = await import('../guards/suspects.ts');
  const rule = await suspectRule(source, stores, verb === 'move' ? 'move' : 'copy');
  return rule === undefined ? [] : [rule];
}

/** `--watch`: transfers until the run is stopped. */
async function watchTree(
  invocation: CommandCall & Steering,
  setup: RunSetup,
  plan: SyncRequest,
  isFile: boolean,
  run: RunPart,
): Promise<never> {
  const { flags, args, overview } = invocation;
  const { control } = setup;
  if (isFile) throw cannotUse('--watch', 'a file', 'it takes a directory');
  const { watchAndRun } = await import('./watch.ts');
  const { source, options } = plan;
  return watchAndRun(setup.context, {
    source,
    about: args[0] ?? '',
    overview,
    control,
    filter: setup.filter,
    delayMs: flags['watch-delay'],
    async run(filter, isWhole) {
      // One listing of everything is more than the listings of a few directories.
      const part = isWhole ? plan : { ...plan, options: { ...options, fastList: false } };
      await run({ ...setup, filter, clashes: new Map() }, part, isWhole);
    },
  });
}

/** A destination that is a file is refused: it would become a directory's name. */
export async function openDestination({ remotes }: Remotes, spec: string): Promise<Remote> {
  const opened = await remotes.openPath(spec);
  if (opened.file === undefined) return opened.remote;
  throw new SyncerError('not-a-directory', `destination "${spec}" is a file not a directory`);
}

async function transfer(
  invocation: CommandCall & Program & Environment & StandardOutput & Steering,
  setup: RunSetup,
  asked: SyncRequest,
  one: { readonly file: FileEntry; readonly path: string } | undefined,
): Promise<number> {
  const { flags } = invocation;
  const { context } = setup;
  // Another attempt would change the new names again.
  const retries = asked.inPlace === true ? 1 : flags.retries;
  const { stopping } = setup.control ?? {};
  const rules = { retries, sleepMs: flags['retries-sleep'], stopping };
  const looking = linkedAbort(context.signal, ...(stopping === undefined ? [] : [stopping]));
  const roots = await overlap(asked.source, asked.dest, { signal: looking.signal });
  const plan: SyncRequest = { ...asked, roots };
  if (one !== undefined) {
    const whole = flags.checkpoint ? 'checkpoint' : flags.queue === undefined ? undefined : 'queue';
    if (whole !== undefined) throw cannotUse(`--${whole}`, 'a file', 'it takes a directory');
    const isItself = one.path === one.file.path && roots.how === 'same';
    if (isItself) return 0;
    let attempts = 0;
    return retryRun(context, rules, () =>
      attemptOneFile(setup, plan, one.file, one.path, attempts++ > 0),
    );
  }
  const isRename =
    flags.queue === undefined &&
    plan.verb === 'move' &&
    plan.inPlace !== true &&
    isOtherCase(plan.source, plan.dest);
  if (isRename && (await isMovedWhole(setup, plan))) return 0;
  if (roots.how === 'same' && plan.verb !== 'sync' && !isRename && plan.inPlace !== true) {
    const text = 'Nothing to do as source and destination are the same';
    context.emit(logText('error', text, plan.dest.title));
    return 0;
  }
  if (plan.verb !== 'copy' && plan.inPlace !== true)
    refuseOverlap(roots, plan, setup.filter, plan.verb);
  if (flags.queue !== undefined) {
    const { transferOverQueue } = await import('../queue/run-over-queue.ts');
    return transferOverQueue(invocation, setup, plan);
  }
  if (plan.verb === 'move' && (await isMovedWhole(setup, plan))) return 0;
  const { openCheckpoint } = flags.checkpoint ? await import('../ranges/checkpoint.ts') : {};
  const checkpoint = await openCheckpoint?.(invocation, setup, plan);
  const transferred = await retryRun(
    context,
    rules,
    () => checkpoint?.attempt() ?? attemptSync(setup, plan),
  );
  await checkpoint?.end();
  if (transferred === 0) context.emit(logText('info', 'There was nothing to transfer'));
  return transferred;
}

/**
 * As `attemptSync` for a source that is one file: it goes to `path` of the destination. `isAgain` in all attempts but
 * the first: the file may have changed since.
 */
export async function attemptOneFile(
  setup: RunSetup,
  plan: SyncRequest,
  named: FileEntry,
  path: string,
  isAgain = false,
): Promise<Attempt> {
  return attempt(setup, { ...plan, isOne: true }, async (work) => {
    const { run, options, dest } = work;
    let now = named;
    if (isAgain) {
      const again = await plan.source.stat(named.path, run.op);
      if (again === undefined) {
        const text = `file not found: ${named.path}`;
        throw new SyncerError('file-not-found', text, { path: named.path });
      }
      // One that its path alone does not name stays as it was.
      if (again.kind === 'file' && again.id === named.id && named.storedPath === undefined)
        now = again;
    }
    const file = asSeen(now, setup.useServerModTime);
    const { emit } = run.context;
    const mustLook = options.immutable || work.keeper?.aside !== undefined;
    const looks = !options.noCheckDest || mustLook;
    const found = looks ? await dest.stat(path, stoppableWork(work).run.op) : undefined;
    const there = { remote: dest, file: { path, ...defined({ id: found?.id }) } };
    if (await run.places.isSameFile({ remote: work.source, file }, there)) {
      if (work.verb !== 'move' || file.path === path) return;
      if (!areAlike(file.path, path)) return run.log('notice', file.path, 'same-file');
      return inReview(
        run,
        async (now) => void (await renameCase({ ...work, run: now }, file, path)),
      );
    }
    if (work.inPlace === true && found !== undefined) {
      const text = `"${file.path}" keeps its name: "${path}" exists`;
      throw new SyncerError('already-exists', text, { path: file.path });
    }
    if (found?.kind === 'dir' && dest.traits.emptyDirs) {
      throw new SyncerError('not-a-file', `${dest.title}: "${path}" is a directory not a file`);
    }
    const old = found?.kind === 'file' ? asSeen(found, setup.useServerModTime) : undefined;
    if (old === undefined) run.outcomes?.compared('missing-on-dst', { source: file });
    const judged = await judgeAsking(work, { source: file, dest: old, path });
    if (judged === undefined) return old && run.outcomes?.stays(old);
    await inReview(run, async (now) => {
      const working = { ...work, run: now };
      const transfer = await settle(working, judged);
      if (transfer === undefined) return;
      emit({ type: 'transfer-queued', files: 1, bytes: Math.max(0, file.size) });
      await execute(working, transfer);
    });
  });
}

/** As `tryMoveDir`, which only moves load. */
async function isMovedWhole(setup: RunSetup, plan: SyncRequest): Promise<boolean> {
  const { tryMoveDir } = await import('../../engine/move-dir.ts');
  return tryMoveDir(setup, plan);
}
