import { absentIf, SyncerError } from '../../core/errors.ts';
import { ownEntry, ownText } from '../../core/own-text.ts';
import type { FileEntry, Remote } from '../../core/remote.ts';
import { dirsAbove, joinPath, leafName, parentPath } from '../../core/remote-path.ts';
import { changesNow } from '../consent.ts';
import type { Run } from '../run.ts';
import { bucketOf, hasBuckets } from '../without-bucket.ts';
import { type FileAt, showApart } from './places.ts';

/** A sync that is about to delete extra files. */
interface Deleting {
  /** `copy`: of two ways, which deletes only what both sides had. */
  readonly verb: 'copy' | 'move' | 'sync';
  readonly run: Run;
  readonly source: Remote;
  readonly dest: Remote;
}

/** Number of directories of the source kept to recognise it. */
const MOST_DIRECTORIES = 1000;

/**
 * Files of the source, one of each directory: that with the longest name, which is the least likely to exist
 * elsewhere. And how many files both sides have.
 */
export class KnownFiles {
  readonly #files = new Map<string, FileEntry>();

  /** The first segments of the paths of the source. */
  readonly tops = new Set<string>();

  #source = 0;
  #dest = 0;

  /** Considers files; those of a directory come one after another. */
  add(files: readonly { readonly source?: FileEntry; readonly dest?: FileEntry }[]): void {
    let longest: FileEntry | undefined;
    let prefix = '';
    for (let at = 0; at < files.length; at++) {
      const { source, dest } = files[at] as (typeof files)[number];
      if (source !== undefined) this.#source++;
      if (dest !== undefined) this.#dest++;
      if (source === undefined) continue;
      const { path } = source;
      const isBeside = path.startsWith(prefix) && path.lastIndexOf('/') === prefix.length - 1;
      if (!isBeside) {
        if (longest !== undefined) this.#note(longest);
        longest = undefined;
        prefix = path.slice(0, path.lastIndexOf('/') + 1);
      }
      if (path.length > (longest?.path.length ?? 0)) longest = source;
    }
    if (longest !== undefined) this.#note(longest);
  }

  #note(longest: FileEntry): void {
    const dir = parentPath(longest.path);
    const top = bucketOf(longest.path);
    if (!this.tops.has(top)) this.tops.add(ownText(top));
    const known = this.#files.get(dir);
    if (known === undefined && this.#files.size >= MOST_DIRECTORIES) return;
    if (longest.path.length > (known?.path.length ?? 0)) {
      this.#files.set(ownText(dir), ownEntry(longest));
    }
  }

  /** All files that were considered. */
  get counts(): { readonly sourceFiles: number; readonly destFiles: number } {
    return { sourceFiles: this.#source, destFiles: this.#dest };
  }

  get all(): FileEntry[] {
    return [...this.#files.values()];
  }
}

/**
 * Prevents a sync from deleting what it has just written, and what is in its own source, into which a link, a mount or a
 * shortcut leads from the destination: rejects for such a file.
 */
export function spareOwnSource({
  run,
  source,
  dest,
}: Deleting): (file: FileEntry) => Promise<void> {
  return async ({ path }) => {
    // A run may just have written it, or left it as it is.
    const other = dest.can.naming?.otherSpelling(path);
    if (other !== undefined) {
      const text = `not deleted: at the destination it is the same file as "${other}", which differs only in case or Unicode form`;
      throw new SyncerError('already-exists', text, { path });
    }
    const dir = parentPath(path);
    if ((await run.places.wayInto(source, dest, dir)) === undefined) return;
    const message = `not deleted because it is in the source: "${dir}" leads into "${source.title}"`;
    throw new SyncerError('no-retry', message, { path });
  };
}

/**
 * Called once before the first deletion: whether it may begin. Counts an error if the source appears among the files to
 * delete, or if one of both sides shows the other further below, as a server of a directory above does.
 *
 * @param doomed the files that will be deleted
 * @param known files of the source
 */
export async function isSourceApart(
  work: Deleting,
  doomed: readonly FileEntry[],
  known: KnownFiles,
): Promise<boolean> {
  const { run } = work;
  if (doomed.length === 0 || !changesNow(run.consent)) return true;
  try {
    await showSourceApart(work, doomed, known.all);
    return true;
  } catch (thrown) {
    run.fail(thrown, undefined, 'delete');
    return false;
  }
}

/** Rejects if the source appears among the files to delete. */
async function showSourceApart(
  { verb, run, source, dest }: Deleting,
  doomed: readonly FileEntry[],
  files: readonly FileEntry[],
): Promise<void> {
  if (await run.places.areApart(dest, source)) return;
  const byName = Map.groupBy(files, ({ path }) => leafName(path));
  const tried = new Set<string>();
  const show = async (doomed: FileAt['file'], kept: FileAt['file']) => {
    const dirs = `${parentPath(doomed.path)}\0${parentPath(kept.path)}`;
    if (tried.has(dirs)) return;
    tried.add(dirs);
    const pair = [
      { remote: dest, file: doomed },
      { remote: source, file: kept },
    ] as const;
    await showApart(...pair, run);
  };
  // Where a disk has what its server hides, or a filter excludes all, no name shows that they are one.
  const mayHide = verb === 'sync' && source.traits.onDisk !== dest.traits.onDisk;
  if (files.length === 0 || mayHide) {
    const top = await topOfBoth({ run, source, dest }, [...doomed, ...files]);
    const file = { path: joinPath(top ?? '', 'any') };
    if (top !== undefined) await show(file, file);
  }
  if (files.length === 0 && !hasBuckets(source)) {
    const dirs = new Set(doomed.flatMap(({ path }) => dirsAbove(path)));
    for (const dir of [...dirs].slice(0, MOST_DIRECTORIES)) {
      await show({ path: joinPath(dir, 'any') }, { path: 'any' });
    }
  }
  // A directory that the destination lacks is none of the source, and a trial would leave it behind.
  const isThere = async (dir: string) =>
    dir === '' || !dest.traits.emptyDirs || (await dest.stat(dir, run.op)) !== undefined;
  if (run.filter.deleteExcluded) {
    for (const file of files) if (await isThere(parentPath(file.path))) await show(file, file);
  }
  for (const file of doomed) {
    for (const kept of byName.get(leafName(file.path)) ?? []) {
      if (file.size !== kept.size) continue;
      const mayBeOne = file.path.endsWith(`/${kept.path}`) || kept.path.endsWith(`/${file.path}`);
      if (!mayBeOne) continue;
      // What is known to be in the source is kept anyway, and the rest is deleted.
      const way = await run.places.wayInto(source, dest, parentPath(file.path));
      if (way === undefined) await show(file, kept);
    }
  }
}

/** The root; if one of them holds buckets, the first of some files that both have, or `undefined`. */
async function topOfBoth(
  { run, source, dest }: Omit<Deleting, 'verb'>,
  files: readonly FileEntry[],
): Promise<string | undefined> {
  if (!hasBuckets(source) && !hasBuckets(dest)) return '';
  const isIn = async (remote: Remote, bucket: string) => {
    // Some keys may not look at buckets of others.
    const found = await remote.stat(bucket, run.op).catch(absentIf('access-denied'));
    return found?.kind === 'dir';
  };
  for (const bucket of new Set(files.map(({ path }) => bucketOf(path)))) {
    if (bucket === '') continue;
    if ((await isIn(source, bucket)) && (await isIn(dest, bucket))) return bucket;
  }
  return undefined;
}
