import { hash } from 'node:crypto';
import { closeSync, openSync, readSync, realpathSync, statSync, unlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { withFileLock } from '../../config/file-lock.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { deleteLeftTexts, replaceText } from '../../files/replace-text.ts';
import { machineBoot, ownerState, ownMark } from '../../kit/owner-state.ts';
import { AgreedFiles } from '../../two-way/agreed-files.ts';
import { type Archive, archiveText, readArchive } from '../../two-way/archive.ts';

/** How much of an archive is read at a time, in bytes. */
const PIECE = 256 * 1024;

/** An archive that was read, and why there is none. */
export interface ReadArchive {
  readonly archive: Archive;
  /** Absent after a first run, and where all is well. */
  readonly problem?: string;
}

/** The archive of a pair of roots, held by one run at a time. */
export interface HeldPair {
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
export async function holdPair(
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
