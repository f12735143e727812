import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { innermost } from '../../core/around.ts';
import type { Metadata } from '../../core/entry-details.ts';
import { SyncerError } from '../../core/errors.ts';
import { formatRfc3339NanoUtc, type ModTime, sameModTime } from '../../core/mod-time.ts';
import { foldName } from '../../core/name-order.ts';
import { ancestorsOf, remoteId } from '../../core/place.ts';
import type { Capabilities, FileEntry, Op, Remote } from '../../core/remote.ts';
import { joinPath, leafName, parentPath } from '../../core/remote-path.ts';
import type { Traits } from '../../core/traits.ts';
import { encodingOf, fromStandardPath } from '../../names/name-encoding.ts';
import { loadSetTimes } from '../../system/set-times.ts';
import {
  callAt,
  dirAt,
  entriesIn,
  fileAt,
  type RcloneAccess,
  remotePath,
  statAt,
} from './rclone-access.ts';
import { badAnswer } from './rclone-answers.ts';
import { carryFile, copyFile, newSpoolName, type RcloneSpot } from './rclone-copy.ts';

/** The remotes by their traits, which all layers around a remote share. */
const accessOf = new WeakMap<Traits, RcloneAccess>();

/** Names that rclone's local backend may read as other ones. */
const OTHER_NAMES = /[\p{Cc}\p{Cs}‛\u2400-\u2421\uff01-\uff5e\u2060]/u;

