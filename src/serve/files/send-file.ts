import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { encodeUri } from '../../backends/s3-protocol/uri-encoding.ts';
import { bodyChunks } from '../../core/body.ts';
import { hasCode } from '../../core/errors.ts';
import { modTimeToMs } from '../../core/mod-time.ts';
import type { Entry, FileEntry, ReadRange } from '../../core/remote.ts';
import { confirmedEmpty, trueSizeOf } from '../../core/remote-calls.ts';
import { leafName } from '../../core/remote-path.ts';
import { readSource } from '../../engine/copy/read-source.ts';
import { checkConditions, contentRange, isRangeCurrent, readRange } from '../conditions.ts';
import { HttpError } from '../http-error.ts';
import { sendPiece } from '../send-piece.ts';
import { contentTypeOf, etagOf, type FileCall, header, lastModified, respond } from './call.ts';
import type { DirListing } from './served-tree.ts';

/** How often a file that changes between its listing and its reading is looked at. */
const LOOKS = 3;

/** Metadata that is sent as headers, as in rclone. */
const METADATA_HEADERS = [
  'content-disposition',
  'cache-control',
  'content-language',
  'content-encoding',
];

/** Responds to GET and HEAD of a file: the conditions, a range, and exactly one version of the content. */
export async function sendFile(call: FileCall, found: FileEntry): Promise<void> {
  for (let look = 1, file: FileEntry | undefined = found; ; look++) {
    try {
      return await sendVersion(call, file);
    } catch (thrown) {
      const isLast = look >= LOOKS || call.response.headersSent;
      const size: number | undefined = isLast ? undefined : trueSizeOf(file, thrown);
      if (size !== undefined) {
        file = { ...file, size };
        continue;
      }
      if (isLast || !hasCode(thrown, 'source-changed', 'precondition-failed')) throw thrown;
    }
    const now = await call.tree.find(found.path, call.op);
    if (now?.kind !== 'file') throw new HttpError(404, 'Not Found');
    file = now;
  }
}

async function sendVersion(call: FileCall, listed: FileEntry): Promise<void> {
  const { request, response, tree, op, options } = call;
  const file = await confirmedEmpty(tree.remote, listed, op);
  const etag = etagOf(file, tree.options);
  const modified = lastModified(file, tree.options);
  const headers: OutgoingHttpHeaders = {
    ...(etag === undefined ? {} : { etag }),
    ...(modified === undefined ? {} : { 'last-modified': new Date(modified).toUTCString() }),
    'accept-ranges': options.noSeek || file.size < 0 ? 'none' : 'bytes',
  };
  const validators = { exists: true, etag, modified };
  const verdict = checkConditions(request.headers, validators, true);
  if (verdict === 'not-modified') return respond(call, 304, headers);
  if (verdict === 'failed') throw new HttpError(412, 'Precondition Failed');
  // Clients that ask for a range of each file get an empty one as a whole, as from rclone.
  const mayRange = !options.noSeek && file.size > 0 && request.method === 'GET';
  const isCurrent = mayRange && isRangeCurrent(header(call, 'if-range'), validators);
  const range = isCurrent ? readRange(request.headers.range, file.size) : undefined;
  if (range === 'unsatisfiable') {
    throw new HttpError(416, 'Range Not Satisfiable', {
      headers: { 'content-range': `bytes */${file.size}` },
    });
  }
  headers['content-type'] = contentTypeOf(file);
  headers['x-content-type-options'] = 'nosniff';
  Object.assign(headers, await metadataHeaders(call, file));
  const length = range?.length ?? file.size;
  if (length >= 0) headers['content-length'] = length;
  if (range !== undefined) headers['content-range'] = contentRange(range, file.size);
  const status = range === undefined ? 200 : 206;
  if (request.method === 'HEAD' || length === 0) {
    call.head(status, headers);
    response.end();
    return;
  }
  const body = await openBody(call, file, range);
  call.head(status, headers);
  // A response that cannot be completed is cut off.
  let sent = 0;
  for await (const chunk of bodyChunks(body, op.signal)) {
    sent += chunk.length;
    if (length >= 0 && sent > length) break;
    await sendPiece(response, chunk);
  }
  if (length >= 0 && sent !== length) {
    throw new Error(`the file has ${sent} bytes and not ${length}`);
  }
  response.end();
}

