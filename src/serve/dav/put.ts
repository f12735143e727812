import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Hashes } from '../../core/hash-names.ts';
import { modTimeFromMs, parseDecimalSeconds } from '../../core/mod-time.ts';
import type { Body, FileEntry, WriteSource } from '../../core/remote.ts';
import { etagOf, type FileCall, header, respond } from '../files/call.ts';
import { targetEntry } from '../files/served-links.ts';
import { HttpError } from '../http-error.ts';
import { checkChanges, checkNewName, checkPreconditions, type DavCall } from './dav-call.ts';

/** Bodies up to this size, in bytes, are kept in memory: a failed upload of them can be repeated. */
const KEPT = 1024 * 1024;

/** Responds to PUT: the file is replaced when the whole body has arrived and is verified; until then it stays. */
export async function put(call: DavCall): Promise<void> {
  const { tree, path, op } = call;
  if (header(call, 'content-range') !== undefined) {
    throw new HttpError(400, 'Bad Request: PUT of a part of a file is not supported');
  }
  const existing = await findReplaced(call);
  const target = existing?.path ?? path;
  let isNew = existing === undefined;
  const check = async () => {
    const now = await findReplaced(call);
    isNew = now === undefined;
    if ((now?.path ?? path) !== target)
      throw new HttpError(409, 'Conflict: the name leads to another file by now');
  };
  const { noModTime } = tree.options;
  const given = noModTime ? undefined : parseDecimalSeconds(header(call, 'x-oc-mtime') ?? '');
  const { clock } = call.run.context;
  // ETags of disks are made of times: two writes in one millisecond must differ.
  const modTime = given ?? modTimeFromMs(clock.now() + (clock.monotonic() % 1));
  const hashes = requestChecksums((name) => header(call, name));
  const source: WriteSource = {
    path: target,
    ...(noModTime ? {} : { modTime }),
    ...(Object.keys(hashes).length > 0 && { hashes }),
    ...(await bodyOf(call)),
  };
  const { 'if-match': match, 'if-none-match': noneMatch } = call.request.headers;
  const isConditional = match !== undefined || noneMatch !== undefined;
  // With a condition, only what it was about is replaced.
  const only = isConditional ? (existing ?? 'nothing') : undefined;
  const written = await writeInTurn(call, source, only, check);
  const isKept = given !== undefined && tree.remote.traits.modTimePrecision !== undefined;
  const etag = etagOf(await tree.detailed(written, op), tree.options);
  respond(call, isNew ? 201 : 204, {
    ...(etag === undefined ? {} : { etag }),
    ...(isKept ? { 'x-oc-mtime': 'accepted' } : {}),
  });
}

/**
 * The file that a PUT replaces; `undefined` if it creates one. Rejects with `HttpError` if it may do neither: asked
 * before the body, and again when that has arrived.
 */
async function findReplaced(call: DavCall): Promise<FileEntry | undefined> {
  const { tree, path, isDir, op } = call;
  const found = await tree.find(path, op);
  const existing = found && targetEntry(found);
  if (existing?.kind === 'dir' || isDir)
    throw new HttpError(405, 'Method Not Allowed: a directory');
  checkPreconditions(call, existing);
  const isNew = existing === undefined;
  await checkChanges(call, [{ path: existing?.path ?? path, names: isNew }]);
  if (isNew) await checkNewName(call, path);
  return existing;
}

async function bodyOf(call: DavCall): Promise<Pick<WriteSource, 'size' | 'seekable' | 'open'>> {
  const length = header(call, 'content-length');
  const isChunked = header(call, 'transfer-encoding') !== undefined;
  const size = isChunked ? undefined : Number(length ?? 0);
  if (size === undefined || size > KEPT) {
    return { size, seekable: false, open: async () => limited(call, call.body()) };
  }
  const pieces: Buffer[] = [];
  for await (const piece of limited(call, call.body()) as AsyncIterable<Buffer>) pieces.push(piece);
  const content = Buffer.concat(pieces);
  return {
    size,
    seekable: true,
    async open(range) {
      const { offset = 0, length: count = content.length } = range ?? {};
      return content.subarray(offset, offset + count);
    },
  };
}

/** The body within the bandwidth limit. */
function limited({ run, tree, op }: DavCall, body: IncomingMessage): Readable {
  const bandwidth = run.bandwidth?.ofFile?.() ?? run.bandwidth;
  if (bandwidth === undefined) return body;
  const route = { up: !tree.remote.traits.onDisk, down: true };
  const slowed = async function* () {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      await bandwidth.take(chunk.length, route, op.signal);
      yield chunk;
    }
  };
  return Readable.from(slowed(), { objectMode: false });
}

/** Names of checksums as clients write them, in lower case and without hyphens. */
const KNOWN = { md5: 'md5', sha: 'sha1', sha1: 'sha1', sha256: 'sha256' } as const;
/** Lengths in bytes. */
const BYTES = { md5: 16, sha1: 20, sha256: 32 } as const;

