import { Readable } from 'node:stream';
import type { Body, FileEntry, WriteSource } from '../../core/remote.ts';
import type { FileCall } from '../files/call.ts';

/**
 * Writes a file while no other request changes its path, except on disks, which look at what is there when the file
 * gets its name. The body of a stream is received before. Rejects with `precondition-failed` if something else than
 * `only` is there, as far as the remote knows.
 */
export async function writeInTurn(
  { tree, op }: Pick<FileCall, 'tree' | 'op'>,
  source: WriteSource,
  only?: FileEntry | 'nothing',
): Promise<FileEntry> {
  const { remote } = tree;
  const { onDisk } = remote.traits;
  if (onDisk && only !== undefined) {
    const stamp = only === 'nothing' ? undefined : remote.can.stamp?.(only);
    return remote.write(source, { ...op, change: { replacesOnly: { file: only, stamp } } });
  }
  if (onDisk) return remote.write(source, op);
  const isConditional = only !== undefined && remote.can.writesIfUnchanged === true;
  const over = isConditional ? { ...source, replaces: only } : source;
  if (source.seekable) return tree.inTurn([source.path], op, () => remote.write(over, op));
  const written = Promise.withResolvers<void>();
  const turn = Promise.withResolvers<void>();
  const takeTurn = () => {
    const hold = () => {
      turn.resolve();
      return written.promise;
    };
    tree.inTurn([source.path], op, hold).catch(turn.reject);
    return turn.promise;
  };
  const open: WriteSource['open'] = async (range, own) =>
    Readable.from(heldBack(await source.open(range, own), takeTurn), { objectMode: false });
  try {
    return await remote.write({ ...over, open }, op);
  } finally {
    written.resolve();
  }
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
