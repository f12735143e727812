import { isUtf8 } from 'node:buffer';
import { join, resolve } from 'node:path';
import { openReviewScreen } from '../../components/open.ts';
import { stateDir } from '../../src/config/config-path.ts';
import { collectBody } from '../../src/core/body.ts';
import type { Watching } from '../../src/core/changes.ts';
import { type Context, linkedAbort } from '../../src/core/context.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { commonHash, type HashName } from '../../src/core/hash-names.ts';
import type { Op, Remote } from '../../src/core/remote.ts';
import { findRunId } from '../../src/core/run-id.ts';
import { counted } from '../../src/core/shown-text.ts';
import { shownAction } from '../../src/engine/action.ts';
import { type Consent, consentNow } from '../../src/engine/consent.ts';
import type { SyncOptions } from '../../src/engine/pass.ts';
import { backupPass } from '../../src/engine/passes/backups/backups.ts';
import { type RunSetup, retryRun } from '../../src/engine/run.ts';
import { bucketGuard } from '../../src/run/guards/bucket-guard.ts';
import {
  type HistoryEntry,
  listHistory,
  pathRuns,
  storedPathOf,
} from '../../src/run/history/list-history.ts';
import { type LockedRun, withPlaces } from '../../src/run/presence/with-places.ts';
import { differenceRows, type TextDifference } from '../../src/run/review/difference-rows.ts';
import type { PlannedChange } from '../../src/run/review/planned-change.ts';
import { reviewed } from '../../src/run/review/reviewed.ts';
import type { ReviewNeeds } from '../../src/run/review/run-review.ts';
import { refuseInside } from '../../src/run/transfer/refuse-inside.ts';
import {
  startTimeLimit,
  syncOptions,
  type TimeLimit,
} from '../../src/run/transfer/sync-options.ts';
import { openDestination } from '../../src/run/transfer/transfer.ts';
import type { Watch } from '../../src/run/transfer/watch.ts';
import type { CommandCall, Environment, Remotes } from '../../src/shell/command-line/command.ts';
import { deleteBudget } from '../../src/shell/flags/delete-limits.ts';
import { cannotUse } from '../../src/shell/flags/exclusions.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { Stores } from '../../src/state/stores.ts';
import type { BISYNC_FLAGS } from './command.ts';
import { holdPair, type PairPlace } from './pair-store.ts';
import { AgreedFiles, type Archive } from './two-way/agreed-files.ts';
import type { MarkRules } from './two-way/decide-two-way.ts';
import { attemptTwoWay, type TwoWayPlan } from './two-way/sync-two-way.ts';

type BisyncNeeds = ReviewNeeds<typeof BISYNC_FLAGS>;

export function bisyncCommand(invocation: BisyncNeeds): Promise<void> {
  const { flags } = invocation;
  const difference = (change: PlannedChange) => conflictDifference(invocation, change);
  const reviewable = {
    title: 'bisync',
    isTwoWay: true,
    show: openReviewScreen,
    difference,
    keeping: {
      aside: Boolean(flags['backup-dir1'] && flags['backup-dir2']),
      losers: flags['conflict-loser'] === 'delete' && flags['conflict-resolve'] !== 'none',
    },
  } as const;
  return reviewed(invocation, reviewable, runBisync);
}

async function runBisync(invocation: BisyncNeeds): Promise<void> {
  const place = placeOf(invocation);
  const limit = startTimeLimit(invocation);
  try {
    await bisyncWithin(limit, place, invocation);
  } finally {
    limit.end();
    if (!place.isDefault) await place.stores.close();
  }
}

