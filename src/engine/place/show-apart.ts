import { wholeSource } from '../../core/body.ts';
import { type Clock, withGrace } from '../../core/context.ts';
import { absentIf, toSyncerError } from '../../core/errors.ts';
import type { Views } from '../../core/place.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { deleteOne } from '../../core/remote-calls.ts';
import { joinPath, leafName, parentPath } from '../../core/remote-path.ts';
import type { Filter } from '../../filter/filter.ts';
import { newTrialName } from '../../system/only-over.ts';
import { isKeptOut } from './overlap.ts';
import { type CleaningRun, samePlaceError, unknownPlaceError } from './trial-file.ts';

/** A run that makes trials. */
export interface TrialMaker extends CleaningRun {
  readonly context: { readonly clock: Clock };
}

/** A file of a remote, which need not exist. */
export interface FileAt {
  readonly remote: Remote;
  readonly file: Pick<FileEntry, 'path' | 'id'>;
}

/** How often to look for a file that may appear late, in milliseconds. */
const LOOK_EVERY_MS = 500;

/** Time limit for writing and deleting it when the run was interrupted, in milliseconds. */
const GRACE_MS = 5_000;

/**
 * Whether it is known that a deletion at one place does not affect the other: names settle most cases. They do not
 * for remotes that may be one under unknown addresses: a server of this machine, a mount, two hosts.
 */
export async function areApart(one: Remote, other: Remote, op: Op): Promise<boolean> {
  const [a, b] = [one.can.place, other.can.place];
  if (a === undefined || b === undefined) return true;
  if (one === other) return a.part === undefined;
  if (a.store === b.store && a.kind !== 'disk') {
    if (a.part !== undefined) return a.part('') !== '' && a.part('') === b.part?.('');
    if (a.anchor === undefined || b.anchor === undefined) return true;
    return (await a.anchor(op)) === (await b.anchor(op));
  }
  const [from, to] = await Promise.all([a.views(op), b.views(op)]);
  if (!from.of.includes(b.kind) && !to.of.includes(a.kind)) return true;
  if (a.kind !== 'disk' || b.kind !== 'disk') return false;
  // One file system numbers its files itself.
  const tops = (await a.lineage('', op)).ancestors.map(({ id }) => id);
  const { ancestors } = await b.lineage('', op);
  return ancestors.some(({ id }) => /^disk [^:]*:[^:]*:$/.test(id) && tops.includes(id));
}

/**
 * Resolves if the one file stays when the other is deleted, and rejects with `fatal` if not: an empty file is written
 * beside the one and looked for beside the other.
 */
export async function showApart(doomed: FileAt, kept: FileAt, run: TrialMaker): Promise<void> {
  const [from, to] = await viewsOf(doomed.remote, kept.remote, run.op);
  if (from === undefined || to === undefined) return;
  if (!(await showsUp(doomed, from, kept, to, run))) return;
  const dirs = [doomed, kept].map(({ file }) => parentPath(file.path));
  const isOne = doomed.remote === kept.remote;
  throw samePlaceError(doomed.remote, kept.remote, isOne ? dirs : undefined);
}

/**
 * The same for roots of which one may be inside the other, as far as their paths allow that. A source that is missing
 * is not created: it would count as empty. Listing it reports the error.
 *
 * @param made what the run creates if it is missing: a destination
 * @param filter may exclude a part of `a` that is `b`
 */
export async function showNotWithin(
  a: Remote,
  b: Remote,
  made: readonly Remote[],
  filter: Filter,
  run: TrialMaker,
): Promise<void> {
  const { op } = run;
  let apart: Promise<boolean> | undefined;
  const isApart = () => (apart ??= areApart(a, b, op));
  const [pathsOfA, pathsOfB] = await Promise.all([pathsOf(a, op), pathsOf(b, op)]);
  for (const [outer, inner] of [[a, b] as const, [b, a] as const]) {
    const [above, below] = outer === a ? [pathsOfA, pathsOfB] : [pathsOfB, pathsOfA];
    const all = await waysBetween(outer, above, inner, below, op);
    const ways = outer === a ? all.filter(({ way }) => !isKeptOut(filter, way)) : all;
    // A look at a disk costs no request.
    if (ways.length > 0 && !isDisk(outer) && (await isApart())) return;
    const found = await waysInto(outer, ways, op);
    if (found.length === 0) continue;
    if (await isApart()) return;
    const inside = await countAt(inner, '', op);
    const isMade = made.includes(inner);
    if (inside === undefined && !isMade) return;
    // What has entries would be there. A prefix of a store is not created by a trial.
    const mayBeMissing = !inside && (isMade || !isDisk(inner));
    const open = found.filter(({ isThere }) => isThere || mayBeMissing);
    if (open.length === 0) continue;
    await inRoot(inner, inside === undefined, op, async () => {
      for (const { way, isThere } of open) {
        const [within, above] = [fileIn(inner, ''), fileIn(outer, way)];
        if (isThere) await showApart(within, above, run);
        else if (await shows(within, above, 0, run)) throw samePlaceError(inner, outer);
      }
    });
  }
}

