import { MIMEType } from 'node:util';
import { ByteCollector } from '../../core/buffers.ts';
import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-texts.ts';
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
  const source = chunks[Symbol.asyncIterator]();
  try {
    return await readForm(new MultipartBody(boundary, source), options);
  } finally {
    await source.return?.();
  }
}

async function readForm(body: MultipartBody, options: MultipartOptions): Promise<GoMap> {
  const fields = new Map<string, string>();
  /** `undefined` for a file that is not read. */
  const files = new Map<string, Buffer | undefined>();
  let fieldBytes = 0;
  let fileBytes = 0;
  const countField = (bytes: number) => {
    fieldBytes += bytes;
    if (fieldBytes > options.maxFieldBytes) throw new GoFault('its fields are too large');
  };
  const countFile = (bytes: number) => {
    fileBytes += bytes;
    if (fileBytes > options.maxFileBytes) throw new GoFault('its files are too large');
  };
  let goesOn = await body.content(() => {});
  for (let parts = 1; goesOn; parts++) {
    const headers = await body.headers();
    if (parts > MAX_PARTS) throw new GoFault(`it has more than ${MAX_PARTS} parts`);
    for (const [name, values] of headers) countField(name.length + values.join('').length);
    const header = (name: string) => headers.get(name)?.[0] ?? '';
    const { subtype, params } = mimeType(`type/${header('content-disposition')}`) ?? {};
    // Empty for a part that is none of a form.
    const nameBytes = (subtype === 'form-data' && params?.get('name')) || '';
    const name = nameFromBytes(Buffer.from(nameBytes, 'latin1'));
    const hasFileName = Boolean(params?.get('filename') || params?.get('filename*'));
    const isFile = subtype === 'form-data' && hasFileName;
    const mayBeJson = headers.get('content-type')?.includes('application/json') === true;
    const isQuoted = header('content-transfer-encoding').toLowerCase() === 'quoted-printable';
    const isReadFile = isFile && (mayBeJson || options.isJson(name)) && !files.has(name);
    const isRead = name !== '' && (isReadFile || !isFile);
    if (isFile && !files.has(name)) files.set(name, undefined);
    const content = new ByteCollector();
    goesOn = await body.content((bytes) => {
      if (!isRead) return;
      (isFile ? countFile : countField)(bytes.length);
      content.push(bytes);
    });
    if (!isRead) continue;
    let bytes = content.take();
    if (isQuoted) {
      const decoded = bytes
        .toString('latin1')
        .replace(/=(?:\r?\n|([0-9a-fA-F]{2}))/g, (_, code?: string) =>
          code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16)),
        );
      bytes = Buffer.from(decoded, 'latin1');
    }
    if (isFile) files.set(name, bytes);
    else if (!fields.has(name)) fields.set(name, nameFromBytes(bytes));
  }
  return payloadOf(fields, files, options.log);
}

function payloadOf(
  fields: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, Buffer | undefined>,
  log: MultipartOptions['log'],
): GoMap {
  const payload: GoMap = new Map();
  const room = new ValueRoom();
  for (const [name, value] of fields) {
    log((redact) => `found multipart form value ${redactQuoted(name, redact)}`);
    payload.set(name, value);
  }
  for (const [name, content] of files) {
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

function mimeType(header: string): MIMEType | undefined {
  try {
    return new MIMEType(header);
  } catch {
    return undefined;
  }
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

/** Splits a multipart body as it comes in, in linear time; lines may end without a carriage return. Rejects with `GoFault`. */
class MultipartBody {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #delimiter: Buffer;
  /** What is not taken yet. It starts with a line feed, so that a boundary may stand at the very beginning. */
  #rest = Buffer.from('\n');

  constructor(boundary: string, chunks: AsyncIterator<Buffer>) {
    this.#chunks = chunks;
    this.#delimiter = nameToBytes(`\n--${boundary}`);
  }

  /** The headers of the part that begins here. */
  async headers(): Promise<PartHeaders> {
    for (;;) {
      const text = this.#rest.toString('latin1', 0, MAX_HEADERS);
      const end = HEADERS_END.exec(text);
      if (end !== null) {
        this.#rest = this.#rest.subarray(end.index + end[0].length - 1);
        return headersIn(text.slice(0, end.index));
      }
      if (text.length === MAX_HEADERS) throw new GoFault('the headers of a part are too large');
      await this.#readOn();
    }
  }

  /** Takes the content up to the next boundary, piece by piece. @returns whether a part follows it */
  async content(take: (bytes: Buffer) => void): Promise<boolean> {
    const { length } = this.#delimiter;
    // The line feed before it is none of it.
    let start = 1;
    const takeUpTo = (end: number) => {
      if (end <= start) return;
      take(this.#rest.subarray(start, end));
      this.#rest = this.#rest.subarray(end);
      start = 0;
    };
    for (;;) {
      let at = this.#rest.indexOf(this.#delimiter);
      for (; at >= 0; at = this.#rest.indexOf(this.#delimiter, at + 1)) {
        const behind = at + length;
        const tail = this.#rest.toString('latin1', behind, behind + MAX_TAIL);
        const found = TAIL.exec(tail)?.[0];
        if (found !== undefined) {
          const next = this.#rest.subarray(behind + found.length);
          takeUpTo(this.#rest[at - 1] === CARRIAGE_RETURN ? at - 1 : at);
          this.#rest = next;
          return found !== '--';
        }
        if (tail.length < MAX_TAIL && BEGUN_TAIL.test(tail)) break;
      }
      // What may be the start of a boundary waits, with the carriage return before it.
      takeUpTo((at < 0 ? this.#rest.length - length : at) - 1);
      await this.#readOn();
    }
  }

  async #readOn(): Promise<void> {
    const { value, done } = await this.#chunks.next();
    if (done === true) throw new GoFault('the last boundary is missing');
    this.#rest = Buffer.concat([this.#rest, value]);
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
