import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-fault.ts';
import { goQuote } from '../../go/go-quote.ts';
import { ByteCollector } from '../../kit/byte-collector.ts';
import { type HeaderRoom, PartHeaders, TOO_LARGE } from './part-headers.ts';

/** What is told about a multipart body while it comes in. */
export interface PartSink {
  /** How much the headers of the next part may take. */
  readonly headerRoom: HeaderRoom;
  /** A part begins; `headers` have lower-case names. Says whether its content is wanted, or even its end. */
  begin(headers: ReadonlyMap<string, readonly string[]>): 'content' | 'end' | 'nothing';
  /** Content of the part that began last, where it is wanted. */
  content(bytes: Buffer): void;
  /** The part is complete. */
  end(): void;
}

/** Bytes that a line between parts may have: Go's buffer. */
const MAX_LINE = 4096;
const NOTHING = Buffer.alloc(0);
const BREAK = Buffer.from('\r\n');
const EOF = 'multipart: NextPart: EOF';

/**
 * Takes a multipart body apart as it comes, as Go's `mime/multipart` does, in linear time and keeping no more of it than
 * a line. Throws `GoFault` for a broken one.
 */
export class MultipartParts {
  readonly #sink: PartSink;
  readonly #dashes: Buffer;
  /** How the lines around parts end; the first delimiter says it. */
  #break: Buffer = BREAK;
  #delimiter: Buffer;
  #state: 'between' | 'headers' | 'content' | 'done' = 'between';
  #parts = 0;
  /** The line break before a delimiter was read. */
  #expectsPart = false;
  #headers = new PartHeaders({ bytes: 0, entries: 0 });
  /** Of content: what may be the beginning of a delimiter. */
  #rest: Buffer = NOTHING;
  /** The beginning of a line. */
  readonly #line = new ByteCollector();
  #wanted: ReturnType<PartSink['begin']> = 'nothing';
  /** Nothing of a part's content has come: the delimiter may stand there at once. */
  #isEmpty = true;

  constructor(boundary: string, sink: PartSink) {
    if (boundary === '') throw new GoFault('multipart: boundary is empty');
    this.#sink = sink;
    this.#dashes = nameToBytes(`--${boundary}`);
    this.#delimiter = Buffer.concat([this.#break, this.#dashes]);
  }

  /** The last delimiter was read; what follows means nothing. */
  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** Takes the next bytes of the body. */
  push(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = NOTHING;
    while (bytes.length > 0 && this.#state !== 'done') {
      bytes = this.#state === 'content' ? this.#takeContent(bytes) : this.#takeLine(bytes);
    }
  }