/** Makes trials in a root, which is created if it is missing, and deleted if they fail. */
async function inRoot(root: Remote, isMissing: boolean, op: Op, trials: () => Promise<void>) {
  if (isMissing) await root.makeDir('', op);
  try {
    await trials();
  } catch (thrown) {
    if (isMissing) await root.deleteDir('', op).catch(() => undefined);
    throw thrown;
  }
}

/**
 * Rejects with `fatal` if a backup directory is the source or in it, under another name: a backup would replace its
 * files. Called before the first backup, which creates a missing directory anyway.
 *
 * @param filter may exclude a part of the source that is the backup
 */
export async function showBackupApart(
  backup: Remote,
  source: Remote,
  filter: Filter,
  run: TrialMaker,
): Promise<void> {
  const { op } = run;
  if (await areApart(backup, source, op)) return;
  await showNotWithin(source, backup, [backup], filter, run);
  const isMissing = isDisk(backup) && (await countAt(backup, '', op)) === undefined;
  await inRoot(backup, isMissing, op, async () => {
    const [there, here] = [fileIn(backup, ''), fileIn(source, '')];
    if (!isDisk(source) || !(await differsByDirectory(backup, source, op)))
      return showApart(there, here, run);
    // What a store has written is on a disk at once, unless that is a mount: nothing is written to the source.
    const isShown = await shows(there, here, 0, run).catch((thrown) => {
      op.signal.throwIfAborted();
      throw unknownPlaceError(backup, source, thrown);
    });
    if (isShown) throw samePlaceError(backup, source);
  });
}

/** The ways that exist in a root, or may be missing there. */
async function waysInto(outer: Remote, ways: readonly Way[], op: Op) {
  const found: { readonly way: string; readonly isThere: boolean }[] = [];
  for (const { way, isNamed } of ways) {
    // Names of buckets that are not the user's own.
    const count = await countAt(outer, way, op).catch(absentIf('access-denied'));
    if (count !== undefined || isNamed) found.push({ way, isThere: count !== undefined });
  }
  return found;
}

/** The number of entries of a directory, on its first page; `undefined` if it is missing, or a file is in its way. */
async function countAt(remote: Remote, dir: string, op: Op): Promise<number | undefined> {
  const absent = absentIf('bucket-not-found', 'directory-not-found', 'not-a-directory');
  const page = await remote.listPage(dir, undefined, op).catch(absent);
  return page?.entries.length;
}

/** A path that an inner root may have in an outer one. */
interface Way {
  readonly way: string;
  /** It may be missing there: the outer one's name is in the inner one's path, or its beginning is there. */
  readonly isNamed: boolean;
}

/**
 * What follows the outer one's own name in the path of the inner one, or anything at its end if the outer one has no
 * name; and the whole path in a store, which may show the outer one, a disk's directory.
 */
async function waysBetween(
  outer: Remote,
  above: readonly string[],
  inner: Remote,
  below: readonly string[],
  op: Op,
): Promise<readonly Way[]> {
  const names = above.map(leafName);
  const isNameless = names.includes('');
  const isWhole = isDisk(outer) && !isDisk(inner);
  const ways = new Map<string, boolean>();
  for (const path of below) {
    const segments = path.split('/').filter((segment) => segment !== '');
    const [top = ''] = segments;
    const startsThere = isWhole && top !== '' && (await countAt(outer, top, op)) !== undefined;
    segments.forEach((_, at) => {
      const follows = names.includes(segments[at - 1] ?? '/');
      const isTop = isWhole && at === 0;
      const isNamed = follows || (isTop && startsThere);
      const way = segments.slice(at).join('/');
      if (isNamed || isNameless || isTop) ways.set(way, isNamed || ways.get(way) === true);
    });
  }
  return [...ways].map(([way, isNamed]) => ({ way, isNamed }));
}

