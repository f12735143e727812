import type { About } from '../../core/entry-details.ts';
import { SyncerError } from '../../core/errors.ts';
import type { DirEntry, Entry, FileEntry } from '../../core/remote.ts';
import { parentPath } from '../../core/remote-path.ts';
import { checkConditions } from '../conditions.ts';
import { etagOf, type FileCall, header, hrefOf, lastModified, readTarget } from '../files/call.ts';
import { HttpError } from '../http-error.ts';
import type { DeadProperties } from './dead-properties.ts';
import type { DavChange, LockTable } from './lock-table.ts';
import { DAV, davDocument, element } from './xml-tree.ts';

export interface DavCall extends FileCall {
  readonly locks: LockTable;
  readonly properties: DeadProperties;
  /** When the server started: the time of what has none, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** The space of the remote, which is asked once; `undefined` if it does not say. */
  readonly about: () => Promise<About | undefined>;
}

/** The path that a URL of this server names; `undefined` for a URL of another one. Throws `HttpError` 400. */
export function pathOfUrl({ request, options }: FileCall, url: string): string | undefined {
  const [, host] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  if (host !== undefined && host.toLowerCase() !== request.headers.host?.toLowerCase())
    return undefined;
  if (host === undefined && !url.startsWith('/')) return undefined;
  return readTarget(url, options.base).path;
}

/** The `Depth` of a request, by default `infinity`. Throws `HttpError` 400 for others than `allowed`. */
export function depthOf<D extends string>(call: FileCall, ...allowed: readonly D[]): D {
  const given = header(call, 'depth')?.toLowerCase() ?? 'infinity';
  const depth = allowed.find((one) => one === given);
  if (depth === undefined) throw new HttpError(400, 'Bad Request: invalid Depth');
  return depth;
}

/** The entry of a request. Rejects with `HttpError` 404 if it is missing, or a file and the URL ends with a slash. */
export async function foundEntry({ tree, path, isDir, op }: FileCall): Promise<Entry> {
  const entry = await tree.find(path, op);
  if (entry === undefined || (isDir && entry.kind === 'file'))
    throw new HttpError(404, 'Not Found');
  return entry;
}

/** What clients see of a directory. Rejects if some of it cannot be listed. */
export async function entriesOf({ tree, op }: FileCall, dir: DirEntry): Promise<readonly Entry[]> {
  const { entries, failed } = await tree.list(dir.path, op);
  if (failed[0] !== undefined) throw listingFault(failed[0].path, failed[0].error);
  return entries;
}

/** Whether a request may make its changes. Rejects with `HttpError`: 412 by its `If` header, 423 by locks. */
export async function checkChanges(call: DavCall, changes: readonly DavChange[]): Promise<void> {
  const lists = ifLists(call);
  if (lists.length > 0 && !(await holdsOne(call, lists))) {
    throw new HttpError(412, 'Precondition Failed');
  }
  const tokens = submittedTokens(lists);
  for (const change of changes) {
    const locked = call.locks.forbidden(change, call.user, tokens);
    if (locked === undefined) continue;
    const href = element(DAV, 'href', hrefOf(call.options.base, locked, false));
    const xml = davDocument('error', element(DAV, 'lock-token-submitted', href));
    throw new HttpError(423, 'Locked', { xml });
  }
}

/** Rejects with `HttpError` 412 if `If-Match` and the like are not met by what is at the path of the request. */
export function checkPreconditions({ request, tree }: FileCall, entry: Entry | undefined): void {
  const validators = {
    exists: entry !== undefined,
    etag: entry?.kind === 'file' ? etagOf(entry, tree.options) : undefined,
    modified: entry && lastModified(entry, tree.options),
  };
  if (checkConditions(request.headers, validators, false) !== 'proceed')
    throw new HttpError(412, 'Precondition Failed');
}

/** The lists of the `If` header; none without one. */
export function ifLists(call: FileCall): readonly IfList[] {
  const text = header(call, 'if');
  return text === undefined ? [] : readIf(text);
}

