import { promisify } from 'node:util';
import { HttpError } from '../http-error.ts';
import { type FileCall, header, respond } from './call.ts';
import type { Protocol } from './file-server.ts';
import { listingPage, pagePolicy, readOrder } from './listing-page.ts';
import { hrefOf } from './request-path.ts';
import { sendFile } from './send-file.ts';
import { sendZip } from './send-zip.ts';

/** Smaller bodies are not compressed, in bytes. */
const WORTH_COMPRESSING = 1024;

/** `serve http`: files and pages of directories, to be read. */
export const HTTP_PROTOCOL: Protocol = {
  handlers: { GET: sendEntry, HEAD: sendEntry },
  reading: ['GET', 'HEAD'],
};

/** Responds to GET and HEAD: a file, a page for a directory, or the directory as a zip file. */
async function sendEntry(call: FileCall): Promise<void> {
  const { tree, path, isDir, query, options, op } = call;
  const entry = await tree.find(path, op);
  if (entry === undefined) throw new HttpError(404, 'Not Found');
  if (entry.kind === 'file') {
    if (isDir) throw new HttpError(404, 'Not Found: not a directory');
    return sendFile(call, entry);
  }
  const isZip = query.get('download') === 'zip';
  // A zip file names everything below: without pages there is none.
  if (!options.allowsListing || (isZip && !options.allowsZip))
    throw new HttpError(404, 'Not Found');
  if (isZip) return sendZip({ ...call, path: entry.path });
  if (!isDir) {
    const search = query.size === 0 ? '' : `?${query}`;
    return respond(call, 301, { location: hrefOf(options.base, entry.path, true) + search });
  }
  await sendListing(call, entry.path);
}

async function sendListing(call: FileCall, dir: string): Promise<void> {
  const { tree, query, options, op } = call;
  const { entries, failed } = await tree.list(dir, op);
  const page = listingPage({
    base: options.base,
    dir,
    entries,
    failed: failed.length,
    order: readOrder(query),
    allowsZip: options.allowsZip,
    showsTimes: !tree.options.noModTime,
  });
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': pagePolicy(),
    'cache-control': 'no-cache',
    vary: 'accept-encoding',
  };
  if (page.length < WORTH_COMPRESSING || !takesGzip(call)) return respond(call, 200, headers, page);
  const { gzip } = await import('node:zlib');
  const bytes = await promisify(gzip)(page);
  respond(call, 200, { ...headers, 'content-encoding': 'gzip' }, bytes);
}

/** Whether the client takes responses compressed by gzip. */
export function takesGzip(call: FileCall): boolean {
  const form = /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i;
  return form.test(header(call, 'accept-encoding') ?? '');
}
