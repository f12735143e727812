import { Readable } from 'node:stream';
import { wholeSource } from '../../../core/body.ts';
import type { Op, ReadRange, WriteSource } from '../../../core/remote.ts';
import { giveBack } from '../../../core/used-again.ts';
import { checkedChunks, contentCheck } from '../../../hashes/content-hasher.ts';
import { type NamelessFile, namelessFile } from '../../../system/nameless-file.ts';

/**
 * Calls `use` with a source of known size. A source of unknown size is read first: into memory up to `inMemory`
 * bytes, else into an unnamed temporary file.
 */
export async function withKnownSize<T>(
  source: WriteSource,
  inMemory: number,
  op: Op,
  use: (known: WriteSource) => Promise<T>,
): Promise<T> {
  if (source.size !== undefined) return use(source);
  const check = contentCheck(source);
  const chunks: Buffer[] = [];
  let size = 0;
  let file: NamelessFile | undefined;
  try {
    for await (const chunk of checkedChunks(source, [undefined], check, op)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= inMemory) continue;
      file ??= namelessFile('the copy of a file of unknown size', ADVICE);
      for (const each of chunks.splice(0)) {
        file.append(each);
        giveBack(each);
      }
    }
    check.finish();
    if (file === undefined) return await use(wholeSource(source, Buffer.concat(chunks)));
    return await use({ ...source, ...inFile(file) });
  } finally {
    file?.close();
  }
}

/** How much is read at a time, in bytes. */
const PIECE = 256 * 1024;

const ADVICE = 'set TMPDIR to a directory with more space';

function inFile(file: NamelessFile): Pick<WriteSource, 'size' | 'seekable' | 'open'> {
  const open = async (range: ReadRange | undefined) => {
    const { offset = 0, length = file.length } = range ?? {};
    const end = Math.min(file.length, offset + length);
    return Readable.from(piecesOf(file, offset, end), { objectMode: true, highWaterMark: 1 });
  };
  return { size: file.length, seekable: true, open };
}

function* piecesOf(file: NamelessFile, start: number, end: number): Generator<Buffer> {
  for (let at = start; at < end; at += PIECE) yield file.read(at, Math.min(PIECE, end - at));
}