/** What a remote can do besides what all can; what its features lack is absent. */
export function rcloneCapabilities(access: RcloneAccess, traits: Traits): Capabilities {
  const { features, name, type, root, hashes, precision } = access;
  const has = (feature: string) => features[feature] === true;
  accessOf.set(traits, access);
  return {
    // Below its name in the configuration. Another name may be the same account; that a server is this machine is not
    // noticed, as in rclone.
    place: {
      kind: 'rclone',
      store: `rclone ${name}`,
      ...(type === 'combine' && { part: (path) => joinPath(root, path).split('/')[0] ?? '' }),
      async lineage(path) {
        const fold = has('CaseInsensitive') ? foldName : undefined;
        return { ancestors: ancestorsOf(remoteId(name, ''), joinPath(root, path), fold) };
      },
      views: async () => ({
        // These show the files of other remotes, and of this machine, under their names.
        of: /^(?:archive|cache|chunker|combine|compress|hasher|union)$/.test(type)
          ? ['disk', 's3', 'drive', 'rclone']
          : ['rclone'],
        lateMs: 0,
      }),
    },
    details: { read: async (file, op) => fileAt(access, file.path, op) },
    copyFrom: async (from, file, path, op, keep) => {
      const source = spotOf(access, from, file);
      if (source === undefined || keep?.map !== undefined) return undefined;
      const config = keep === undefined ? undefined : { Metadata: true, MetadataSet: keep.set };
      const { size, modTime } = file;
      const target = { fs: access.fs, path: remotePath(access, path) };
      const replaces = op.change?.replaces;
      // One of this remote is the same file elsewhere, and may be deleted then; a move looks at those of others itself.
      const looks = source.fs === access.fs;
      const how = { verb: 'copyfile', size, modTime, config, replaces, looks } as const;
      return copyFile(access, source, target, how, op, path);
    },
    fetch: (file, native, op) => fetch(access, file, native, op),
    ...(hashes.length > 0 && {
      hash: async ({ path }, hash, op) => {
        if (!hashes.includes(hash)) return undefined;
        const input = { hashType: hash };
        const call = { name: 'operations/hashsumfile', path };
        const answer = await callAt(access, call.name, path, op, input, true);
        const { hash: text, hashType } = answer;
        if (typeof text !== 'string' || (hashType !== undefined && hashType !== hash))
          throw badAnswer(call, `it has no ${hash}`);
        return /^[0-9a-f]+$/.test(text) ? text : undefined;
      },
    }),
    ...(precision !== undefined && {
      setModTime: (file, time, op) => setModTime(access, file, time, op),
    }),
    ...((has('DirSetModTime') || has('WriteDirSetModTime')) && {
      setDirModTime: (dir, time, op) => setDirTime(access, dir, time, op),
    }),
    ...(has('ReadDirMetadata') &&
      has('WriteDirMetadata') && {
        readDirMetadata: async (dir, op) => (await dirAt(access, dir.path, op)).metadata ?? {},
        setDirMetadata: (dir, metadata, time, op) => setDirTime(access, dir, time, op, metadata),
      }),
    ...(has('Move') && {
      moveFrom: async (from, file, path, op) => {
        const source = spotOf(access, from, file);
        if (source === undefined || source.fs !== access.fs) return undefined;
        const to = { fs: access.fs, path: remotePath(access, path) };
        if (source.path === to.path) return fileAt(access, path, op);
        const { size, modTime } = file;
        const { replaces } = op.change ?? {};
        const how = { verb: 'movefile', size, modTime, replaces, looks: true } as const;
        return copyFile(access, source, to, how, op, path);
      },
    }),
    ...(has('DirMove') && {
      moveDirFrom: (from, dir, path, op) => moveDir(access, from, dir, path, op),
    }),
    ...(has('Purge') && {
      purge: async (dir, op) => {
        // Some services delete a file in its place, or have nothing to say about a missing one.
        if (remotePath(access, dir) !== '') await dirAt(access, dir, op);
        await callAt(access, 'operations/purge', dir, op);
      },
    }),
    ...(has('About') && {
      about: async ({ signal }) => {
        const how = { signal, reads: true };
        const name = 'operations/about';
        const answer = await access.rclone.call(name, { fs: access.fs }, how);
        const about: Record<string, number> = {};
        for (const key of ['total', 'used', 'free', 'trashed', 'objects']) {
          const value = answer[key];
          if (typeof value === 'number') about[key] = value;
          else if (value != null) throw badAnswer({ name }, `"${key}" is not a number`);
        }
        return about;
      },
    }),
    ...(has('PublicLink') && {
      publicLink: async ({ path }, expireMs, op) => {
        const expire = expireMs === undefined ? {} : { expire: `${Math.ceil(expireMs / 1000)}s` };
        const call = { name: 'operations/publiclink', path };
        const { url } = await callAt(access, call.name, path, op, expire);
        if (typeof url !== 'string' || !URL.canParse(url)) throw badAnswer(call, 'it has no URL');
        return url;
      },
      deleteLink: async ({ path }, op) => {
        await callAt(access, 'operations/publiclink', path, op, { unlink: true });
      },
    }),
    ...(has('SetTier') && {
      setTier: async ({ path }, tier, op) => {
        await callAt(access, 'operations/settierfile', path, op, { tier });
      },
    }),
    ...(has('CleanUp') && {
      cleanUp: async (_maxAgeMs, { signal }) => {
        await access.rclone.call('operations/cleanup', { fs: access.fs + root }, { signal });
      },
    }),
  };
}

/** Where rclone finds a file of another remote; `undefined` if it cannot read it, or not under this name. */
function spotOf({ rclone }: RcloneAccess, from: Remote, file: FileEntry): RcloneSpot | undefined {
  const access = accessOf.get(from.traits);
  if (access !== undefined) {
    if (access.rclone !== rclone) return undefined;
    return { fs: access.fs, path: remotePath(access, file.path) };
  }
  const { root, traits, can } = innermost(from);
  if (can.place?.kind !== 'disk' || traits.linkSuffix !== undefined) return undefined;
  return localSpot(joinPath(resolve(root), file.path));
}

/** A file of this machine; `undefined` for a path that rclone may take for another one. */
function localSpot(native: string): RcloneSpot | undefined {
  if (OTHER_NAMES.test(native)) return undefined;
  // The disk as rclone sees it if links are followed.
  return { fs: ':local,copy_links:/', path: native.slice(1) };
}

