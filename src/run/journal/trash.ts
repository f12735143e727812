import { innermost } from '../../core/around.ts';
import type { ReplacedOnly, TrashUse } from '../../core/change-details.ts';
import { absentIf, hasCode, SyncerError } from '../../core/errors.ts';
import { OWN_NAMES } from '../../core/own-names.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { confirmedEmpty, deleteOne, listDir } from '../../core/remote-calls.ts';
import { joinPath, leafName, parentPath } from '../../core/remote-path.ts';
import { CLOCK_PROOF_MS, hasBegunBefore, isRunId, provenTimeMs } from '../../core/run-id.ts';
import { isStillListed } from '../../core/same-content.ts';
import { deleteUnchanged } from '../../system/only-over.ts';
import type { KeptFile } from './journal-line.ts';

/** What a trash needs of its run. */
export interface TrashPlan {
  readonly use: TrashUse;
  /** The directory of the trash (`--trash-dir`); absent: `.syncer-trash` below the root of each remote. */
  readonly into?: Remote;
  readonly runId: string;
  /** How long what earlier runs left stays, in milliseconds (infinite: always), and the time, since the epoch. */
  readonly term: { readonly keepMs: number; readonly nowMs: number };
  /** Called once, before the first file: the trash of the remote is new. */
  readonly onCreate: (remote: Remote) => void;
  /** Called after that of an earlier run was deleted, with the number of its files. */
  readonly onEmptied: (runId: string, files: number) => Promise<unknown>;
}

/**
 * Keeps deleted and replaced files of one remote (`--trash`): in a directory of its own, by a rename or a server-side
 * copy, unless the server keeps them itself.
 */
export class Trash {
  readonly #remote: Remote;
  readonly #plan: TrashPlan;
  readonly #target: Remote;
  readonly #taken = new Set<string>();
  #isReady: Promise<void> | undefined;

  constructor(remote: Remote, plan: TrashPlan) {
    this.#remote = remote;
    this.#plan = plan;
    this.#target = plan.into ?? remote;
  }

  get isOn(): boolean {
    return this.#plan.use.isOn;
  }

