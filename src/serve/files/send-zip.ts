import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { encodeUri } from '../../backends/s3-protocol/uri-encoding.ts';
import { bodyChunks } from '../../core/body.ts';
import { modTimeToMs } from '../../core/mod-time.ts';
import type { Entry, FileEntry } from '../../core/remote.ts';
import { confirmedEmpty } from '../../core/remote-calls.ts';
import { leafName } from '../../core/remote-path.ts';
import type { FileCall } from './call.ts';
import { openBody } from './send-file.ts';
import type { DirListing } from './served-tree.ts';

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
