import { GoFault } from '../go/go-fault.ts';

/** What is told about a multipart body while it comes in. */
export interface PartSink {
  /** A part begins; `headers` have lower-case names. Says whether its content is wanted. */
  begin(headers: ReadonlyMap<string, readonly string[]>): boolean;
  /** Content of the part that began last, where it is wanted. */
  content(bytes: Buffer): void;
  /** The part is complete. */
  end(): void;
}

const MAX_HEADERS = 10 << 20;
const EOF = 'multipart: NextPart: EOF';

/**
 * Takes a multipart body apart as it comes, keeping no more of it than one chunk. Throws `GoFault` for a broken one.
 */
export class MultipartParts {
  readonly #sink: PartSink;
  readonly #delimiter: Buffer;
  #state: 'before' | 'headers' | 'content' | 'done' = 'before';
  #rest: Buffer = Buffer.from('\n');
  #wanted = false;

  constructor(boundary: string, sink: PartSink) {
    this.#sink = sink;
    this.#delimiter = Buffer.from(`\n--${boundary}`, 'latin1');
  }

  /** Takes the next bytes of the body. */
  push(chunk: Buffer): void {
    if (this.#state === 'done') return;
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (this.#step());
  }

  /** The body is at its end. */
  end(): void {
    if (this.#state === 'done') return;
    // A last delimiter may stand right at the end, without a line break.
    this.push(Buffer.from('\n'));
    if ((this.#state as string) === 'done') return;
    if (this.#state === 'before') throw new GoFault(EOF);
    throw new GoFault(this.#state === 'headers' ? EOF : 'unexpected EOF');
  }

  /** Whether more may be found in what is there. */
  #step(): boolean {
    if (this.#state === 'done') return false;
    return this.#state === 'headers' ? this.#readHeaders() : this.#findDelimiter();
  }

  #findDelimiter(): boolean {
    const delimiter = this.#delimiter;
    const found = this.#rest.indexOf(delimiter);
    if (found < 0) {
      this.#flush(Math.max(0, this.#rest.length - delimiter.length - 1));
      return false;
    }
    const after = found + delimiter.length;
    const line = this.#rest.indexOf('\n', after);
    const closes = this.#rest.toString('latin1', after, after + 2) === '--';
    if (line < 0 && !closes) {
      this.#flush(Math.max(0, found - 1));
      return false;
    }
    const tail = closes ? '' : this.#rest.toString('latin1', after, line);
    if (!/^[ \t]*\r?$/.test(tail)) {
      this.#flush(after);
      return true;
    }
    // The line break stays: headers may be absent.
    const rest = closes ? Buffer.alloc(0) : this.#rest.subarray(line);
    this.#flush(this.#rest[found - 1] === 0x0d ? found - 1 : found);
    if (this.#state === 'content') this.#sink.end();
    this.#state = closes ? 'done' : 'headers';
    this.#rest = rest;
    return !closes;
  }

  /** Hands over so many bytes of content; the rest may hold a delimiter. */
  #flush(length: number): void {
    if (length <= 0) return;
    const bytes = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    if (this.#state === 'content' && this.#wanted) this.#sink.content(bytes);
  }

  #readHeaders(): boolean {
    const match = /\n\r?\n/.exec(this.#rest.toString('latin1', 0, MAX_HEADERS));
    if (match === null) {
      if (this.#rest.length > MAX_HEADERS) throw new GoFault('multipart: message too large');
      return false;
    }
    const end = match.index + match[0].length;
    this.#wanted = this.#sink.begin(parseHeaders(this.#rest.toString('latin1', 0, match.index)));
    this.#rest = this.#rest.subarray(end);
    this.#state = 'content';
    return true;
  }
}

function parseHeaders(text: string): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  const unfolded = text.replace(/\r?\n[ \t]+/g, ' ');
  for (const line of unfolded.split('\n')) {
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    if (colon <= 0) throw new GoFault(`malformed MIME header line: ${line.trim()}`);
    const name = line.slice(0, colon).toLowerCase();
    const value = Buffer.from(line.slice(colon + 1).trim(), 'latin1').toString();
    headers.set(name, [...(headers.get(name) ?? []), value]);
  }
  return headers;
}
