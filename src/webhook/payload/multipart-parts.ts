import { nameToBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-errno.ts';

/** Takes the parts of a multipart body while it comes in. */
export interface PartSink {
  /** A part begins. Says whether its content is wanted. */
  begin(headers: PartHeaders): boolean;
  /** Content of the part that began last, where it is wanted. */
  content(bytes: Buffer): void;
  /** The part is complete. */
  end(): void;
}

/** The headers of a part by lower-case name; each byte is a character. */
export type PartHeaders = ReadonlyMap<string, readonly string[]>;

/** Bytes that the headers of one part may take, as those of a request in Node. */
const MAX_HEADERS = 16 << 10;
/** Bytes between a boundary and the end of its line. */
const MAX_TAIL = 256;
const HEADERS_END = /(?:^|\r?\n)\r?\n/;
/** What follows a boundary; where anything else does, it is content. */
const TAIL = /^(?:--|[\t ]*\r?\n)/;
const BEGUN_TAIL = /^(?:-|[\t ]*\r?)$/;
const CARRIAGE_RETURN = 0x0d;

/** Splits a multipart body as it comes in, in linear time; lines may end without a carriage return. Throws `GoFault`. */
export class MultipartParts {
  readonly #sink: PartSink;
  readonly #delimiter: Buffer;
  #state: 'preamble' | 'headers' | 'content' | 'done' = 'preamble';
  #wanted = false;
  /** What is not decided yet. It starts with a line feed, so that a boundary may stand at the very beginning. */
  #rest = Buffer.from('\n');
  /** Bytes of `rest` that are not content. */
  #skipped = 1;

  constructor(boundary: string, sink: PartSink) {
    this.#sink = sink;
    this.#delimiter = nameToBytes(`\n--${boundary}`);
  }

  /** The last boundary was read; what follows means nothing. */
  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** Takes the next bytes of the body. */
  push(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    let goesOn = true;
    while (goesOn && !this.isDone) {
      goesOn = this.#state === 'headers' ? this.#takeHeaders() : this.#takeContent();
    }
  }

  /** The body has ended. */
  end(): void {
    if (!this.isDone) throw new GoFault('the last boundary is missing');
  }

  /** False where the headers are not complete. */
  #takeHeaders(): boolean {
    const text = this.#rest.toString('latin1', 0, MAX_HEADERS);
    const end = HEADERS_END.exec(text);
    if (end === null) {
      if (text.length === MAX_HEADERS) throw new GoFault('the headers of a part are too large');
      return false;
    }
    this.#wanted = this.#sink.begin(headersIn(text.slice(0, end.index)));
    this.#state = 'content';
    this.#rest = this.#rest.subarray(end.index + end[0].length - 1);
    this.#skipped = 1;
    return true;
  }

  /** False where no boundary has come. */
  #takeContent(): boolean {
    const { length } = this.#delimiter;
    let at = this.#rest.indexOf(this.#delimiter);
    while (at >= 0) {
      const behind = at + length;
      const tail = this.#rest.toString('latin1', behind, behind + MAX_TAIL);
      const found = TAIL.exec(tail)?.[0];
      if (found !== undefined) {
        const next = this.#rest.subarray(behind + found.length);
        this.#give(this.#rest[at - 1] === CARRIAGE_RETURN ? at - 1 : at);
        if (this.#state === 'content') this.#sink.end();
        this.#state = found === '--' ? 'done' : 'headers';
        this.#rest = next;
        return true;
      }
      if (tail.length < MAX_TAIL && BEGUN_TAIL.test(tail)) break;
      at = this.#rest.indexOf(this.#delimiter, at + 1);
    }
    // What may be the start of a boundary waits, with the carriage return before it.
    this.#give((at < 0 ? this.#rest.length - length : at) - 1);
    return false;
  }

  /** Hands content over up to a place in `rest`. */
  #give(end: number): void {
    if (end <= this.#skipped) return;
    if (this.#state === 'content' && this.#wanted) {
      this.#sink.content(this.#rest.subarray(this.#skipped, end));
    }
    this.#rest = this.#rest.subarray(end);
    this.#skipped = 0;
  }
}

function headersIn(text: string): PartHeaders {
  const headers = new Map<string, string[]>();
  for (const line of text.replace(/\r?\n[\t ]+/g, ' ').split(/\r?\n/)) {
    if (line === '') continue;
    const colon = line.indexOf(':');
    if (colon < 0) throw new GoFault('a header of a part has no colon');
    const name = line.slice(0, colon).trim().toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return headers;
}