/** The file exists, with the rights it is to have: rclone writes into it. */
async function fetch(access: RcloneAccess, { path, size }: FileEntry, native: string, op: Op) {
  const to = localSpot(native);
  if (to === undefined) return false;
  // A server that computes hashes takes longer for that of a small file than for the file.
  const isHashSlow = access.features['SlowHash'] === true && size < 1024 * 1024;
  const config = {
    Inplace: true,
    NoCheckDest: true,
    ...(isHashSlow ? { IgnoreChecksum: true } : {}),
  };
  const from = { fs: access.fs, path: remotePath(access, path) };
  await carryFile(access, from, to, { verb: 'copyfile', size, config, about: path }, op);
  return true;
}

/** By `sync/move`, which renames a directory whole where there is nothing. */
async function moveDir(access: RcloneAccess, from: Remote, dir: string, path: string, op: Op) {
  const other = accessOf.get(from.traits);
  if (other === undefined || other.rclone !== access.rclone || other.fs !== access.fs) return false;
  const [source, target] = [remotePath(other, dir), remotePath(access, path)];
  if (source === '' || target === '' || `${target}/`.startsWith(`${source}/`)) return false;
  if ((await statAt(access, path, op)) !== undefined) {
    throw new SyncerError('already-exists', `${path}: directory already exists`, { path });
  }
  await dirAt(other, dir, op);
  const input = {
    srcFs: access.fs + source,
    dstFs: access.fs + target,
    createEmptySrcDirs: true,
    deleteEmptySrcDirs: true,
  };
  const name = 'sync/move';
  await access.rclone.call(name, input, { signal: op.signal, path: dir });
  const isThere = (await statAt(access, path, op))?.kind === 'dir';
  // If it moves the files one by one, the directory stays.
  const isLeft = (await statAt(other, dir, op)) !== undefined;
  const left = isThere && isLeft ? await entriesIn(other, dir, {}, op) : undefined;
  if (isThere && (left?.entries.length ?? 0) === 0 && left?.failed === undefined) return true;
  throw badAnswer({ name, path: dir }, 'the directory was not moved');
}

/** By the command `touch` of rclone: its remote control has no call for it. */
async function setModTime(access: RcloneAccess, file: FileEntry, time: ModTime, op: Op) {
  const { path } = file;
  // The words of a process are seen by other users, and options may be secrets.
  if (access.fs.includes(',')) {
    const text = `${path}: the time of a file of a connection string cannot be set`;
    throw new SyncerError('unsupported', text, { path });
  }
  const timestamp = formatRfc3339NanoUtc(time).replace(/Z$/, '');
  const where = access.fs + remotePath(access, path);
  const arg = ['--no-create', `--timestamp=${timestamp}`, '--', where];
  const how = { signal: op.signal, path };
  const input = { command: 'touch', arg, returnType: 'COMBINED_OUTPUT' };
  const { error, result } = await access.rclone.call('core/command', input, how);
  const set = await fileAt(access, path, op);
  const isSet = set.modTime !== undefined && sameModTime(set.modTime, time, access.precision || 1n);
  if (isSet) return set;
  const why = error === true ? String(result).trim().split('\n').at(-1) : 'it stays as it was';
  throw new SyncerError('unsupported', `${path}: the time cannot be set: ${why}`, { path });
}

/** Sets time and metadata of a directory by copying an empty one of its name over it: a copy deletes nothing. */
async function setDirTime(
  access: RcloneAccess,
  dir: string,
  time: ModTime,
  op: Op,
  metadata?: Metadata,
): Promise<void> {
  const path = remotePath(access, dir);
  if (path === '') return;
  await dirAt(access, dir, op);
  const { rclone, fs } = access;
  const folder = join(await rclone.folder(), newSpoolName());
  // As rclone reads names of this machine.
  const empty = join(folder, fromStandardPath(encodingOf(['Slash', 'Dot']), leafName(path)));
  try {
    await mkdir(empty, { recursive: true });
    (await loadSetTimes())(empty, time);
    const input = {
      srcFs: folder,
      dstFs: fs + parentPath(path),
      createEmptySrcDirs: true,
      _config: {
        MaxDepth: 1,
        ...(metadata === undefined ? {} : { Metadata: true, MetadataSet: metadata }),
      },
    };
    await rclone.call('sync/copy', input, { signal: op.signal, path: dir });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
