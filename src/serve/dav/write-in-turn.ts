import { Readable } from 'node:stream';
import type { Body, FileEntry, Op, Remote, WriteSource } from '../../core/remote.ts';
import type { FileCall } from '../files/call.ts';

/** What must hold when a file gets its name. */
interface WriteConditions {
  /** What may be there; anything by default. */
  readonly only?: FileEntry | 'nothing' | undefined;
  /** Rejects if the request may not write: called in the turn, when the body has been received. */
  readonly check?: () => Promise<void>;
}

/**
 * Writes a file while no other request changes its path, what is above it, or below. The body of a stream is received
 * before. Rejects with `precondition-failed` if something else than `only` is there, as far as the remote knows.
 */
export async function writeInTurn(
  { tree, path, op }: Pick<FileCall, 'tree' | 'path' | 'op'>,
  source: WriteSource,
  { only, check }: WriteConditions,
): Promise<FileEntry> {
  const inTurn = <T>(work: () => Promise<T>) =>
    tree.inTurn([path, source.path], op, async () => {
      await check?.();
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
  only: WriteConditions['only'],
): Promise<FileEntry> {
  const { remote } = tree;
  if (only === undefined) return remote.write(source, op);
  const isConditional = remote.can.writesIfUnchanged === true;
  const over = isConditional ? { ...source, replaces: only } : source;
  return remote.write(over, { ...op, change: onlyOver(remote, only) });
}

function onlyOver({ can }: Remote, only: FileEntry | 'nothing'): NonNullable<Op['change']> {
  return {
    replacesOnly: { file: only, stamp: only === 'nothing' ? undefined : can.stamp?.(only) },
  };
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
