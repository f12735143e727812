import { bodyChunks } from '../../src/core/body.ts';
import type { Context } from '../../src/core/context.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { HashName } from '../../src/core/hash-names.ts';
import { mapAtOnce } from '../../src/core/map-at-once.ts';
import { modTimeToMs } from '../../src/core/mod-time.ts';
import type { Entry, FileEntry, Op, Remote } from '../../src/core/remote.ts';
import { fileAt, type Looking } from '../../src/engine/file-at.ts';
import { contentHasher } from '../../src/hashes/content-hasher.ts';
import type { PlannedChange } from '../../src/run/review/planned-change.ts';
import type { Detail, Replaced, ShownFile } from '../../src/size-tree/browser-effects.ts';

/** How much of a file is shown, in bytes. */
const HEAD_BYTES = 16 * 1024;

/** How metadata is called that files of disks and objects have (rclone's names); others keep theirs. */
const METADATA_NAMES: Readonly<Record<string, string>> = {
  uid: 'user ID',
  gid: 'group ID',
  mode: 'mode',
  mtime: 'modified',
  atime: 'accessed',
  btime: 'created',
  rdev: 'device ID',
  'content-type': 'content type',
  'cache-control': 'cache control',
  'content-encoding': 'content encoding',
  'content-language': 'content language',
  'content-disposition': 'content disposition',
};

/**
 * All details of an entry; `withHashes`: also hashes that cost reading the file. Rejects with `file-not-found`, or with
 * `not-a-file` for links and special files.
 */
export async function entryDetails(
  remote: Remote,
  path: string,
  withHashes: boolean,
  op: Op,
): Promise<readonly Detail[]> {
  const entry = await entryAt(remote, path, op);
  if (entry.kind === 'dir') {
    return present([
      ['kind', entry.isBucket === true ? 'bucket' : 'directory'],
      ['id', entry.id],
    ]);
  }
  const file = (await remote.can.details?.read(entry, op)) ?? entry;
  const time = (ns: bigint | undefined) =>
    ns === undefined ? undefined : new Date(modTimeToMs(ns)).toISOString();
  const known = present([
    ['exact time', time(file.modTime)],
    ['stored', time(file.storedTime)],
    ['storage class', file.tier],
    ['MIME type', file.mimeType],
    ['etag', file.etag],
    ['id', file.id],
  ]);
  const asks = withHashes || !remote.traits.slowHash;
  const { hash, confirmHashes } = remote.can;
  const sure = (asks ? await confirmHashes?.(file, op) : undefined) ?? file;
  const hashes: Detail[] = [];
  for (const name of remote.traits.hashes) {
    const value =
      sure.hashes?.[name] ?? (asks ? await hash?.(sure, name as HashName, op) : undefined);
    if (value !== undefined) hashes.push([name, value]);
  }
  const metadata = Object.entries(file.metadata ?? {}).filter(
    ([name]) => name !== 'mtime' || file.modTime === undefined,
  );
  return [
    ...known,
    ...hashes,
    ...metadata.map(([name, value]): Detail => [METADATA_NAMES[name] ?? `metadata ${name}`, value]),
  ];
}

/** The first bytes of a file. Rejects with `file-not-found` or `not-a-file`. */
export async function fileHead(remote: Remote, path: string, op: Op): Promise<Buffer> {
  const file = await requireFile(remote, path, op);
  const range = file.size > HEAD_BYTES ? { offset: 0, length: HEAD_BYTES } : undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of bodyChunks(await remote.read(file, range, op), op.signal)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= HEAD_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, HEAD_BYTES);
}

/** The SHA-256 of a file, which is read; see `BrowserEffects.contentHash`. */
export async function contentHash(
  { clock }: Pick<Context, 'clock'>,
  remote: Remote,
  { path, size }: { readonly path: string; readonly size: number },
  onBytes: (bytes: number) => void,
  op: Op,
): Promise<string> {
  const file = await requireFile(remote, path, op);
  const changed = () => new SyncerError('source-changed', 'it changed since the scan', { path });
  if (file.size !== size) throw changed();
  const sinceMs = clock.now();
  const hasher = contentHasher(['sha256']);
  let read = 0;
  for await (const chunk of bodyChunks(await remote.read(file, undefined, op), op.signal)) {
    hasher.update(chunk);
    read += chunk.length;
    onBytes(chunk.length);
  }
  if (read !== size) throw changed();
  const hashes = hasher.digest();
  remote.can.noteHashes?.(file, hashes, sinceMs);
  return hashes.sha256 ?? '';
}

async function requireFile(remote: Remote, path: string, op: Op): Promise<FileEntry> {
  const entry = await entryAt(remote, path, op);
  if (entry.kind === 'file') return entry;
  throw new SyncerError('not-a-file', 'this is a directory', { path });
}

async function entryAt(remote: Remote, path: string, op: Op): Promise<Entry> {
  const entry = await remote.stat(path, op);
  if (entry !== undefined) return entry;
  const what = await remote.can.unlistedAt?.(path, op);
  if (what !== undefined) throw new SyncerError('not-a-file', `this is ${what}`, { path });
  throw new SyncerError('file-not-found', 'no longer exists', { path });
}

function present(pairs: readonly (readonly [string, string | undefined])[]): Detail[] {
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as Detail]));
}

/** Size and time of a file. */
export function factsOf({ size, modTime }: Pick<FileEntry, 'size' | 'modTime'>): ShownFile {
  return { bytes: size, timeMs: modTime === undefined ? Number.NaN : modTimeToMs(modTime) };
}

/**
 * The files of a plan that it would replace, with their sizes and times. A time that listings lack is requested.
 * @param pathsOf where a path of the plan is on both sides
 */
export function replacedFacts(
  looking: Looking,
  changes: readonly PlannedChange[],
  [here, there]: readonly [Remote, Remote],
  atOnce: number,
  pathsOf = (path: string): readonly [here: string, there: string] => [path, path],
): Promise<readonly Replaced[]> {
  const facts = async (remote: Remote, path: string, file: Pick<FileEntry, 'size' | 'modTime'>) => {
    const isWhole = file.modTime !== undefined || remote.traits.modTimePrecision === undefined;
    return factsOf(isWhole ? file : ((await fileAt(looking, remote, path)) ?? file));
  };
  const replaced = changes.flatMap(({ path, source, dest }) =>
    source === undefined || dest === undefined ? [] : [{ path, source, dest }],
  );
  return mapAtOnce(replaced, atOnce, async ({ path, source, dest }) => {
    const [from, to] = pathsOf(path);
    const now = await facts(here, from, source);
    return { path, here: now, there: await facts(there, to, dest) };
  });
}
