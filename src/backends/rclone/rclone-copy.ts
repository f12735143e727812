import type { Op } from '../../core/remote.ts';
import { type RcloneAccess, remotePath } from './rclone-access.ts';

/** From this size on the progress of a copy is asked for, in bytes. */
const LARGE = 8 * 1024 * 1024;

/** How often, in milliseconds. */
const PROGRESS_MS = 250;

/** A file as rclone gets it. */
export interface RcloneSpot {
  readonly fs: string;
  readonly path: string;
}

/** How `copyFile` copies. */
interface CopyHow {
  readonly verb: 'copyfile' | 'movefile';
  /** Of the file, in bytes. */
  readonly size: number;
  readonly config?: Readonly<Record<string, unknown>>;
}

let groups = 0;

/** The last of the writes to each path, by remote and path: rclone takes two at once for a damaged one. */
const writing = new Map<string, Promise<unknown>>();

/** Writes to one path one after another. */
export async function inTurn<T>({ fs, path }: RcloneSpot, write: () => Promise<T>): Promise<T> {
  const key = `${fs}\0${path}`;
  const before = writing.get(key);
  const own = before === undefined ? write() : before.then(write, write);
  const settled = own.catch(() => undefined);
  writing.set(key, settled);
  try {
    return await own;
  } finally {
    if (writing.get(key) === settled) writing.delete(key);
  }
}

/** Copies or moves a file from anywhere that rclone can read to anywhere it can write; rclone proves the copy. */
export async function copyFile(
  { rclone, copyConfig }: RcloneAccess,
  from: RcloneSpot,
  to: RcloneSpot,
  how: CopyHow,
  op: Op,
): Promise<void> {
  const { onCopied } = op;
  const group = how.size >= LARGE && onCopied !== undefined ? `syncer${++groups}` : undefined;
  const input = {
    srcFs: from.fs,
    srcRemote: from.path,
    dstFs: to.fs,
    dstRemote: to.path,
    _config: { ...copyConfig, ...how.config },
    ...(group === undefined ? {} : { _group: group }),
  };
  const call = rclone.call(`operations/${how.verb}`, input, { signal: op.signal, path: to.path });
  if (group === undefined || onCopied === undefined) {
    await call;
    return;
  }
  let told = 0;
  const timer = setInterval(() => void ask(), PROGRESS_MS);
  const ask = async () => {
    const stats = await rclone
      .call('core/stats', { group, short: true }, { signal: op.signal })
      .catch(() => undefined);
    const bytes = Math.min(Number(stats?.['bytes'] ?? 0), how.size);
    if (bytes > told) onCopied(bytes - told);
    told = Math.max(told, bytes);
  };
  try {
    await call;
  } finally {
    clearInterval(timer);
    rclone.call('core/stats-delete', { group }, { signal: op.signal }).catch(() => undefined);
  }
}

/** Copies a file of the remote to somewhere else that rclone can write. */
export function copyWithin(
  access: RcloneAccess,
  path: string,
  to: RcloneSpot,
  op: Op,
): Promise<void> {
  const from = { fs: access.fs, path: remotePath(access, path) };
  return copyFile(access, from, to, { verb: 'copyfile', size: 0 }, op);
}
