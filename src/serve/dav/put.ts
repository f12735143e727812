import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { modTimeFromMs, parseDecimalSeconds } from '../../core/mod-time.ts';
import type { FileEntry, WriteSource } from '../../core/remote.ts';
import { header, respond } from '../files/call.ts';
import { etagOf } from '../files/entry-headers.ts';
import { targetEntry } from '../files/served-links.ts';
import { HttpError } from '../http-error.ts';
import { checkChanges, checkNewName, checkPreconditions, type DavCall } from './dav-call.ts';
import { requestChecksums } from './request-checksums.ts';
import { writeInTurn } from './write-in-turn.ts';

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
  const written = await writeInTurn(call, source, { only: replacedBy(call, existing), check });
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

/** With a condition, only what it was about is replaced. */
function replacedBy({ request }: DavCall, existing: FileEntry | undefined) {
  const { 'if-match': match, 'if-none-match': noneMatch } = request.headers;
  const isConditional = match !== undefined || noneMatch !== undefined;
  return isConditional ? (existing ?? 'nothing') : undefined;
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