/** The headers with checksums, and what a value is written as: `MD5:hex SHA1:hex`, `SHA-256=base64`, `sha-256=:base64:`. */
const HEADERS = [
  ['oc-checksum', /[\s,;]+/, /^([^:=]+):(.+)$/s, 'hex'],
  ['digest', /[\s,]+/, /^([^:=]+)=(.+)$/s, 'base64'],
  ['content-digest', /[\s,]+/, /^([^:=]+)=:?(.+?):?$/s, 'base64'],
  ['repr-digest', /[\s,]+/, /^([^:=]+)=:?(.+?):?$/s, 'base64'],
] as const;

/**
 * The checksums that the content of a PUT must match, in hexadecimal digits. Unknown ones and empty lists are ignored.
 * Throws `HttpError` 400 for what is not a name with a value, for a known one without a valid value, and for two values
 * of one.
 *
 * @param header the value of a header, by its name in lower case
 */
function requestChecksums(header: (name: string) => string | undefined): Hashes {
  const found: { md5?: string; sha1?: string; sha256?: string } = {};
  const add = (from: string, name: keyof typeof BYTES, text: string, form: 'hex' | 'base64') => {
    const bytes = Buffer.from(text, form);
    const isWhole =
      form === 'hex'
        ? bytes.toString('hex') === text.toLowerCase()
        : bytes.toString('base64') === text;
    const value = bytes.toString('hex');
    const isOther = found[name] !== undefined && found[name] !== value;
    if (!isWhole || bytes.length !== BYTES[name] || isOther) {
      throw new HttpError(400, `Bad Request: invalid ${name} in ${from}`);
    }
    found[name] = value;
  };
  for (const [from, between, form, encoding] of HEADERS) {
    for (const part of (header(from) ?? '').split(between)) {
      if (part === '') continue;
      const [, given, value] = form.exec(part) ?? [];
      if (given === undefined || value === undefined) {
        throw new HttpError(400, `Bad Request: ${from} is not a list of names with values`);
      }
      const key = given.toLowerCase().replaceAll('-', '');
      if (Object.hasOwn(KNOWN, key)) add(from, KNOWN[key as keyof typeof KNOWN], value, encoding);
    }
  }
  const md5 = header('content-md5');
  if (md5 !== undefined) add('content-md5', 'md5', md5.trim(), 'base64');
  return found;
}

/**
 * Writes a file while no other request changes its path, what is above it, or below. The body of a stream is received
 * before. Rejects with `precondition-failed` if something else than `only` is there, as far as the remote knows.
 * @param check rejects if the request may not write: called in the turn, when the body has been received
 */
async function writeInTurn(
  { tree, path, op }: FileCall,
  source: WriteSource,
  only: FileEntry | 'nothing' | undefined,
  check: () => Promise<void>,
): Promise<FileEntry> {
  const inTurn = <T>(work: () => Promise<T>) =>
    tree.inTurn([path, source.path], op, async () => {
      await check();
      return work();
    });
  if (source.seekable) return inTurn(() => writeOver({ tree, op }, source, only));
  const written = Promise.withResolvers<void>();
  const turn = Promise.withResolvers<void>();
  let refusal: unknown;
  const takeTurn = () => {
    const hold = () => {
      turn.resolve();
      return written.promise;
    };
    inTurn(hold).catch((thrown) => {
      refusal = thrown;
      turn.reject(thrown);
    });
    return turn.promise;
  };
  const open: WriteSource['open'] = async (range, given) =>
    Readable.from(heldBack(await source.open(range, given), takeTurn), { objectMode: false });
  try {
    return await writeOver({ tree, op }, { ...source, open }, only);
  } catch (thrown) {
    // The remote only knows that the body has failed.
    throw refusal ?? thrown;
  } finally {
    written.resolve();
  }
}

/** Writes a file. Rejects with `precondition-failed` if something else than `only` is there, as far as the remote knows. */
export async function writeOver(
  { tree, op }: Pick<FileCall, 'tree' | 'op'>,
  source: WriteSource,
  only: FileEntry | 'nothing' | undefined,
): Promise<FileEntry> {
  const { remote } = tree;
  if (only === undefined) return remote.write(source, op);
  const over = remote.can.writesIfUnchanged === true ? { ...source, replaces: only } : source;
  const stamp = only === 'nothing' ? undefined : remote.can.stamp?.(only);
  return remote.write(over, { ...op, change: { replacesOnly: { file: only, stamp } } });
}

/** A body whose last piece, without which it is not complete, comes after `turn`. */
async function* heldBack(body: Body, turn: () => Promise<void>): AsyncGenerator<Buffer> {
  let last: Buffer | undefined;
  for await (const piece of body as AsyncIterable<Buffer>) {
    if (last !== undefined) yield last;
    last = piece;
  }
  await turn();
  if (last !== undefined) yield last;
}