/** The content or a range of it; an interrupted read is continued, and the bandwidth limit obeyed. */
async function openBody(call: FileCall, file: FileEntry, range: ReadRange | undefined) {
  const { run, tree, op, options } = call;
  const bandwidth = run.bandwidth?.ofFile?.() ?? run.bandwidth;
  return readSource(
    {
      run,
      file,
      remote: tree.remote,
      tries: options.lowLevelRetries,
      isSized: true,
      route: { up: true, down: !tree.remote.traits.onDisk },
      ...(bandwidth === undefined ? {} : { bandwidth }),
    },
    range,
    op,
  );
}

async function metadataHeaders(call: FileCall, file: FileEntry): Promise<OutgoingHttpHeaders> {
  const { tree, op, options } = call;
  if (!options.sendsMetadata) return {};
  const { metadata = {} } =
    file.metadata === undefined ? ((await tree.remote.can.details?.read(file, op)) ?? {}) : file;
  const known = METADATA_HEADERS.map((name) => [name, metadata[name]] as const);
  return Object.fromEntries(
    known.filter(([, value]) => value !== undefined && /^[\t -~]+$/.test(value)),
  );
}

/** The earliest and latest times of DOS, in which zip files have times. */
const FIRST = Date.UTC(1980, 0, 2);
const LAST = Date.UTC(2107, 11, 30);

/**
 * Sends a directory with everything below it as a zip file, while it is read. If anything fails, the response is cut
 * off: it never looks complete.
 */
export async function sendZip(call: FileCall): Promise<void> {
  const { request, response, path, tree, op } = call;
  const name = path === '' ? 'root' : leafName(path);
  const ascii = name.replace(/[^\w .()-]/g, '_');
  // Before the head: a directory that cannot be listed is an error.
  const first = await tree.list(path, op);
  call.head(200, {
    'content-type': 'application/zip',
    'content-disposition': `attachment; filename="${ascii}.zip"; filename*=UTF-8''${encodeUri(name)}.zip`,
    'accept-ranges': 'none',
  });
  if (request.method === 'HEAD') return void response.end();
  const { default: yazl } = await import('yazl');
  const zip = new yazl.ZipFile();
  const output = zip.outputStream as Readable;
  zip.on('error', (error: Error) => output.destroy(error));
  const add = async ({ entries, failed }: DirListing): Promise<void> => {
    if (failed[0] !== undefined) throw failed[0].error;
    for (const entry of entries) {
      const below = entry.path.slice(path === '' ? 0 : path.length + 1);
      // A backslash is no separator there, and a colon makes no drive.
      const inside = below.replaceAll('\\', '＼').replace(/^([A-Za-z]):/, '$1：');
      if (entry.kind === 'dir') {
        zip.addEmptyDirectory(inside, timeOf(entry));
        await add(await tree.list(entry.path, op));
      } else await addFile(entry, inside);
    }
  };
  const addFile = async (listed: FileEntry, inside: string) => {
    const file = await confirmedEmpty(tree.remote, listed, op);
    await new Promise<void>((resolve, reject) => {
      const size = file.size < 0 ? {} : { size: file.size };
      zip.addReadStreamLazy(inside, { ...timeOf(file), ...size }, (ready) => {
        // The next file is listed when this one is read.
        openBody(call, file, undefined).then(
          (body) => {
            const content = Readable.from(bodyChunks(body, op.signal), { objectMode: false });
            content.once('close', resolve);
            ready(null, content);
          },
          (error: unknown) => {
            reject(error);
            ready(error, Readable.from([]));
          },
        );
      });
    });
  };
  const fill = async () => {
    await add(first);
    zip.end();
  };
  await Promise.all([
    pipeline(output, response, { signal: op.signal }),
    fill().catch((error: Error) => {
      output.destroy(error);
      throw error;
    }),
  ]);
}

function timeOf({ modTime }: Entry): { mtime: Date } {
  const ms = modTime === undefined ? FIRST : modTimeToMs(modTime);
  return { mtime: new Date(Math.min(Math.max(ms, FIRST), LAST)) };
}