/** The paths of a root: as it was given, and on a disk without links and in its file system. */
async function pathsOf({ root, can }: Remote, op: Op): Promise<readonly string[]> {
  const given = root.replace(/\/+$/, '');
  if (can.place?.kind !== 'disk') return [given];
  const rests = (await can.place.lineage('', op)).ancestors.map(({ rest }) => rest);
  const whole = rests.filter((rest) => !rests.some((other) => other.endsWith(`/${rest}`)));
  return [given, ...whole.filter((path) => path !== '')];
}

function fileIn(remote: Remote, dir: string): FileAt {
  return { remote, file: { path: joinPath(dir, 'any') } };
}

async function viewsOf(a: Remote, b: Remote, op: Op): Promise<readonly Views[]> {
  const views: Promise<Views>[] = [];
  for (const { can } of [a, b]) if (can.place !== undefined) views.push(can.place.views(op));
  return Promise.all(views);
}

/**
 * Whether a trial in one directory is not valid for others: a server of a directory may show only a part of it, a link
 * may lead elsewhere, and so do the parts of a store. Not if a trial takes seconds.
 */
export async function differsByDirectory(a: Remote, b: Remote, op: Op): Promise<boolean> {
  const combines = (remote: Remote) => !isDisk(remote) && remote.can.place?.part?.('') === '';
  if (combines(a) || combines(b)) return true;
  if (a !== b && isDisk(a) === isDisk(b)) return false;
  return (await viewsOf(a, b, op)).every(({ lateMs }) => lateMs === 0);
}

/** Whether a file written at one place appears at the other, too. */
async function showsUp(
  doomed: FileAt,
  from: Views,
  kept: FileAt,
  to: Views,
  run: TrialMaker,
): Promise<boolean> {
  const lateMs = Math.max(from.lateMs, to.lateMs);
  // A mount sees changes as late as it sends them; and a disk costs no request.
  const isFirst =
    from.lateMs > to.lateMs || (lateMs === 0 && isDisk(doomed.remote) && !isDisk(kept.remote));
  const [written, seen] = isFirst ? [doomed, kept] : [kept, doomed];
  let failure: unknown;
  const tries = async (one: FileAt, other: FileAt) =>
    shows(one, other, lateMs, run).catch((thrown) => {
      run.op.signal.throwIfAborted();
      failure ??= thrown;
      return undefined;
    });
  const there = await tries(written, seen);
  if (there === true) return true;
  // Which of two paths of one disk is in a mount is not known here.
  const isOne = doomed.remote === kept.remote;
  const isSure = isOne ? !isDisk(kept.remote) : isDisk(doomed.remote) === isDisk(kept.remote);
  if ((lateMs > 0 && !isOne) || (there === false && isSure)) {
    if (there === undefined) throw unknownPlaceError(doomed.remote, kept.remote, failure);
    return false;
  }
  // A server that caches its listings does not see a new file beside it; the file that it writes is on disk.
  const back = await tries(seen, written);
  if (there === undefined && back === undefined)
    throw unknownPlaceError(doomed.remote, kept.remote, failure);
  return back === true;
}

const isDisk = ({ can }: Remote): boolean => can.place?.kind === 'disk';

async function shows(
  { remote, file }: FileAt,
  seen: FileAt,
  lateMs: number,
  run: TrialMaker,
): Promise<boolean> {
  const { op } = run;
  const { clock } = run.context;
  const name = newTrialName();
  const dir = parentPath(file.path);
  const there = joinPath(parentPath(seen.file.path), name);
  const source = wholeSource({ path: joinPath(dir, name) }, Buffer.alloc(0));
  // Started work is finished and cleaned up if the run ends in between.
  const brought = <T>(work: (op: Op) => Promise<T>) =>
    withGrace(op.signal, GRACE_MS, (signal) => work({ signal }));
  const trial = await brought((inner) => remote.write(source, inner));
  try {
    const last = clock.monotonic() + lateMs;
    for (;;) {
      if ((await seen.remote.stat(there, op)) !== undefined) return true;
      if (clock.monotonic() >= last) return false;
      await clock.sleep(LOOK_EVERY_MS, op.signal);
    }
  } finally {
    // That it stays changes nothing about what was seen.
    await brought((inner) => deleteOne(remote, trial, inner)).catch((thrown) => {
      run.log('notice', trial.path, 'partial-kept', { why: toSyncerError(thrown) });
    });
  }
}