async function bisyncWithin(limit: TimeLimit, place: PairPlace, given: BisyncNeeds): Promise<void> {
  const { until } = limit;
  const { args, flags } = given;
  const onlyLooks = flags['check-sync'] === 'only';
  let differences = 0;
  // It names every change and allows none; afterwards any is an error.
  const looking: Consent = {
    how: 'collect',
    plan: {
      isReadOnly: true,
      allows(action) {
        const { words, about } = shownAction(action);
        differences++;
        given.context.emit(logText('error', `Out of sync: ${words} is needed`, about));
        return false;
      },
    },
  };
  const invocation = onlyLooks ? { ...given, consent: looking } : given;
  const { consent } = invocation;
  const [a, b] = [
    await until(openDestination(invocation, args[0] ?? '')),
    await until(openDestination(invocation, args[1] ?? '')),
  ];
  const filter = await invocation.filter();
  const places = [
    ['--workdir', place.dir],
    ['--backup-dir1', flags['backup-dir1']],
    ['--backup-dir2', flags['backup-dir2']],
  ] as const;
  for (const [what, place] of places)
    await until(refuseInside(invocation, what, place, [a, b], filter));
  const held = await holdPair(place, [a, b], invocation.context);
  const changed = { remotes: [a, b], isFile: false };
  const work = async ({ context, whileLocked }: LockedRun) => {
    const sides = [whileLocked(a), whileLocked(b)] as const;
    const forgets = flags.resync || flags['resync-mode'] !== undefined;
    const last = await held.read(forgets);
    if (last.problem !== undefined && !forgets) {
      const text = `What both sides had after the last run is not known: ${last.problem}. Nothing is deleted in this run.`;
      given.context.emit(logText('notice', text));
    }
    const plan = await planOf(invocation, ...sides, last.archive);
    const setup: RunSetup = {
      context,
      filter,
      useServerModTime: flags['use-server-modtime'],
      bandwidth: invocation.bandwidth,
      consent,
      // The number means something else here.
      budget: deleteBudget({ ...flags, 'max-delete': undefined }),
      control: limit.control,
      checkBuckets: onlyLooks ? undefined : bucketGuard(invocation),
    };
    const rules = {
      retries: flags.retries,
      sleepMs: flags['retries-sleep'],
      stopping: limit.control?.stopping,
    };
    let { archive } = plan;
    const isPlan = () => consentNow(consent).how === 'collect';
    const changes = () => !flags['dry-run'] && !isPlan();
    let returned = 0;
    const run = async () => {
      let conflicts = 0;
      returned = 0;
      archive = await withoutUndone(invocation, sides, archive);
      await retryRun(context, rules, async () => {
        const attempt = await attemptTwoWay(setup, { ...plan, archive });
        conflicts += attempt.conflicts;
        returned += attempt.returned;
        if (attempt.archive !== undefined && changes()) {
          archive = await held.write(attempt.archive);
        }
        return attempt;
      });
      if (isPlan()) return;
      if (conflicts > 0) {
        const whose = conflicts === 1 ? 'its' : 'their';
        const text = `${counted(conflicts, 'file')} changed on both sides: ${whose} names are above`;
        context.emit(logText('notice', text));
      }
      context.emit(logText('info', 'Bisync successful'));
    };
    if (flags.watch) await watch(invocation, setup, sides, run, () => returned > 0);
    await run();
    if (differences > 0) {
      const what = `${counted(differences, 'change')} needed`;
      throw new SyncerError('differences', `path1 and path2 are out of sync: ${what}`);
    }
  };
  try {
    await withPlaces(invocation, changed, work, limit);
  } finally {
    await held.release();
  }
}

/**
 * `--watch`: runs, and again when something changes on one of the sides, until it is stopped. Disks report changes at
 * once, drives are asked for them, and buckets are taken for changed every minute, so that they are listed.
 */