  /** Where a file will be; `undefined` if its server keeps it. */
  async placeFor(
    { path }: FileEntry,
    why: 'deleted' | 'replaced',
    op: Op,
  ): Promise<Extract<KeptFile, { in: 'trash' }> | undefined> {
    if (await this.serverKeeps(why, op)) return undefined;
    this.#isReady ??= this.#prepare(op);
    await this.#isReady;
    const { into, runId } = this.#plan;
    const { traits, root } = this.#remote;
    // In an account of buckets each has a trash of its own.
    const slash = traits.bucketBased && root === '' ? path.indexOf('/') : -1;
    const [bucket, rest] = slash < 0 ? ['', path] : [path.slice(0, slash), path.slice(slash + 1)];
    const wanted =
      into === undefined
        ? [bucket, OWN_NAMES.trash, runId, rest].filter((part) => part !== '').join('/')
        : joinPath(runId, path);
    let free = wanted;
    for (let n = 2; this.#taken.has(free); n++) free = `${wanted}~${n}`;
    this.#taken.add(free);
    return { in: 'trash', path: free };
  }

  async serverKeeps(why: 'deleted' | 'replaced', op: Op): Promise<boolean> {
    return (await this.#remote.can.restoring?.keeps(op))?.[why] === true;
  }

  /**
   * Keeps a file that is about to be replaced, at the path `keep`, and does the work with what may be replaced then
   * (`ChangeDetails.replacesOnly`); without it for anything, because it is not kept here. If the work fails and the file
   * is certainly still in place, the trash does not keep it.
   */
  async replacing<T>(
    file: FileEntry | 'nothing' | 'unknown',
    keep: string | undefined,
    op: Op,
    work: (op: Op) => Promise<T>,
  ): Promise<T> {
    const over = (replacesOnly: ReplacedOnly<FileEntry>) => ({
      ...op,
      change: { ...op.change, replacesOnly },
    });
    if (file === 'unknown') return work(op);
    if (file === 'nothing')
      return work((await this.serverKeeps('replaced', op)) ? op : over({ file }));
    if (keep === undefined) return work(op);
    const remote = this.#remote;
    const only = { file, stamp: remote.can.stamp?.(file) };
    await this.keepCopy(file, keep, op);
    try {
      const result = await work(over(only));
      if (result === undefined) await this.dropCopy(keep, op);
      return result;
    } catch (thrown) {
      if (remote.traits.onDisk || hasCode(thrown, ...REFUSED)) {
        const found = await remote.stat(file.path, op).catch(() => undefined);
        const isListed = found?.kind === 'file' && isStillListed(file, found);
        if (isListed && remote.can.stamp?.(found)?.tag === only.stamp?.tag)
          await this.dropCopy(keep, op);
      }
      throw thrown;
    }
  }

  /** Keeps a file that is about to be replaced, which stays in place. Rejects if it cannot. */
  async keepCopy(file: FileEntry, path: string, op: Op): Promise<void> {
    const { linkFrom } = this.#target.can;
    if (linkFrom !== undefined && (await linkFrom(this.#remote, file, path, op))) return;
    await this.#copyIn(file, path, op);
  }

  /** Deletes a copy that is not needed: its file stays. If that fails, the copy stays too. Rejects only if aborted. */
  async dropCopy(path: string, op: Op): Promise<void> {
    try {
      const copy = await this.#target.stat(path, op);
      if (copy?.kind === 'file') await deleteOne(this.#target, copy, op);
      this.#taken.delete(path);
    } catch {
      op.signal.throwIfAborted();
    }
  }

  /** Moves a file into the trash. Rejects if it cannot; the file then stays. */
  async moveIn(file: FileEntry, path: string, op: Op): Promise<void> {
    const moved = await this.#target.can.moveFrom?.(this.#remote, file, path, op);
    if (moved !== undefined) return;
    await this.#copyIn(file, path, op);
    try {
      await deleteUnchanged(this.#remote, file, op);
    } catch (thrown) {
      if (hasCode(thrown, 'source-changed')) await this.dropCopy(path, op);
      throw thrown;
    }
  }

  async #copyIn(file: FileEntry, path: string, op: Op): Promise<void> {
    const copied = await this.#target.can.copyFrom?.(this.#remote, file, path, op, { set: {} });
    const copy = copied ?? (await this.#copyBytes(file, path, op));
    if (copy === undefined) {
      const text = `cannot keep ${file.path} in ${this.#target.title}: they are on different servers`;
      const advice = 'choose a --trash-dir on the same one';
      throw new SyncerError('unsupported', text, { path: file.path, advice });
    }
    const isSizeless = file.size < 0 || (file.size === 0 && copied === undefined);
    if (isSizeless || copy.size === file.size) return;
    const text = `cannot keep ${file.path} in the trash: the copy has ${copy.size} bytes, not ${file.size}`;
    throw new SyncerError('corrupted', text, { path: file.path });
  }

  /** A link that is shown as a file, or a file with content although its size is 0; `undefined` for others. */
  async #copyBytes(listed: FileEntry, path: string, op: Op): Promise<FileEntry | undefined> {
    const suffix = this.#remote.traits.linkSuffix;
    const isLink = suffix !== undefined && listed.path.endsWith(suffix);
    const file = await confirmedEmpty(this.#remote, listed, op);
    if (!isLink && file === listed) return undefined;
    const { size, modTime } = file;
    const source = {
      path,
      size: size < 0 ? undefined : size,
      ...(modTime === undefined ? {} : { modTime }),
    };
    const open = () => this.#remote.read(file, undefined, op);
    return this.#target.write({ ...source, seekable: false, open }, op);
  }

  /**
   * Before the first file: reports a new trash. Deletes for good what runs left in an old one that began too long ago, as
   * far as later ones prove that.
   */
  async #prepare(op: Op): Promise<void> {
    const { into, onCreate, onEmptied, term } = this.#plan;
    const dir = into === undefined ? OWN_NAMES.trash : '';
    const { title, traits } = this.#target;
    const there = await this.#target.stat(dir, op);
    if (there?.kind === 'file' && traits.emptyDirs) {
      const text = `cannot keep files in ${dir} of ${title}: a file of that name is there`;
      const advice = 'rename it, or name another directory with --trash-dir';
      throw new SyncerError('not-a-directory', text, { path: dir, advice });
    }
    if (there === undefined) {
      if (into === undefined) onCreate(this.#remote);
      return;
    }
    const runs = await trashedRuns(this.#target, dir, op);
    const ids = runs.map(({ id }) => id);
    const { keepMs, nowMs } = term;
    const sinceMs = keepMs < CLOCK_PROOF_MS ? nowMs : provenTimeMs(ids, nowMs);
    for (const run of runs) {
      if (!hasBegunBefore(run.id, sinceMs - keepMs)) continue;
      const files = await countFiles(this.#target, run.dir, op);
      await this.#target.can.purge?.(run.dir, op);
      await onEmptied(run.id, files);
    }
  }
}

/** The runs with files in a trash, and their directories, in any order; other entries are ignored. */
export async function trashedRuns(remote: Remote, dir: string, op: Op) {
  const found: { readonly id: string; readonly dir: string }[] = [];
  const fail = ({ error }: { readonly error: Error }) => {
    throw error;
  };
  try {
    for await (const page of listDir(remote, dir, op, fail)) {
      for (const { kind, path } of page) {
        const id = leafName(path);
        if (kind === 'dir' && isRunId(id)) found.push({ id, dir: path });
      }
    }
  } catch (thrown) {
    if (!hasCode(thrown, 'directory-not-found', 'bucket-not-found')) throw thrown;
  }
  return found;
}

async function countFiles(remote: Remote, dir: string, op: Op): Promise<number> {
  let files = 0;
  for await (const page of listDir(remote, dir, op, () => {}))
    for (const { kind, path } of page)
      files += kind === 'file' ? 1 : await countFiles(remote, path, op);
  return files;
}

/**
 * Deletes a directory of a trash and those above it, as far as they are empty; one that cannot be deleted stays. Not in
 * the journal: nothing was in them, and the directory that the trash is in keeps its time.
 */
export async function deleteEmptyDirs(trash: Remote, dir: string, op: Op): Promise<void> {
  if (!trash.traits.emptyDirs) return;
  const remote = innermost(trash);
  try {
    for (let at = dir; at !== ''; at = parentPath(at)) {
      const above = leafName(at) === OWN_NAMES.trash ? parentPath(at) : undefined;
      const before = above === undefined ? undefined : await remote.stat(above, op);
      await remote.deleteDir(at, op).catch(absentIf('directory-not-found'));
      const time = before?.kind === 'dir' ? before.modTime : undefined;
      if (time !== undefined) await remote.can.setDirModTime?.(above ?? '', time, op);
    }
  } catch {
    op.signal.throwIfAborted();
  }
}

/** After these errors no request is under way that could still replace the file. */
const REFUSED = [
  ...(['unreadable', 'source-changed', 'vanished', 'file-not-found', 'not-a-file'] as const),
  ...([
    'access-denied',
    'archived',
    'read-only',
    'no-space',
    'quota-exceeded',
    'unsupported',
  ] as const),
  ...(['name-invalid', 'name-too-long', 'too-large'] as const),
];