/** The lock tokens in an `If` header. */
export function submittedTokens(lists: readonly IfList[]): ReadonlySet<string> {
  return new Set(lists.flatMap(({ conditions }) => conditions.flatMap(({ token }) => token ?? [])));
}

async function holdsOne(call: DavCall, lists: readonly IfList[]): Promise<boolean> {
  for (const { tag, conditions } of lists) {
    const path = tag === undefined ? call.path : pathOfUrl(call, tag);
    if (path === undefined) continue;
    let holds = true;
    for (const { isNot, token, etag } of conditions) {
      let isMet = token !== undefined && call.locks.find(token, path) !== undefined;
      if (etag !== undefined) {
        const entry = await call.tree.find(path, call.op);
        isMet = entry?.kind === 'file' && etagOf(entry, call.tree.options) === etag;
      }
      holds &&= isMet !== isNot;
    }
    if (holds) return true;
  }
  return false;
}

/**
 * Whether something new may be created at a path. Rejects with `HttpError`: 409 if the directory above is missing or a
 * link is in the way, 403 if filters hide the name.
 */
export async function checkNewName({ tree, op }: FileCall, path: string): Promise<void> {
  const parent = await tree.find(parentPath(path), op);
  if (parent?.kind !== 'dir')
    throw new HttpError(409, 'Conflict: the directory above does not exist');
  const { isShown } = tree.options;
  const file: FileEntry = { kind: 'file', path, size: 0 };
  const isHidden =
    isShown !== undefined && (!isShown(file) || (await tree.remote.stat(path, op)) !== undefined);
  if (isHidden) throw new HttpError(403, 'Forbidden: filters exclude this name');
  const unlisted = await tree.remote.can.unlistedAt?.(path, op);
  if (unlisted !== undefined) throw new HttpError(409, `Conflict: there is ${unlisted}`);
}

/** The error for a remote that failed in the middle of a listing. */
export function listingFault(path: string, cause: Error): SyncerError {
  return new SyncerError('bad-answer', `${path}: ${cause.message}`, { path, cause });
}

/** Conditions that must all hold, for the resource of the request or of a tag. */
interface IfList {
  /** A URL; `undefined`: that of the request. */
  readonly tag: string | undefined;
  /** Each a lock token or an ETag with its quotes. */
  readonly conditions: ReturnType<typeof readConditions>;
}

/** Reads an `If` header (RFC 4918, section 10.4). Throws `HttpError` 400. */
export function readIf(text: string): readonly IfList[] {
  const lists: IfList[] = [];
  let tag: string | undefined;
  let rest = text.trim();
  while (rest !== '') {
    const tagged = /^<([^>]*)>\s*/.exec(rest);
    if (tagged !== null) {
      tag = tagged[1] ?? '';
      rest = rest.slice(tagged[0].length);
    }
    const list = /^\(((?:[^()"<]|"[^"]*"|<[^>]*>)*)\)\s*/.exec(rest);
    if (list === null) throw new HttpError(400, 'Bad Request: invalid If header');
    lists.push({ tag, conditions: readConditions(list[1] ?? '') });
    rest = rest.slice(list[0].length);
  }
  if (lists.length === 0) throw new HttpError(400, 'Bad Request: invalid If header');
  return lists;
}

function readConditions(text: string) {
  const conditions: { isNot: boolean; token: string | undefined; etag: string | undefined }[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const [whole, not, token, etag] =
      /^(Not\s+|Not(?=[<[]))?(?:<([^>]*)>|\[((?:W\/)?"[^"]*")\])\s*/i.exec(rest) ?? [];
    if (whole === undefined) throw new HttpError(400, 'Bad Request: invalid If header');
    conditions.push({ isNot: not !== undefined, token, etag });
    rest = rest.slice(whole.length);
  }
  if (conditions.length === 0) throw new HttpError(400, 'Bad Request: invalid If header');
  return conditions;
}
