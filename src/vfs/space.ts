import type { About } from '../core/entry-details.ts';
import { hasCode } from '../core/errors.ts';
import { listDir } from '../core/list-dir.ts';
import type { Op, Remote } from '../core/remote.ts';
import { abortable } from '../kit/abort.ts';
import { NAME_LENGTH } from './change/check-name.ts';
import type { Space } from './mount-ops.ts';
import type { VfsParts } from './vfs-parts.ts';

/** The space of a remote that reports none: 1 PiB. */
const UNKNOWN = 2 ** 50;
const BLOCK_SIZE = 4096;
/** The inodes of a remote that does not count its files. */
const FILES = 1e9;

/** The space of a mount for statfs(2), requested from the remote as often as directories are listed. */
export class SpaceOf {
  readonly #vfs: VfsParts;
  #about: Promise<About> | undefined;
  #askedAt = 0;

  constructor(vfs: VfsParts) {
    this.#vfs = vfs;
  }

  /** The space of the remote, as far as it reports it. */
  async read(op: Op): Promise<Space> {
    const { total, used, free } = await abortable(this.#ask(), op.signal);
    const both = used === undefined || free === undefined ? undefined : used + free;
    const all = this.#vfs.options.diskSpaceTotal ?? total ?? both ?? UNKNOWN;
    const known = this.#vfs.options.diskSpaceTotal === undefined ? free : undefined;
    const left = known ?? Math.max(0, all - (used ?? 0));
    const waiting = this.#vfs.contents.state().pendingBytes;
    const rest = Math.max(0, Math.min(all, left) - waiting);
    return { total: all, free: rest, files: FILES, blockSize: BLOCK_SIZE, nameLength: NAME_LENGTH };
  }

  #ask(): Promise<About> {
    const { clock, options, remote, signal, log } = this.#vfs;
    const now = clock.monotonic();
    if (this.#about !== undefined && now - this.#askedAt < options.dirCacheTime) return this.#about;
    this.#askedAt = now;
    const asked = options.usedIsSize
      ? usedBelow(remote, { signal })
      : (remote.can.about?.({ signal }) ?? Promise.resolve({}));
    this.#about = asked.catch((thrown) => {
      if (!hasCode(thrown, 'unsupported')) log('ask-space', '', thrown);
      return {};
    });
    return this.#about;
  }
}

/** The size of all files, from a listing. */
async function usedBelow(remote: Remote, op: Op): Promise<About> {
  const about = (await remote.can.about?.(op)) ?? {};
  const dirs = [''];
  let used = 0;
  for (const dir of dirs) {
    for await (const entries of listDir(remote, dir, op, () => {})) {
      for (const entry of entries) {
        if (entry.kind === 'dir') dirs.push(entry.path);
        else used += Math.max(0, entry.size);
      }
    }
  }
  const { total } = about;
  return total === undefined ? { used } : { total, used, free: Math.max(0, total - used) };
}
