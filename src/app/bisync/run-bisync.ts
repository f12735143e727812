import { hash } from 'node:crypto';
import { closeSync, openSync, readSync, realpathSync, statSync, unlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import { withFileLock } from '../../config/file-lock.ts';
import type { Context } from '../../core/context.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { commonHash, type HashName } from '../../core/hash-names.ts';
import type { Remote } from '../../core/remote.ts';
import { shownAction } from '../../engine/action.ts';
import type { ChangeGuard } from '../../engine/change-guard.ts';
import { backupPass } from '../../engine/passes/backups/backups.ts';
import { type RunSetup, retryRun } from '../../engine/run.ts';
import type { SyncOptions } from '../../engine/sync-options.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { deleteLeftTexts, replaceText } from '../../files/replace-text.ts';
import { counted } from '../../kit/counted.ts';
import { machineBoot, ownerState, ownMark } from '../../kit/owner-state.ts';
import { AgreedFiles } from '../../two-way/agreed-files.ts';
import { type Archive, archiveText, readArchive } from '../../two-way/archive.ts';
import type { MarkRules } from '../../two-way/mark.ts';
import type { ConflictPlan } from '../../two-way/settle-conflict.ts';
import { attemptTwoWay, type TwoWayPlan } from '../../two-way/sync-two-way.ts';
import type { Invocation } from '../command.ts';
import { cannotUse } from '../flags/exclusions.ts';
import type { Flags } from '../flags/flag-table.ts';
import { bucketGuard } from '../guards/bucket-guard.ts';
import { logText } from '../log/log-text.ts';
import { type TakenPlaces, takePlaces } from '../running/take-places.ts';
import { refuseInside } from '../transfer/refuse-inside.ts';
import { syncOptions } from '../transfer/sync-options.ts';
import { startTimeLimit, type TimeLimit } from '../transfer/time-limit.ts';
import { openDestination } from '../transfer/transfer.ts';

/** Runs `bisync` with the two paths of the command line. Rejects with the error that decides the exit code. */
export async function runBisync(invocation: Invocation): Promise<void> {
  const limit = startTimeLimit(invocation);
  try {
    await bisyncWithin(limit, invocation);
  } finally {
    limit.end();
  }
}

async function bisyncWithin(limit: TimeLimit, invocation: Invocation): Promise<void> {
  const { until } = limit;
  const { args, flags, guard } = invocation;
  const [a, b] = [
    await until(openDestination(invocation, args[0] ?? '')),
    await until(openDestination(invocation, args[1] ?? '')),
  ];
  const dir = flags.workdir ?? stateOf(invocation);
  const filter = await invocation.filter();
  const places = [
    ['--workdir', dir],
    ['--backup-dir1', flags['backup-dir1']],
    ['--backup-dir2', flags['backup-dir2']],
  ] as const;
  for (const [what, place] of places)
    await until(refuseInside(invocation, what, place, [a, b], filter));
  const held = await holdPair(dir, [a, b], invocation.context.signal);
  const onlyLooks = flags['check-sync'] === 'only';
  let taken: TakenPlaces | undefined;
  try {
    if (!onlyLooks) {
      taken = await until(
        takePlaces(invocation, { remotes: [a, b], isFile: false }, limit.context),
      );
    }
    const { context, hold } = taken ?? { context: limit.context, hold: (one: Remote) => one };
    const sides = [hold(a), hold(b)] as const;
    const plan = await planOf(invocation, ...sides, await lastArchive(invocation, held));
    const looking = onlyLook(invocation);
    const setup: RunSetup = {
      context,
      filter,
      useServerModTime: flags['use-server-modtime'],
      bandwidth: invocation.bandwidth,
      guard: onlyLooks ? looking.guard : guard,
      control: limit.control,
      checkBuckets: bucketGuard(onlyLooks ? { ...invocation, guard: looking.guard } : invocation),
    };
    const rules = {
      retries: flags.retries,
      sleepMs: flags['retries-sleep'],
      stopping: limit.control?.stopping,
    };
    let { archive } = plan;
    const changes = () => !onlyLooks && !flags['dry-run'] && guard?.plans !== true;
    let returned = 0;
    const run = async () => {
      let conflicts = 0;
      returned = 0;
      await retryRun(context, rules, async () => {
        const attempt = await attemptTwoWay(setup, { ...plan, archive });
        conflicts += attempt.conflicts;
        returned += attempt.returned;
        if (attempt.archive !== undefined && changes()) {
          archive = attempt.archive;
          await held.write(archive);
        }
        return attempt;
      });
      if (guard?.plans !== true && !onlyLooks) tellEnd(context, conflicts);
    };
    if (flags.watch) await watch(invocation, setup, sides, run, () => returned > 0);
    await run();
    if (onlyLooks) looking.finish();
  } finally {
    await taken?.release();
    held.release();
    await Promise.allSettled([a.close(), b.close()]);
  }
}

function tellEnd({ emit }: Context, conflicts: number): void {
  if (conflicts > 0) {
    const text = `${counted(conflicts, 'file')} changed on both sides: ${conflicts === 1 ? 'its' : 'their'} names are above`;
    emit(logText('notice', text));
  }
  emit(logText('info', 'Bisync successful'));
}

/** `--watch`: runs, and again when something changes on one of the sides, until it is stopped. */
async function watch(
  { flags, args, overview }: Invocation,
  { context, filter, control }: RunSetup,
  [a, b]: readonly [Remote, Remote],
  run: () => Promise<void>,
  isRestless: () => boolean,
): Promise<never> {
  if (flags['check-sync'] === 'only')
    throw cannotUse('--watch', '--check-sync only', 'it changes nothing');
  const [{ watchAndRun }, { watchedPair }] = await Promise.all([
    import('../transfer/watch.ts'),
    import('./watch-both.ts'),
  ]);
  const source = watchedPair(context, a, b);
  const [about, delayMs] = [args.join(' and '), flags['watch-delay']];
  const parts = { source, about, overview, control, filter, delayMs, run, isRestless };
  return watchAndRun(context, parts);
}

/** `--check-sync only`: a guard that names every change and allows none; afterwards any is an error. */
function onlyLook({ context }: Invocation): { guard: ChangeGuard; finish(): void } {
  let found = 0;
  return {
    guard: {
      flag: '--dry-run',
      isSilent: true,
      allows(action) {
        const { words, about } = shownAction(action);
        found++;
        context.emit(logText('error', `Out of sync: ${words} is needed`, about));
        return false;
      },
    },
    finish() {
      if (found === 0) return;
      throw new SyncerError(
        'differences',
        `path1 and path2 are out of sync: ${counted(found, 'change')} needed`,
      );
    },
  };
}

function stateOf({ env }: Invocation): string {
  const folder = stateDir(env);
  if (folder !== undefined) return join(folder, 'bisync');
  throw new SyncerError('usage', 'no directory for the state of bisync: set --workdir, or HOME');
}

/** What both sides had after the last run, unless it is to be forgotten. */
async function lastArchive({ flags, context }: Invocation, held: HeldPair): Promise<Archive> {
  const { archive, problem } = await held.read();
  if (flags.resync || flags['resync-mode'] !== undefined) {
    return { ...archive, files: new AgreedFiles(), dirs: new Set() };
  }
  if (problem !== undefined) {
    const text = `What both sides had after the last run is not known: ${problem}. Nothing is deleted in this run.`;
    context.emit(logText('notice', text));
  }
  return archive;
}

async function planOf(
  invocation: Invocation,
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
  return {
    a,
    b,
    archive,
    options: {
      a: await withBackup(invocation, base, flags['backup-dir1']),
      b: await withBackup(invocation, base, flags['backup-dir2']),
    },
    rules: { a: markRules(flags.compare, a, b), b: markRules(flags.compare, b, a) },
    conflict: conflictPlan(flags, mode),
    surprises: {
      force: flags['bisync-force'] || mode !== undefined,
      maxDeletePercent:
        percent === undefined ? undefined : Number(String(percent).replace('%', '')),
      accessFile: flags['check-access'] ? flags['check-filename'] : undefined,
    },
    removesEmptyDirs: flags['remove-empty-dirs'],
  };
}

function conflictPlan(flags: Flags, mode: ConflictPlan['rule'] | undefined): ConflictPlan {
  const [first = 'conflict', second = first] = flags['conflict-suffix'].split(',');
  return {
    rule: mode ?? flags['conflict-resolve'],
    loser: flags['conflict-loser'],
    naming: {
      suffix: { a: first, b: second },
      keepExtension: flags['suffix-keep-extension'],
    },
  };
}

async function withBackup(
  { remotes }: Invocation,
  options: SyncOptions,
  dir: string | undefined,
): Promise<SyncOptions> {
  if (dir === undefined || dir === '') return options;
  const remote = await remotes.openDir(dir);
  const passes = options.passes.filter(({ keepsIn }) => keepsIn === undefined);
  const own = backupPass({ remote, suffix: '', keepExtension: false, keepsEarlier: true });
  return { ...options, passes: [...passes, own] };
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

/** How much of an archive is read at a time, in bytes. */
const PIECE = 256 * 1024;

/** An archive that was read, and why there is none. */
interface ReadArchive {
  readonly archive: Archive;
  /** Absent after a first run, and where all is well. */
  readonly problem?: string;
}

/** The archive of a pair of roots, held by one run at a time. */
interface HeldPair {
  read(): Promise<ReadArchive>;
  /** Replaces the archive atomically. */
  write(archive: Archive): Promise<void>;
  release(): void;
}

/**
 * What identifies a root in every run: the server, bucket or drive and the path, or the real path on a disk and its
 * inode, so that an unmounted disk is not taken for an empty one.
 */
function rootId(remote: Remote): string {
  const { storeId, root, traits } = remote;
  if (!traits.onDisk) return JSON.stringify([storeId ?? remote.title, root]);
  try {
    const real = realpathSync.native(resolve(root));
    return JSON.stringify(['disk', real, String(statSync(real, { bigint: true }).ino)]);
  } catch {
    return JSON.stringify(['disk', resolve(root), 'missing']);
  }
}

/**
 * Holds the pair for this run. Rejects with `locked` if another run has it; one whose process has ended has not.
 *
 * @param dir where archives are
 */
async function holdPair(
  dir: string,
  [a, b]: readonly [Remote, Remote],
  signal: AbortSignal,
): Promise<HeldPair> {
  const roots = [rootId(a), rootId(b)] as const;
  // The path alone finds the archive; the inode in it then shows whether it is the disk that it was made for.
  const places = roots.map((root) => root.replace(/,"\d+"\]$|,"missing"\]$/, ']'));
  const file = resolve(dir, `${hash('sha256', JSON.stringify(places), 'hex').slice(0, 32)}.jsonl`);
  const lock = `${file}.lock`;
  await inState(dir, async () => {
    await makeFolder(dir, 0o700);
    refuseOther(file);
    await takeLock(lock, signal);
  });
  const none = { roots, endedMs: 0, files: new AgreedFiles(), dirs: new Set<string>() };
  return {
    async read() {
      try {
        return { archive: readArchive(textOf(file), roots) };
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return { archive: none };
        return { archive: none, problem: (thrown as Error).message };
      }
    },
    // A root that was missing exists now.
    write: (archive) =>
      inState(dir, () => {
        return replaceText(file, archiveText({ ...archive, roots: [rootId(a), rootId(b)] }));
      }),
    release: () => unlinkSync(lock),
  };
}

