import { modTimeFromMs } from '../../core/mod-time.ts';
import type { Remote } from '../../core/remote.ts';
import type { Run } from '../../engine/run.ts';
import type { Invocation } from '../command.ts';
import { readHead, slowedChunks } from '../transfer/input-chunks.ts';
import {
  shownTransfer,
  streamSource,
  uploadTarget,
  wholeSource,
} from '../transfer/input-source.ts';
import type { OpenedUrl } from './open-url.ts';

/**
 * Stores a URL as a file, which appears when it is complete. Resolves to `false` if that is not permitted. Content of
 * unknown size is buffered up to `--streaming-upload-cutoff`.
 */
export async function storeUrl(
  { flags, context, bandwidth }: Invocation,
  run: Run,
  remote: Remote,
  path: string,
  { size, headers, body }: OpenedUrl,
): Promise<boolean> {
  const { signal } = run.op;
  if (!(await run.mayChange({ do: 'other', words: 'upload from pipe', about: path }))) return false;
  const modTime = modTimeFromMs(lastModified(headers) ?? context.clock.now());
  const target = uploadTarget({ flags, context }, path, modTime);
  const id = run.nextId();
  const { emit } = context;
  const route = { up: !remote.traits.onDisk, down: true };
  const slowDown = async (bytes: number) => {
    emit({ type: 'transfer-bytes', id, bytes });
    await bandwidth?.take(bytes, route, signal);
  };
  await shownTransfer(context, { id, path, size: size ?? -1 }, async () => {
    const input =
      size === undefined
        ? await readHead(body, flags['streaming-upload-cutoff'])
        : { head: Buffer.alloc(0), rest: body };
    if (input.rest === undefined) {
      await slowDown(input.head.length);
      await remote.write(wholeSource(target, input.head), run.op);
    } else {
      const chunks = slowedChunks(input.head, input.rest, slowDown);
      await remote.write(streamSource(target, size, chunks), run.op);
    }
    run.log('info', path, 'copied', { how: 'new', to: undefined, size: -1 });
  });
  return true;
}

/** The modification time on the server, in milliseconds since the epoch. */
function lastModified(headers: OpenedUrl['headers']): number | undefined {
  const ms = Date.parse(headers['last-modified'] ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