  /** The body is at its end. */
  end(): void {
    if (this.#state === 'content') {
      const isDelimiter = this.#rest.equals(this.#isEmpty ? this.#dashes : this.#delimiter);
      throw new GoFault(isDelimiter || this.#wanted === 'nothing' ? EOF : 'unexpected EOF');
    }
    const line = this.#line.take();
    if (this.#state === 'headers') {
      // A part whose headers have no end is none.
      if (line.length > 0) this.#headers.take(line);
    } else if (this.#state === 'between' && !this.#isLast(line)) throw new GoFault(EOF);
    this.#state = 'done';
  }

  /** Takes a line; gives what is left. */
  #takeLine(bytes: Buffer): Buffer {
    const end = bytes.indexOf(0x0a) + 1;
    const piece = end === 0 ? bytes : bytes.subarray(0, end);
    const inHeaders = this.#state === 'headers';
    const most = inHeaders ? this.#headers.longestLine : MAX_LINE;
    if (this.#line.length + piece.length > most + (inHeaders ? BREAK.length : 0)) {
      throw new GoFault(inHeaders ? TOO_LARGE : 'multipart: NextPart: bufio: buffer full');
    }
    if (end === 0 || this.#line.length > 0) this.#line.push(piece);
    if (end === 0) return NOTHING;
    const line = this.#line.length > 0 ? this.#line.take() : piece;
    if (!inHeaders) this.#takeLineBetween(line);
    else if (this.#headers.take(line)) {
      this.#wanted = this.#sink.begin(this.#headers.values);
      this.#isEmpty = true;
      this.#state = 'content';
    }
    return bytes.subarray(end);
  }

  #takeLineBetween(line: Buffer): void {
    if (this.#isDelimiter(line)) {
      this.#parts++;
      this.#expectsPart = false;
      this.#headers = new PartHeaders(this.#sink.headerRoom);
      this.#state = 'headers';
    } else if (this.#isLast(line)) this.#state = 'done';
    else if (this.#expectsPart) {
      const shown = goQuote(nameFromBytes(line));
      throw new GoFault(`multipart: expecting a new Part; got line ${shown}`);
    } else if (this.#parts > 0) {
      if (!line.equals(this.#break)) {
        const shown = goQuote(nameFromBytes(line));
        throw new GoFault(`multipart: unexpected line in Next(): ${shown}`);
      }
      this.#expectsPart = true;
    }
  }

  #isDelimiter(line: Buffer): boolean {
    if (!startsWith(line, this.#dashes)) return false;
    const tail = withoutBlanks(line.subarray(this.#dashes.length));
    if (this.#parts === 0 && tail.length === 1 && tail[0] === 0x0a) {
      this.#break = BREAK.subarray(1);
      this.#delimiter = Buffer.concat([this.#break, this.#dashes]);
    }
    return tail.equals(this.#break);
  }

  #isLast(line: Buffer): boolean {
    const length = this.#dashes.length;
    if (!startsWith(line, this.#dashes) || line.toString('latin1', length, length + 2) !== '--') {
      return false;
    }
    const tail = withoutBlanks(line.subarray(length + 2));
    return tail.length === 0 || tail.equals(this.#break);
  }

  /** Takes content up to a delimiter; gives what is left. */
  #takeContent(bytes: Buffer): Buffer {
    if (this.#isEmpty) {
      const dashes = this.#dashes;
      if (startsWith(bytes, dashes)) return this.#takeMark(bytes, 0, dashes.length);
      if (startsWith(dashes, bytes)) return this.#keep(bytes);
    }
    const found = bytes.indexOf(this.#delimiter);
    if (found >= 0) return this.#takeMark(bytes, found, this.#delimiter.length);
    const last = bytes.lastIndexOf(this.#break[0] ?? 0);
    const tail = bytes.subarray(last < 0 ? bytes.length : last);
    if (!startsWith(this.#delimiter, tail)) return this.#give(bytes, bytes.length);
    this.#give(bytes, last < 0 ? bytes.length : last);
    return this.#keep(tail);
  }

  /** What follows says whether that is a delimiter. */
  #takeMark(bytes: Buffer, at: number, length: number): Buffer {
    const [next, afterNext] = bytes.subarray(at + length, at + length + 2);
    const isOpen = next === undefined || (next === 0x2d && afterNext === undefined);
    const ends =
      next === 0x2d
        ? afterNext === 0x2d
        : next !== undefined && ' \t\r\n'.includes(String.fromCharCode(next));
    if (!isOpen && !ends) return this.#give(bytes, at + length);
    const rest = this.#give(bytes, at);
    if (isOpen) return this.#keep(rest);
    this.#sink.end();
    this.#state = 'between';
    return rest;
  }

  /** Hands so many bytes of content over; gives the rest. */
  #give(bytes: Buffer, length: number): Buffer {
    if (length > 0) {
      this.#isEmpty = false;
      if (this.#wanted === 'content') this.#sink.content(bytes.subarray(0, length));
    }
    return bytes.subarray(length);
  }

  #keep(bytes: Buffer): Buffer {
    this.#rest = bytes;
    return NOTHING;
  }
}

function startsWith(bytes: Buffer, beginning: Buffer): boolean {
  return bytes.subarray(0, beginning.length).equals(beginning);
}

function withoutBlanks(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0x20 && byte !== 0x09);
  return first < 0 ? NOTHING : bytes.subarray(first);
}
