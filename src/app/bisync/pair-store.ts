import { hash, randomUUID } from 'node:crypto';
import {
  linkSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import { makeFolder, replaceText } from '../../files/make-folder.ts';
import { ownerState, ownMark } from '../../kit/owner-state.ts';
import { type Archive, archiveLines, parseArchive } from '../../two-way/archive.ts';

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
export async function holdPair(dir: string, a: Remote, b: Remote): Promise<HeldPair> {
  const roots = [rootId(a), rootId(b)] as const;
  await makeFolder(dir, 0o700);
  // The path alone finds the archive; the inode in it then shows whether it is the disk that it was made for.
  const places = roots.map((root) => root.replace(/,"\d+"\]$|,"missing"\]$/, ']'));
  const file = resolve(dir, `${hash('sha256', JSON.stringify(places), 'hex').slice(0, 32)}.jsonl`);
  const lock = `${file}.lock`;
  takeLock(lock);
  const none = { roots, endedMs: 0, files: new Map(), dirs: new Set<string>() };
  return {
    async read() {
      let text: string;
      try {
        text = await readFile(file, 'utf8');
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return { archive: none };
        return { archive: none, problem: (thrown as Error).message };
      }
      try {
        return { archive: parseArchive(text, roots) };
      } catch (thrown) {
        return { archive: none, problem: (thrown as Error).message };
      }
    },
    // A root that was missing exists now.
    write: (archive) =>
      replaceText(file, [...archiveLines({ ...archive, roots: [rootId(a), rootId(b)] })].join('')),
    release: () => unlinkSync(lock),
  };
}

/** Takes a lock file, also from a process that has ended. Throws `locked`. */
function takeLock(lock: string): void {
  const own = `${lock}-${randomUUID()}`;
  writeFileSync(own, ownMark(), { flag: 'wx', mode: 0o600 });
  try {
    for (let tries = 0; tries < 3; tries++) {
      try {
        linkSync(own, lock);
        return;
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
      }
      const mark = readMark(lock);
      if (mark !== undefined && ownerState(mark) !== 'dead') break;
      if (mark !== undefined) putAside(lock, mark);
    }
  } finally {
    unlinkSync(own);
  }
  throw new SyncerError('locked', 'another bisync of these two paths is running', {
    advice: 'wait until it has ended',
  });
}

function readMark(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8');
  } catch {
    return undefined;
  }
}

/** Removes the lock of a dead process, unless another run has replaced it at this moment. */
function putAside(lock: string, mark: string): void {
  const aside = `${lock}-${randomUUID()}`;
  try {
    renameSync(lock, aside);
  } catch {
    return;
  }
  try {
    if (readMark(aside) !== mark) linkSync(aside, lock);
  } catch {
    // A third run holds it now.
  }
  unlinkSync(aside);
}
