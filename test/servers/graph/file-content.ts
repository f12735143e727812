import { createHash } from 'node:crypto';
import { QuickXor } from './quick-xor.ts';

/** What a file holds, with its hashes; never changed. */
export interface FileContent {
  readonly pieces: readonly Buffer[];
  readonly size: number;
  /** Base64. */
  readonly quickXor: string;
  /** Hex, upper case, as the service shows it. */
  readonly sha1: string;
  readonly sha256: string;
}

/** Makes a content of pieces that nobody will change; they are hashed as they come. */
export class ContentBuilder {
  readonly #pieces: Buffer[] = [];
  readonly #quickXor = new QuickXor();
  readonly #sha1 = createHash('sha1');
  readonly #sha256 = createHash('sha256');
  #size = 0;

  /** Bytes that came so far. */
  get size(): number {
    return this.#size;
  }

  add(piece: Buffer): this {
    this.#pieces.push(piece);
    this.#quickXor.update(piece);
    this.#sha1.update(piece);
    this.#sha256.update(piece);
    this.#size += piece.length;
    return this;
  }

  /** What came so far; more may come afterwards. */
  content(): FileContent {
    return {
      pieces: [...this.#pieces],
      size: this.#size,
      quickXor: this.#quickXor.digest(),
      sha1: this.#sha1.copy().digest('hex').toUpperCase(),
      sha256: this.#sha256.copy().digest('hex').toUpperCase(),
    };
  }
}

/** A content of one piece. */
export function makeContent(bytes: Buffer): FileContent {
  return new ContentBuilder().add(bytes).content();
}

/** The bytes from `start` up to, without, `end`, not copied. */
export function sliceContent(content: FileContent, start: number, end: number): Buffer[] {
  const found: Buffer[] = [];
  let offset = 0;
  for (const piece of content.pieces) {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, piece.length);
    if (from < to) found.push(piece.subarray(from, to));
    offset += piece.length;
  }
  return found;
}

const OFFICE = /\.(docx|xlsx|pptx|docm|xlsm|pptm)$/i;

/**
 * What a document library makes of an uploaded file of Office, or of one with another of these ends: it writes
 * properties of its own into it, so that size and hashes are others than those of what was sent. Anything else stays as
 * it is.
 */
export function rewrite(name: string, content: FileContent, ends: readonly string[]): FileContent {
  const isRewritten = OFFICE.test(name) || ends.some((end) => name.endsWith(`.${end}`));
  if (!isRewritten || content.size === 0) return content;
  const properties = Buffer.from('<properties written by the library/>');
  return makeContent(Buffer.concat([...content.pieces, properties]));
}
