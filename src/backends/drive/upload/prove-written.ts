import { SyncerError } from '../../../core/errors.ts';
import type { Hashes } from '../../../core/hash-names.ts';
import type { FileEntry, WriteSource } from '../../../core/remote.ts';
import { REPLACING } from '../change/restore-file.ts';
import { CLOCKS_MS } from '../client/graph-client.ts';
import { badAnswer, hasStatus, saysMissing } from '../client/graph-request.ts';
import type { Drive } from '../drive-store.ts';
import { differs, findItem, wantedAt } from '../items/get-item.ts';
import { type GraphItem, type ItemAddress, isSameTime } from '../items/graph-item.ts';
import { isRewritten, timeOf } from '../items/item-entry.ts';
import { addressOf, onlyIfSame, tellFile } from '../items/tell-entry.ts';

/** A file that was sent, and its target. */
export interface SentContent {
  readonly source: WriteSource;
  readonly size: number;
  readonly hashes: Hashes;
  /** Its name in a folder. */
  readonly address: ItemAddress;
  /** The service says that the name had another content. */
  readonly isReplacing?: boolean;
  /** When the service got the last byte, by its own clock; set if the time of the file was not sent as well. */
  readonly untimedMs?: number;
}

/** The uploaded file, by the response or read once. Rejects with `corrupted` and its `wrong`, or `bad-answer`. */
export async function proveWritten(
  drive: Drive,
  told: GraphItem,
  sent: SentContent,
): Promise<FileEntry> {
  const { source, address } = sent;
  const { path } = source;
  const wrong = differs(told, wantedAt(address)) ?? (await wrongContent(drive, told, sent));
  if (wrong === undefined) return tellWritten(drive, told, sent);
  const item = await findItem(drive, address, path);
  if (item !== undefined && (await isProven(drive, item, sent))) {
    return tellFile(drive, item, path);
  }
  const wrongItem = item && (await wrongContent(drive, item, sent));
  if (item === undefined || wrongItem === undefined || !isOfThisUpload(item, told, sent)) {
    throw badAnswer({ doing: 'write', about: path }, `the response is inconsistent: ${wrong}`);
  }
  const found = await tellFile(drive, item, path);
  const version = sent.isReplacing === true ? { version: REPLACING } : {};
  throw new SyncerError('corrupted', `corrupted on transfer: ${wrongItem}`, {
    path,
    wrong: { ...found, ...drive.client.toldAt(), ...version },
  });
}

/** The file in a response that was accepted; marked if it differs from what was sent. */
export async function tellWritten(
  drive: Drive,
  item: GraphItem,
  { source, size, hashes }: SentContent,
): Promise<FileEntry> {
  const there = await tellFile(drive, item, source.path);
  const isOther = there.size !== size || wrongHash(there, hashes) !== undefined;
  return isOther ? { ...there, isRewritten: true } : there;
}

/** Whether an item is the sent file, by a hash: the previous file may have the same size. */
export async function isProven(drive: Drive, item: GraphItem, sent: SentContent): Promise<boolean> {
  const there = await tellFile(drive, item, sent.source.path);
  if (item.file === undefined || there.size !== sent.size) return false;
  const isHashed = Object.keys(there.hashes ?? {}).some((name) => name in sent.hashes);
  return (isHashed || sent.size === 0) && wrongHash(there, sent.hashes) === undefined;
}

/** How the content differs from what was sent, if that shows and matters: SharePoint changes Office files. */
export async function wrongContent(
  drive: Drive,
  item: GraphItem,
  { source, size, hashes }: SentContent,
): Promise<string | undefined> {
  if (item.file === undefined && item.size === undefined) return 'it is not a file';
  if (isRewritten(source.path, (await drive.known()).type)) return undefined;
  const there = await tellFile(drive, item, source.path);
  const { mayDiffer } = drive.store;
  if (!mayDiffer.size && there.size !== size) return `sizes differ ${size} vs ${there.size}`;
  return mayDiffer.checksum ? undefined : wrongHash(there, hashes);
}

/** How a hash of the service differs; a missing one does not. */
function wrongHash(there: FileEntry, hashes: Hashes): string | undefined {
  for (const [name, found] of Object.entries(there.hashes ?? {})) {
    const sent = hashes[name as keyof Hashes];
    if (sent !== undefined && sent !== found) return `${name} hash differ "${sent}" vs "${found}"`;
  }
  return undefined;
}

/** Whether an item is the one in the response, unchanged since, and written just now. */
function isOfThisUpload(item: GraphItem, told: GraphItem, { source, untimedMs }: SentContent) {
  if (item.id !== told.id || item.eTag === undefined || item.eTag !== told.eTag) return false;
  if (untimedMs !== undefined) {
    return Date.parse(item.lastModifiedDateTime ?? '') >= untimedMs - CLOCKS_MS;
  }
  return source.modTime !== undefined && isSameTime(timeOf(item), source.modTime);
}

/** What a request to write requires of the file that is there. */
export interface WriteCondition {
  /** `fail`: none may be there. */
  readonly conflict: 'replace' | 'fail';
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Writes at an address, or in the file that `source.replaces` names if it is still as listed. The service also gives a
 * file another ETag without touching its content: if the tag of the content proves that, the write is tried again.
 */
export async function writeIfUnchanged(
  drive: Drive,
  source: WriteSource,
  address: ItemAddress,
  write: (address: ItemAddress, condition: WriteCondition) => Promise<FileEntry>,
): Promise<FileEntry> {
  const { replaces, path, seekable } = source;
  if (typeof replaces !== 'object') {
    const conflict = replaces === 'nothing' ? 'fail' : 'replace';
    return write(address, { conflict, headers: {} });
  }
  if (replaces.etag === undefined) {
    throw new SyncerError('unsupported', `cannot write ${path} only if it is unchanged: no ETag`);
  }
  const item = await addressOf(drive, replaces);
  const change = (headers: WriteCondition['headers']) =>
    write(item, { conflict: 'replace', headers });
  if (!seekable) return change({ 'if-match': replaces.etag });
  // By the tag of the content: hashes of other content may be equal.
  return onlyIfSame(
    drive,
    replaces,
    change,
    (then, now) => then.contentTag !== undefined && then.contentTag === now.contentTag,
  );
}

/** The error of a write whose condition does not hold; otherwise what was thrown. */
export function conditionFailed({ replaces, path }: WriteSource, thrown: unknown): unknown {
  const isFailed =
    replaces === 'nothing' ? hasStatus(thrown, 409) : hasStatus(thrown, 412) || saysMissing(thrown);
  if (replaces === undefined || !isFailed) return thrown;
  const what = replaces === 'nothing' ? 'another file is there' : 'it was changed or deleted';
  const text = `cannot write ${path}: ${what}`;
  return new SyncerError('precondition-failed', text, { path, cause: thrown });
}
