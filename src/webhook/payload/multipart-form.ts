import { nameFromBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-fault.ts';
import { goQuote } from '../../go/go-quote.ts';
import { type GoMap, NIL_MAP } from '../../go/go-value.ts';
import { parseGoJsonObject } from '../../go/parse-go-json.ts';
import { TooManyValues, ValueRoom } from '../../go/value-room.ts';
import { ByteCollector } from '../../kit/byte-collector.ts';
import { MultipartParts, type PartSink } from './multipart-parts.ts';
import { type HeaderRoom, headerSize, MAX_ENTRIES, TOO_LARGE } from './part-headers.ts';
import { decodeQuotedPrintable } from './quoted-printable.ts';

/** A header such as `form-data; name="a"`: what stands first in lower case, and the parameters behind it. */
interface MediaType {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\[\s\S])*)"|([^\s;"]+))\s*/y;

/** How a multipart body is read. */
export interface MultipartOptions {
  /** Bytes that all its fields together may have, with the headers of parts; counted as Go counts them. */
  readonly maxFieldBytes: number;
  /** Bytes that the files which are read as JSON may have together. */
  readonly maxFileBytes: number;
  /** Whether a file of this name is read as JSON whatever its type. */
  readonly isJson: (name: string) => boolean;
  readonly log: (line: string) => void;
}

const NO_TYPE: MediaType = { type: '', parameters: new Map() };
const MAX_PARTS = 1000;
/** What Go counts for a field, and for a file on top of that, besides their bytes. */
const FIELD_OVERHEAD = 200;
const FILE_OVERHEAD = 300;

/**
 * Reads a multipart body as it comes: fields become texts, files that are JSON become objects, other files are
 * passed over. Rejects with `GoFault`, and with `TooManyValues`.
 *
 * @param contentType the header of the request
 */
