import type { Body, FileEntry, Remote } from '../core/remote.ts';
import { giveBack } from '../core/used-again.ts';
import { readSource } from './read-source.ts';
import type { Run } from './run.ts';

/** Reads both files to the first difference; returns whether there is none (`check --download`). */
export async function sameContents(
  run: Run,
  sides: { readonly source: Remote; readonly dest: Remote },
  pair: { readonly source: FileEntry; readonly dest: FileEntry },
  tries: number,
): Promise<boolean> {
  const id = run.nextId();
  const { emit } = run.context;
  const onBytes = (bytes: number) => emit({ type: 'transfer-bytes', id, bytes });
  const plan = { run, tries, onBytes };
  const from = (remote: Remote) => ({ remote, route: { up: false, down: !remote.traits.onDisk } });
  const { path, size } = pair.source;
  emit({ type: 'transfer-start', id, kind: 'check', path, size: 2 * Math.max(0, size) });
  try {
    const [a, b] = await Promise.all([
      readSource({ ...plan, ...from(sides.source), file: pair.source }, undefined, run.op),
      readSource({ ...plan, ...from(sides.dest), file: pair.dest }, undefined, run.op),
    ]);
    return await sameBytes(chunksOf(a), chunksOf(b));
  } finally {
    emit({ type: 'transfer-end', id });
  }
}

async function* chunksOf(body: Body): AsyncGenerator<Buffer> {
  if (Buffer.isBuffer(body)) yield body;
  else yield* body as AsyncIterable<Buffer>;
}

/** Compares two streams of chunks that may be cut differently; ends both. */
export async function sameBytes(
  a: AsyncGenerator<Buffer>,
  b: AsyncGenerator<Buffer>,
): Promise<boolean> {
  let left: Buffer = Buffer.alloc(0);
  let right: Buffer = Buffer.alloc(0);
  try {
    for (;;) {
      if (left.length === 0) left = await nextChunk(a, left);
      if (right.length === 0) right = await nextChunk(b, right);
      const length = Math.min(left.length, right.length);
      if (length === 0) return left.length === right.length;
      if (!left.subarray(0, length).equals(right.subarray(0, length))) return false;
      left = left.subarray(length);
      right = right.subarray(length);
    }
  } finally {
    await Promise.allSettled([a.return(undefined), b.return(undefined)]);
  }
}

/** The next chunk that is not empty, once the last one is no longer needed; an empty one at the end. */
async function nextChunk(chunks: AsyncGenerator<Buffer>, last: Buffer): Promise<Buffer> {
  giveBack(last);
  for (;;) {
    const next = await chunks.next();
    if (next.done === true) return Buffer.alloc(0);
    if (next.value.length > 0) return next.value;
  }
}