async function watch(
  { flags, args, overview }: BisyncNeeds,
  { context, filter, control }: RunSetup,
  [a, b]: readonly [Remote, Remote],
  run: () => Promise<void>,
  isRestless: () => boolean,
): Promise<never> {
  if (flags['check-sync'] === 'only')
    throw cannotUse('--watch', '--check-sync only', 'it changes nothing');
  const { watchAndRun } = await import('../../src/run/transfer/watch.ts');
  const source: Watch['source'] = {
    title: `${a.title} and ${b.title}`,
    can: {
      async watch(plan, op) {
        // If one side cannot be watched any more, both are watched again.
        const watching = linkedAbort(op.signal);
        const shared: WatchPlan = {
          ...plan,
          onLost(error) {
            watching.abort();
            plan.onLost(error);
          },
        };
        const start = (side: Remote) =>
          side.can.watch?.(shared, watching) ?? askedOften(side, shared, watching, context.clock);
        try {
          const sides = await Promise.all([start(a), start(b)]);
          return {
            dirs: sides.reduce((sum, { dirs }) => sum + dirs, 0),
            assertSameRoot() {
              for (const side of sides) side.assertSameRoot();
            },
          };
        } catch (thrown) {
          watching.abort();
          throw thrown;
        }
      },
    },
  };
  const [about, delayMs] = [args.join(' and '), flags['watch-delay']];
  const parts = { source, about, overview, control, filter, delayMs, run, isRestless };
  return watchAndRun(context, parts);
}

type WatchPlan = Parameters<NonNullable<Remote['can']['watch']>>[0];

/** Asks a remote for changes until the signal is aborted. */
async function askedOften(
  { can }: Remote,
  plan: WatchPlan,
  op: Op,
  clock: Context['clock'],
): Promise<Watching> {
  let token = (await can.changes?.(undefined, op))?.token;
  const ask = async () => {
    for (;;) {
      await clock.sleep(can.changes === undefined ? 60_000 : 10_000, op.signal);
      const found = await can.changes?.(token, op);
      token = found?.token;
      if (found?.items === undefined || found.items.length > 0) plan.onChange('', true);
    }
  };
  ask().catch((thrown: Error) => {
    if (!op.signal.aborted) plan.onLost(thrown);
  });
  return { dirs: 0, assertSameRoot() {} };
}

function placeOf({ env, flags, stores, context }: BisyncNeeds): PairPlace {
  const maxLockMs = flags['max-lock'];
  const { workdir } = flags;
  if (workdir !== undefined) {
    const dir = resolve(workdir);
    const notice = (text: string) => context.emit(logText('notice', text));
    const own = new Stores({ state: dir, cache: undefined }, notice, context.clock.now);
    return { stores: own, dir, isDefault: false, earlierDir: dir, maxLockMs };
  }
  const dir = stateDir(env);
  if (dir !== undefined) {
    return { stores, dir, isDefault: true, earlierDir: join(dir, 'bisync'), maxLockMs };
  }
  throw new SyncerError('usage', 'no directory for the state of bisync: set --workdir, or HOME');
}

/** The archive; without files if an undo has since changed what a bisync did: that would look like changes of a user. */
async function withoutUndone(
  invocation: CommandCall & Environment,
  sides: readonly [Remote, Remote],
  archive: Archive,
): Promise<Archive> {
  const { files, dirs, roots, endedMs } = archive;
  if (files.size + dirs.size === 0 || stateDir(invocation.env) === undefined) return archive;
  const entries = await listHistory(invocation);
  const undos = entries.filter(
    (entry) => entry.beganMs > endedMs && isUndoOfBisync(entry, entries),
  );
  for (const side of undos.length === 0 ? [] : sides) {
    for await (const _ of pathRuns(invocation, storedPathOf(side), undos)) {
      const text = `What both sides had after the last run was undone since. Nothing is deleted in this run.`;
      invocation.context.emit(logText('notice', text));
      return { roots, endedMs, files: new AgreedFiles(), dirs: new Set() };
    }
  }
  return archive;
}

/** Whether a run undoes a bisync, or the undo of one. */
function isUndoOfBisync({ id, words }: HistoryEntry, entries: readonly HistoryEntry[]): boolean {
  const [verb, target = ''] = words.filter((word) => !word.startsWith('-'));
  const ids = entries.map((each) => each.id).filter((each) => each !== id);
  const meant = verb === 'undo' ? findRunId(target, ids) : undefined;
  const undone = entries.find((each) => each.id === meant);
  if (undone === undefined) return false;
  return undone.words.includes('bisync') || isUndoOfBisync(undone, entries);
}