export async function readMultipart(
  contentType: string | undefined,
  chunks: AsyncIterable<Buffer>,
  options: MultipartOptions,
): Promise<GoMap> {
  const { type, parameters } = mediaTypeOf(contentType) ?? NO_TYPE;
  if (type !== 'multipart/form-data' && type !== 'multipart/mixed') {
    throw new GoFault("request Content-Type isn't multipart/form-data");
  }
  const boundary = parameters.get('boundary');
  if (boundary === undefined) throw new GoFault('no multipart boundary param in Content-Type');
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
  readonly #files = new Map<string, Buffer | undefined>();
  #part: Part | undefined;
  #wanted = false;
  #parts = 0;
  #fieldRoom: number;
  #entriesLeft = MAX_ENTRIES;
  #fileBytes = 0;

  constructor(options: MultipartOptions) {
    this.#options = options;
    this.#fieldRoom = options.maxFieldBytes;
  }

  get headerRoom(): HeaderRoom {
    return { bytes: this.#fieldRoom, entries: this.#entriesLeft };
  }

  begin(headers: ReadonlyMap<string, readonly string[]>): 'content' | 'end' | 'nothing' {
    if (++this.#parts > MAX_PARTS) throw new GoFault(TOO_LARGE);
    const disposition = mediaTypeOf(headers.get('content-disposition')?.[0]);
    const name = disposition?.type === 'form-data' ? disposition.parameters.get('name') : undefined;
    const isFile = (disposition?.parameters.get('filename') ?? '') !== '';
    const [encoding = ''] = headers.get('content-transfer-encoding') ?? [];
    const isQuoted = encoding.toLowerCase() === 'quoted-printable';
    this.#part = name ? { name, isFile, isQuoted, content: new ByteCollector() } : undefined;
    this.#wanted = false;
    if (!name) return 'nothing';
    this.#takeRoom(name.length + FIELD_OVERHEAD);
    if (isFile) {
      const { bytes, entries } = headerSize(headers);
      this.#takeRoom(bytes + FILE_OVERHEAD);
      this.#entriesLeft -= entries;
    }
    const types = headers.get('content-type') ?? [];
    this.#wanted = isFile
      ? !this.#files.has(name) && (types.includes('application/json') || this.#options.isJson(name))
      : true;
    return this.#wanted ? 'content' : 'end';
  }

  content(bytes: Buffer): void {
    const part = this.#part;
    if (part === undefined) return;
    if (part.isFile) this.#fileBytes += bytes.length;
    else this.#takeRoom(bytes.length);
    if (this.#fileBytes > this.#options.maxFileBytes) throw new GoFault(TOO_LARGE);
    part.content.push(bytes);
  }

  end(): void {
    const part = this.#part;
    if (part === undefined) return;
    const raw = part.content.take();
    const content = part.isQuoted ? decodeQuotedPrintable(raw) : raw;
    if (part.isFile) {
      if (!this.#files.has(part.name))
        this.#files.set(part.name, this.#wanted ? content : undefined);
    } else if (!this.#fields.has(part.name)) this.#fields.set(part.name, nameFromBytes(content));
  }

  #takeRoom(bytes: number): void {
    this.#fieldRoom -= bytes;
    if (this.#fieldRoom < 0) throw new GoFault(TOO_LARGE);
  }

  payload(): GoMap {
    const { log } = this.#options;
    const payload: GoMap = new Map();
    const room = new ValueRoom();
    for (const [name, value] of this.#fields) {
      log(`found multipart form value ${goQuote(name)}`);
      payload.set(name, value);
    }
    for (const [name, content] of this.#files) {
      if (content === undefined) continue;
      log(`parsing multipart form file ${goQuote(name)} as JSON`);
      try {
        payload.set(name, parseGoJsonObject(content, room));
      } catch (thrown) {
        if (!(thrown instanceof GoFault) || thrown instanceof TooManyValues) throw thrown;
        log(`error parsing JSON payload file: ${thrown.message}`);
        payload.set(name, NIL_MAP);
      }
    }
    return payload.size === 0 ? NIL_MAP : payload;
  }
}

function mediaTypeOf(header: string | undefined): MediaType | undefined {
  try {
    return header === undefined ? undefined : parseMediaType(header);
  } catch (thrown) {
    if (thrown instanceof GoFault) return undefined;
    throw thrown;
  }
}

/** Reads a header with parameters. Throws `GoFault` where it makes no sense. */
function parseMediaType(text: string): MediaType {
  const semicolon = text.indexOf(';');
  const type = (semicolon < 0 ? text : text.slice(0, semicolon)).trim().toLowerCase();
  if (type === '') throw new GoFault('mime: no media type');
  const parameters = new Map<string, string>();
  const names = new Set<string>();
  let at = semicolon < 0 ? text.length : semicolon;
  while (at < text.length && !/^;?\s*$/.test(text.slice(at))) {
    PARAMETER.lastIndex = at;
    const match = PARAMETER.exec(text);
    if (match === null) throw new GoFault('mime: invalid media parameter');
    at += match[0].length;
    const [, name = '', quoted, bare = ''] = match;
    // Browsers write Windows paths without escapes: only quotes and backslashes are taken for escaped.
    const value = quoted === undefined ? bare : quoted.replace(/\\(["\\])/g, '$1');
    const lowerCase = name.toLowerCase();
    if (names.has(lowerCase)) throw new GoFault('mime: duplicate parameter name');
    names.add(lowerCase);
    const [key, decoded] = extended(lowerCase, value);
    if (key === undefined || (key === lowerCase && parameters.has(key))) continue;
    parameters.set(key, decoded);
  }
  return { type, parameters };
}

/** `name*=utf-8''a%20b`, as RFC 5987 has it. */
function extended(name: string, value: string): [name: string | undefined, value: string] {
  if (!name.endsWith('*')) return [name, value];
  const match = /^(?:utf-8|us-ascii)'[^']*'(.*)$/i.exec(value);
  if (match === null) return [undefined, value];
  try {
    return [name.slice(0, -1), decodeURIComponent(match[1] ?? '')];
  } catch {
    return [undefined, value];
  }
}
