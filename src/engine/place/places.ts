import { wholeSource } from '../../core/body.ts';
import { type Clock, withGrace } from '../../core/context.ts';
import { absentIf, SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Views } from '../../core/place.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { deleteOne } from '../../core/remote-calls.ts';
import { areAlike, foldPath, joinPath, leafName, parentPath } from '../../core/remote-path.ts';
import type { Filter } from '../../filter/filter.ts';
import { newTrialName } from '../../system/owner-state.ts';
import { isKeptOut, type Overlap, overlap, overlapAt } from './overlap.ts';
import type { CleaningRun } from './trial-file.ts';

/** A run that makes trials. */
export interface TrialMaker extends CleaningRun {
  readonly context: { readonly clock: Clock };
}

/** A file of a remote, which need not exist. */
export interface FileAt {
  readonly remote: Remote;
  readonly file: Pick<FileEntry, 'path' | 'id'>;
}

/** Number of directories whose trial results are remembered. */
const MOST_TRIALS = 1000;

/** How often to look for a file that may appear late, in milliseconds. */
const LOOK_EVERY_MS = 500;

/** Time limit for writing and deleting it when the run was interrupted, in milliseconds. */
const GRACE_MS = 5_000;

/** What is known of two remotes, in this order. */
interface Pair {
  overlap?: Promise<Overlap>;
  /** See `wayInto`: by directory of the second one. */
  readonly ways: Map<string, Promise<string | undefined>>;
  areApart?: Promise<boolean>;
  /** `areApart` has resolved to true. */
  isApart?: true;
  differsByDirectory?: Promise<boolean>;
  /**
   * By directories of both sides, or if it is valid for all of them by the parts of one remote: a trial, or its result
   * that they are two.
   */
  readonly trials: Map<string, Promise<void> | true>;
  backup?: Promise<void>;
}

/** What a run has learned about the places of its remotes: determined once, on first use. */
export class Places {
  readonly #run: TrialMaker;
  readonly #pairs = new Map<Remote, Map<Remote, Pair>>();

  constructor(run: TrialMaker) {
    this.#run = run;
  }