async function planOf(
  invocation: BisyncNeeds,
  a: Remote,
  b: Remote,
  archive: Archive,
): Promise<TwoWayPlan> {
  const { flags } = invocation;
  const mode = flags['resync-mode'] ?? (flags.resync ? 'path1' : undefined);
  const sides = { source: a, dest: b, isTwoWay: true } as const;
  // It means something else here.
  const oneWay = { ...flags, 'max-delete': undefined };
  const base = await syncOptions({ ...invocation, flags: oneWay }, 'copy', sides);
  const percent = flags['max-delete'];
  const [first = 'conflict', second = first] = flags['conflict-suffix'].split(',');
  const withBackup = async (dir: string | undefined): Promise<SyncOptions> => {
    if (dir === undefined || dir === '') return base;
    const remote = await invocation.remotes.openDir(dir);
    const passes = base.passes.filter(({ keepsIn }) => keepsIn === undefined);
    const own = backupPass({ remote, suffix: '', keepExtension: false, keepsEarlier: true });
    return { ...base, passes: [...passes, own] };
  };
  return {
    a,
    b,
    archive,
    options: {
      a: await withBackup(flags['backup-dir1']),
      b: await withBackup(flags['backup-dir2']),
    },
    rules: { a: markRules(flags.compare, a, b), b: markRules(flags.compare, b, a) },
    conflict: {
      rule: mode ?? flags['conflict-resolve'],
      loser: flags['conflict-loser'],
      naming: { suffix: { a: first, b: second }, keepExtension: flags['suffix-keep-extension'] },
    },
    surprises: {
      force: flags['bisync-force'] || mode !== undefined,
      maxDeletePercent:
        percent === undefined ? undefined : Number(String(percent).replace('%', '')),
      accessFile: flags['check-access'] ? flags['check-filename'] : undefined,
    },
    removesEmptyDirs: flags['remove-empty-dirs'],
  };
}

/** What makes a file of `remote` changed (`--compare`). Throws `usage`. */
function markRules(text: string, remote: Remote, other: Remote): MarkRules {
  const parts = text.split(',').map((part) => part.trim().toLowerCase());
  const unknown = parts.find((part) => !['size', 'modtime', 'checksum'].includes(part));
  if (unknown !== undefined) {
    const message = `bad --compare "${text}": use size, modtime, checksum, separated by commas`;
    throw new SyncerError('command-line', message);
  }
  const hash: HashName | undefined = parts.includes('checksum')
    ? (commonHash(remote.traits.hashes, other.traits.hashes) ?? remote.traits.hashes[0])
    : undefined;
  return {
    size: parts.includes('size'),
    modTime: parts.includes('modtime'),
    ...(hash === undefined ? {} : { hash }),
  };
}

/** The largest text that is compared, in bytes. */
const LARGEST = 64 * 1024;

/** How the two versions of a conflict differ; a sentence if they cannot be compared as text. */
async function conflictDifference(
  { args, remotes, context }: CommandCall & Remotes,
  { path, source, dest }: PlannedChange,
): Promise<readonly TextDifference[] | string> {
  const sizes = [source?.size, dest?.size];
  if (sizes.some((size) => size === undefined || size < 0 || size > LARGEST)) {
    return 'Too large to compare here.';
  }
  const op = { signal: context.signal };
  const [left, right] = await Promise.all([
    textOf(await remotes.openDir(args[0] ?? ''), path, op),
    textOf(await remotes.openDir(args[1] ?? ''), path, op),
  ]);
  if (left === undefined || right === undefined) return 'Not a text.';
  return differenceRows(left, right);
}

async function textOf(remote: Remote, path: string, op: Op): Promise<string | undefined> {
  try {
    const file = await remote.stat(path, op);
    if (file?.kind !== 'file' || file.size > LARGEST) return undefined;
    const bytes = await collectBody(await remote.read(file, undefined, op), op.signal);
    return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString() : undefined;
  } finally {
    await remote.close();
  }
}