/** Throws `config` for what is no file at the path of an archive: it could not be replaced after the run. */
function refuseOther(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== false) return;
  throw new SyncerError('config', `the state of bisync is not a regular file: ${file}`, {
    ...{ path: file, advice: 'delete it: the next run then deletes nothing, and makes a new one' },
  });
}

/** The text of a file, some at a time. Throws Node's errors. */
function* textOf(file: string): Generator<string> {
  const fd = openSync(file, 'r');
  try {
    const decoder = new TextDecoder();
    const bytes = Buffer.allocUnsafe(PIECE);
    for (let length = -1; length !== 0; ) {
      length = readSync(fd, bytes);
      yield decoder.decode(bytes.subarray(0, length), { stream: length > 0 });
    }
  } finally {
    closeSync(fd);
  }
}

/** Takes the lock of an archive, also from a process that has ended. Rejects with `locked`. */
async function takeLock(lock: string, signal: AbortSignal): Promise<void> {
  await withFileLock(
    lock,
    async () => {
      if (hasOwner(await readFile(lock, 'utf8').catch(() => ''))) {
        throw new SyncerError('locked', 'another bisync of these two paths is running', {
          advice: `wait until it has ended; if its machine is gone, delete "${lock}"`,
        });
      }
      await deleteLeftTexts(dirname(lock));
      const { machine, boot } = machineBoot();
      await replaceText(lock, [ownMark(), machine, boot].join(' '));
    },
    signal,
  );
}

/** Whether the process that wrote a lock may still run: one of an earlier boot of this machine does not. */
function hasOwner(text: string): boolean {
  const [mark = '', ofMachine, ofBoot] = text.split(' ');
  const state = mark === '' ? 'dead' : ownerState(mark);
  const { machine, boot } = machineBoot();
  return (
    state === 'alive' || (state === 'elsewhere' && !(ofMachine === machine && ofBoot !== boot))
  );
}

/** Does work in the directory with what bisync knows about pairs, whose errors name it. */
async function inState<T>(dir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const { message, code } = toSyncerError(thrown);
    if (thrown instanceof SyncerError || code !== 'other') throw thrown;
    const text = `cannot keep the state of bisync in "${dir}": ${message}`;
    const advice =
      'make room there and let it be written, or name another directory with --workdir';
    throw new SyncerError('config', text, { path: dir, advice, cause: thrown });
  }
}