  #pair(a: Remote, b: Remote): Pair {
    const ofFirst = this.#pairs.get(a) ?? new Map<Remote, Pair>();
    this.#pairs.set(a, ofFirst);
    const pair = ofFirst.get(b) ?? { ways: new Map(), trials: new Map() };
    ofFirst.set(b, pair);
    return pair;
  }

  /** Adopts what is known already about the roots. */
  know(source: Remote, dest: Remote, roots: Overlap): void {
    this.#pair(source, dest).overlap ??= Promise.resolve(roots);
  }

  overlap(source: Remote, dest: Remote): Promise<Overlap> {
    const pair = this.#pair(source, dest);
    pair.overlap ??= overlap(source, dest, this.#run.op);
    return pair.overlap;
  }

  /**
   * The path in `source` that a link, a mount or a shortcut in another remote leads to, for a directory of that;
   * `undefined` if none does.
   */
  async wayInto(source: Remote, remote: Remote, dir: string): Promise<string | undefined> {
    if (remote.can.place?.leadsAway?.(dir) !== true) return undefined;
    const { ways } = this.#pair(source, remote);
    const find = async () => {
      if ((await this.overlap(source, remote)).how === 'dest-in-source') return undefined;
      const { how, way } = await overlapAt(source, remote, dir, this.#run.op);
      return how === 'same' || how === 'dest-in-source' ? way : undefined;
    };
    const found = ways.get(dir) ?? find();
    ways.set(dir, found);
    return found;
  }

  /** Whether two paths of one remote are one file. */
  isOneName(remote: Remote, path: string, other: string): Promise<boolean> {
    return this.isSameFile({ remote, file: { path } }, { remote, file: { path: other } });
  }

  /** Whether two paths are one file: by their roots, by a shortcut, or on disk. */
  async isSameFile(a: FileAt, b: FileAt): Promise<boolean> {
    const { how, way } = await this.overlap(a.remote, b.remote);
    const outer = how === 'source-in-dest' ? b.remote : a.remote;
    const from = how === 'source-in-dest' ? joinPath(way, a.file.path) : a.file.path;
    const to = how === 'dest-in-source' ? joinPath(way, b.file.path) : b.file.path;
    if (how !== 'apart' && foldPath(outer, from) === foldPath(outer, to)) return true;
    const [place, other] = [a.remote.can.place, b.remote.can.place];
    const { id } = a.file;
    if (id !== undefined && id === b.file.id && place?.store === other?.store) return true;
    const there = other?.fileId?.(b.file.path);
    if (there === undefined) return false;
    return there === place?.fileId?.(a.file.path) || areSpellings(a, b);
  }

  /** Whether it is known, without a trial, that a deletion at one place does not affect the other. */
  areApart(a: Remote, b: Remote): Promise<boolean> {
    const pair = this.#pair(a, b);
    pair.areApart ??= areApart(a, b, this.#run.op).then((apart) => {
      if (apart) pair.isApart = true;
      return apart;
    });
    return pair.areApart;
  }

  /**
   * Called before a file is deleted because another one has its content: rejects with `fatal` if the two places turn
   * out to be one, or that cannot be determined. `undefined` if it is already known that they are not.
   */
  showApart(doomed: FileAt, kept: FileAt): Promise<void> | undefined {
    const [a, b] = [doomed.remote, kept.remote];
    const { isApart, trials } = this.#pair(a, b);
    if (isApart) return undefined;
    const parts = a === b ? [doomed, kept].map(({ file }) => a.can.place?.part?.(file.path)) : [];
    if (a === b && parts[0] === parts[1]) return undefined;
    const dirs = `${parentPath(doomed.file.path)}\0${parentPath(kept.file.path)}`;
    const everywhere = parts.join('\0');
    const isShown = trials.get(dirs) === true || trials.get(everywhere) === true;
    return isShown ? undefined : this.#showOnce(doomed, kept, dirs, everywhere);
  }

  async #showOnce(doomed: FileAt, kept: FileAt, dirs: string, everywhere: string): Promise<void> {
    const [a, b] = [doomed.remote, kept.remote];
    if (await this.areApart(a, b)) return;
    const pair = this.#pair(a, b);
    pair.differsByDirectory ??= differsByDirectory(a, b, this.#run.op);
    const where = (await pair.differsByDirectory) ? dirs : everywhere;
    const { trials } = pair;
    const begun = trials.get(where);
    if (begun === true) return;
    if (begun !== undefined) return begun;
    if (trials.size >= MOST_TRIALS) trials.clear();
    const shown = showApart(doomed, kept, this.#run).then(() => {
      trials.set(where, true);
    });
    trials.set(where, shown);
    return shown;
  }

  /**
   * Rejects with `fatal` if a backup directory is the source or in it, under another name: a backup would replace its
   * files. Called before the first backup, which creates a missing directory anyway.
   *
   * @param filter may exclude a part of the source that is the backup
   */
  showBackupApart(backup: Remote, source: Remote, filter: Filter): Promise<void> {
    const pair = this.#pair(backup, source);
    pair.backup ??= showBackupApart(backup, source, filter, this.#run);
    return pair.backup;
  }
}

/** Whether two files of one directory of a disk are one whose name has several spellings there. */
function areSpellings(a: FileAt, b: FileAt): boolean {
  const [name, other] = [leafName(a.file.path), leafName(b.file.path)];
  if (name === other || !areAlike(name, other)) return false;
  const dirs = [a, b].map(({ remote, file }) => remote.can.place?.fileId?.(parentPath(file.path)));
  if (dirs[0] === undefined || dirs[0] !== dirs[1]) return false;
  return b.remote.can.naming?.areOne(parentPath(b.file.path), name, other, false) === true;
}

/**
 * Whether it is known that a deletion at one place does not affect the other: names settle most cases. They do not
 * for remotes that may be one under unknown addresses: a server of this machine, a mount, two hosts.
 */
