import { MIMEType } from 'node:util';
import { ByteCollector } from '../../core/byte-collector.ts';
import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-errno.ts';
import { type GoMap, NIL_MAP, TooManyValues, ValueRoom } from '../../go/go-value.ts';
import { parseGoJsonObject } from '../../go/parse-go-json.ts';
import { type RequestLine, redactQuoted } from '../log/redact.ts';

/** How a multipart body is read. */
export interface MultipartOptions {
  /** Bytes that all its fields together may have, with the headers of parts. */
  readonly maxFieldBytes: number;
  /** Bytes that the files which are read as JSON may have together. */
  readonly maxFileBytes: number;
  /** Whether a file of this name is read as JSON whatever its type. */
  readonly isJson: (name: string) => boolean;
  readonly log: (line: RequestLine) => void;
}

/** As in Go. */
const MAX_PARTS = 1000;

/**
 * Reads a multipart body as it comes: fields become texts, files that are JSON become objects, other files are
 * skipped. Rejects with `GoFault` and `TooManyValues`.
 *
 * @param contentType the header of the request
 */
export async function readMultipart(
  contentType: string | undefined,
  chunks: AsyncIterable<Buffer>,
  options: MultipartOptions,
): Promise<GoMap> {
  const type = mimeType(contentType ?? '');
  if (type?.essence !== 'multipart/form-data' && type?.essence !== 'multipart/mixed') {
    throw new GoFault('the Content-Type of the request is not multipart/form-data');
  }
  const boundary = type.params.get('boundary');
  if (!boundary) throw new GoFault('the Content-Type of the request has no boundary');
  const collector = new FormCollector(options);
  const parts = new MultipartParts(boundary, collector);
  for await (const chunk of chunks) {
    parts.push(chunk);
    if (parts.isDone) break;
  }
  parts.end();
  return collector.payload();
}

interface Part {
  readonly name: string;
  readonly isFile: boolean;
  readonly isQuoted: boolean;
  readonly content: ByteCollector;
}

class FormCollector implements PartSink {
  readonly #options: MultipartOptions;
  readonly #fields = new Map<string, string>();
  /** `undefined` for a file that is not read. */
  readonly #files = new Map<string, Buffer | undefined>();
  #part: Part | undefined;
  #parts = 0;
  #fieldBytes = 0;
  #fileBytes = 0;

  constructor(options: MultipartOptions) {
    this.#options = options;
  }

  begin(headers: PartHeaders): boolean {
    if (++this.#parts > MAX_PARTS) throw new GoFault(`it has more than ${MAX_PARTS} parts`);
    for (const [name, values] of headers) this.#countField(name.length + values.join('').length);
    const [value = '', encoding = ''] = ['content-disposition', 'content-transfer-encoding'].map(
      (name) => headers.get(name)?.[0],
    );
    const disposition = mimeType(`type/${value}`);
    const name = nameFromBytes(Buffer.from(disposition?.params.get('name') ?? '', 'latin1'));
    this.#part = undefined;
    if (disposition?.subtype !== 'form-data' || name === '') return false;
    const { params } = disposition;
    const isFile = Boolean(params.get('filename') || params.get('filename*'));
    const isJson =
      headers.get('content-type')?.includes('application/json') || this.#options.isJson(name);
    if (isFile && (!isJson || this.#files.has(name))) {
      if (!this.#files.has(name)) this.#files.set(name, undefined);
      return false;
    }
    const isQuoted = encoding.toLowerCase() === 'quoted-printable';
    this.#part = { name, isFile, isQuoted, content: new ByteCollector() };
    return true;
  }

  content(bytes: Buffer): void {
    if (this.#part?.isFile === false) this.#countField(bytes.length);
    else this.#fileBytes += bytes.length;
    if (this.#fileBytes > this.#options.maxFileBytes) throw new GoFault('its files are too large');
    this.#part?.content.push(bytes);
  }

  end(): void {
    if (this.#part === undefined) return;
    const { name, isFile, isQuoted, content } = this.#part;
    const bytes = isQuoted ? fromQuotedPrintable(content.take()) : content.take();
    if (isFile) this.#files.set(name, bytes);
    else if (!this.#fields.has(name)) this.#fields.set(name, nameFromBytes(bytes));
  }

  #countField(bytes: number): void {
    this.#fieldBytes += bytes;
    if (this.#fieldBytes > this.#options.maxFieldBytes)
      throw new GoFault('its fields are too large');
  }

  payload(): GoMap {
    const { log } = this.#options;
    const payload: GoMap = new Map();
    const room = new ValueRoom();
    for (const [name, value] of this.#fields) {
      log((redact) => `found multipart form value ${redactQuoted(name, redact)}`);
      payload.set(name, value);
    }
    for (const [name, content] of this.#files) {
      if (content === undefined) continue;
      log((redact) => `parsing multipart form file ${redactQuoted(name, redact)} as JSON`);
      try {
        payload.set(name, parseGoJsonObject(content, room));
      } catch (thrown) {
        if (!(thrown instanceof GoFault) || thrown instanceof TooManyValues) throw thrown;
        const { message } = thrown;
        log((redact) => `error parsing JSON payload file: ${redact(message)}`);
        payload.set(name, NIL_MAP);
      }
    }
    return payload.size === 0 ? NIL_MAP : payload;
  }
}

function mimeType(header: string): MIMEType | undefined {
  try {
    return new MIMEType(header);
  } catch {
    return undefined;
  }
}

function fromQuotedPrintable(bytes: Buffer): Buffer {
  const decoded = bytes
    .toString('latin1')
    .replace(/=(?:\r?\n|([0-9a-fA-F]{2}))/g, (_, code?: string) =>
      code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16)),
    );
  return Buffer.from(decoded, 'latin1');
}

/** Takes the parts of a multipart body while it comes in. */
interface PartSink {
  /** A part begins. Says whether its content is wanted. */
  begin(headers: PartHeaders): boolean;
  /** Content of the part that began last, where it is wanted. */
  content(bytes: Buffer): void;
  /** The part is complete. */
  end(): void;
}

/** The headers of a part by lower-case name; each byte is a character. */
type PartHeaders = ReadonlyMap<string, readonly string[]>;

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
class MultipartParts {
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