async function areApart(one: Remote, other: Remote, op: Op): Promise<boolean> {
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
 * Whether a trial in one directory is not valid for others: a server of a directory may show only a part of it, a link
 * may lead elsewhere, and so do the parts of a store. Not if a trial takes seconds.
 */
async function differsByDirectory(a: Remote, b: Remote, op: Op): Promise<boolean> {
  for (const remote of [a, b]) {
    // It combines several.
    if (!isDisk(remote) && remote.can.place?.part?.('') === '') return true;
  }
  if (a !== b && isDisk(a) === isDisk(b)) return false;
  const [from, to] = await Promise.all([a.can.place?.views(op), b.can.place?.views(op)]);
  return (from?.lateMs ?? 0) === 0 && (to?.lateMs ?? 0) === 0;
}

const isDisk = ({ can }: Remote): boolean => can.place?.kind === 'disk';

/** See `Places.showBackupApart`. */
async function showBackupApart(
  backup: Remote,
  source: Remote,
  filter: Filter,
  run: TrialMaker,
): Promise<void> {
  const { op } = run;
  if (await areApart(backup, source, op)) return;
  await showNotWithin(source, backup, [backup], filter, run, false);
  const isMissing = isDisk(backup) && (await countAt(backup, '', op)) === undefined;
  await inRoot(backup, isMissing, op, async () => {
    const there = { remote: backup, file: { path: 'any' } };
    const here = { remote: source, file: { path: 'any' } };
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

/**
 * Rejects with `fatal` if one of two roots may be inside the other, as far as their paths allow that, and a trial shows
 * it. A source that is missing is not created: it would count as empty. Listing it reports the error.
 *
 * @param made what the run creates if it is missing: a destination
 * @param filter may exclude a part of `a` that is `b`
 * @param known what `areApart` says of them
 */
export async function showNotWithin(
  a: Remote,
  b: Remote,
  made: readonly Remote[],
  filter: Filter,
  run: TrialMaker,
  known?: boolean,
): Promise<void> {
  const { op } = run;
  let apart = known;
  const [pathsOfA, pathsOfB] = await Promise.all([pathsOf(a, op), pathsOf(b, op)]);
  for (const [outer, inner] of [[a, b] as const, [b, a] as const]) {
    const [above, below] = outer === a ? [pathsOfA, pathsOfB] : [pathsOfB, pathsOfA];
    const ways = await waysBetween(outer, above, inner, below, op);
    for (const way of ways.keys()) {
      if (outer === a && isKeptOut(filter, way)) ways.delete(way);
    }
    // A look at a disk costs no request.
    if (ways.size > 0 && !isDisk(outer)) apart ??= await areApart(a, b, op);
    if (apart) return;
    const found: { readonly way: string; readonly isThere: boolean }[] = [];
    for (const [way, isNamed] of ways) {
      // Names of buckets that are not the user's own.
      const count = await countAt(outer, way, op).catch(absentIf('access-denied'));
      if (count !== undefined || isNamed) found.push({ way, isThere: count !== undefined });
    }
    if (found.length === 0) continue;
    apart ??= await areApart(a, b, op);
    if (apart) return;
    const inside = await countAt(inner, '', op);
    const isMade = made.includes(inner);
    if (inside === undefined && !isMade) return;
    // What has entries would be there. A prefix of a store is not created by a trial.
    const mayBeMissing = !inside && (isMade || !isDisk(inner));
    const open = found.filter(({ isThere }) => isThere || mayBeMissing);
    if (open.length === 0) continue;
    await inRoot(inner, inside === undefined, op, async () => {
      const within = { remote: inner, file: { path: 'any' } };
      for (const { way, isThere } of open) {
        const there = { remote: outer, file: { path: joinPath(way, 'any') } };
        if (isThere) await showApart(within, there, run);
        else if (await shows(within, there, 0, run)) throw samePlaceError(inner, outer);
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

/** The number of entries of a directory, on its first page; `undefined` if it is missing, or a file is in its way. */
async function countAt(remote: Remote, dir: string, op: Op): Promise<number | undefined> {
  const absent = absentIf('bucket-not-found', 'directory-not-found', 'not-a-directory');
  const page = await remote.listPage(dir, undefined, op).catch(absent);
  return page?.entries.length;
}

/**
 * Paths that an inner root may have in an outer one, and whether it may be missing there: what follows the outer one's
 * own name in the path of the inner one, or anything at its end if the outer one has no name; and the whole path in a
 * store, which may show the outer one, a disk's directory, if its beginning is there.
 */
async function waysBetween(
  outer: Remote,
  above: readonly string[],
  inner: Remote,
  below: readonly string[],
  op: Op,
): Promise<Map<string, boolean>> {
  const names = above.map(leafName);
  const isNameless = names.includes('');
  const isWhole = isDisk(outer) && !isDisk(inner);
  const ways = new Map<string, boolean>();
  for (const path of below) {
    const segments = path.split('/').filter(Boolean);
    const [top] = segments;
    const startsThere =
      isWhole && top !== undefined && (await countAt(outer, top, op)) !== undefined;
    for (let at = 0; at < segments.length; at++) {
      const isNamed = at === 0 ? startsThere : names.includes(segments[at - 1] as string);
      const way = segments.slice(at).join('/');
      if (isNamed || isNameless) ways.set(way, isNamed || ways.get(way) === true);
    }
  }
  return ways;
}

/** The paths of a root: as it was given, and on a disk without links and in its file system. */
async function pathsOf({ root, can }: Remote, op: Op): Promise<readonly string[]> {
  const paths = [root.replace(/\/+$/, '')];
  if (can.place?.kind !== 'disk') return paths;
  const { ancestors } = await can.place.lineage('', op);
  for (const { rest } of ancestors) {
    const end = `/${rest}`;
    if (rest !== '' && !ancestors.some((other) => other.rest.endsWith(end))) paths.push(rest);
  }
  return paths;
}

/**
 * Resolves if the one file stays when the other is deleted, and rejects with `fatal` if not: an empty file is written
 * beside the one and looked for beside the other.
 */
export async function showApart(doomed: FileAt, kept: FileAt, run: TrialMaker): Promise<void> {
  const [a, b] = [doomed.remote, kept.remote];
  const [from, to] = await Promise.all([a.can.place?.views(run.op), b.can.place?.views(run.op)]);
  if (from === undefined || to === undefined) return;
  if (!(await showsUp(doomed, from, kept, to, run))) return;
  const dirs = [doomed, kept].map(({ file }) => parentPath(file.path));
  throw samePlaceError(a, b, a === b ? dirs : undefined);
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

/** Whether an empty file that is written beside one file appears beside the other. Deletes it again. */
async function shows(
  { remote, file }: FileAt,
  seen: FileAt,
  lateMs: number,
  run: TrialMaker,
): Promise<boolean> {
  const { op } = run;
  const { clock } = run.context;
  const name = newTrialName();
  const path = joinPath(parentPath(file.path), name);
  const there = joinPath(parentPath(seen.file.path), name);
  const source = wholeSource({ path }, Buffer.alloc(0));
  // Started work is finished and cleaned up if the run ends in between.
  const trial = await withGrace(op.signal, GRACE_MS, (signal) => remote.write(source, { signal }));
  try {
    const last = clock.monotonic() + lateMs;
    for (;;) {
      if ((await seen.remote.stat(there, op)) !== undefined) return true;
      if (clock.monotonic() >= last) return false;
      await clock.sleep(LOOK_EVERY_MS, op.signal);
    }
  } finally {
    try {
      await withGrace(op.signal, GRACE_MS, (signal) => deleteOne(remote, trial, { signal }));
    } catch (thrown) {
      // That it stays changes nothing about what was seen.
      run.log('notice', trial.path, 'partial-kept', { why: toSyncerError(thrown) });
    }
  }
}

/**
 * The error of two places that are one.
 *
 * @param dirs in two directories of one remote
 */
function samePlaceError(a: Remote, b: Remote, dirs?: readonly string[]): SyncerError {
  const [one, other] = dirs ?? [a.title, b.title];
  const of = dirs === undefined ? '' : ` of "${a.title}"`;
  return new SyncerError(
    'fatal',
    `"${one}" and "${other}"${of} show the same files under two names: nothing is deleted, as it may be the only copy`,
  );
}

/** The error of a trial that failed. */
function unknownPlaceError(a: Remote, b: Remote, thrown: unknown): SyncerError {
  const { message, path } = toSyncerError(thrown);
  const where = path === undefined ? '' : ` (${path})`;
  const text = `can't find out whether "${a.title}" and "${b.title}" are one place: ${message}${where}`;
  const advice = 'nothing is deleted before that is known; copy deletes nothing';
  return new SyncerError('fatal', text, { advice, cause: thrown });
}
