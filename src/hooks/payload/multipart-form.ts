import { nameFromBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../go/go-fault.ts';
import { goQuote } from '../go/go-quote.ts';
import { type GoMap, NIL_MAP } from '../go/go-value.ts';
import { parseGoJsonObject } from '../go/parse-go-json.ts';
import { type MediaType, parseMediaType } from './media-type.ts';
import { MultipartParts, type PartSink } from './multipart-parts.ts';

/** How a multipart body is read. */
export interface MultipartOptions {
  /** Bytes that all its fields together may have. */
  readonly maxFieldBytes: number;
  /** Bytes that the files which are read as JSON may have together. */
  readonly maxFileBytes: number;
  /** Whether a file of this name is read as JSON whatever its type. */
  readonly isJson: (name: string) => boolean;
  readonly log: (line: string) => void;
}

const MAX_PARTS = 1000;

/**
 * Reads a multipart body as it comes: fields become texts, files that are JSON become objects, other files are
 * passed over. Rejects with `GoFault`.
 *
 * @param contentType the header of the request
 */
export async function readMultipart(
  contentType: string | undefined,
  chunks: AsyncIterable<Buffer>,
  options: MultipartOptions,
): Promise<GoMap> {
  if (contentType === undefined)
    throw new GoFault("request Content-Type isn't multipart/form-data");
  const { type, parameters } = parseMediaType(contentType);
  if (type !== 'multipart/form-data' && type !== 'multipart/mixed') {
    throw new GoFault("request Content-Type isn't multipart/form-data");
  }
  const boundary = parameters.get('boundary');
  if (boundary === undefined) throw new GoFault('no multipart boundary param in Content-Type');
  const collector = new FormCollector(options);
  const parts = new MultipartParts(boundary, collector);
  for await (const chunk of chunks) parts.push(chunk);
  parts.end();
  return collector.payload();
}

interface Part {
  readonly name: string;
  readonly isFile: boolean;
  readonly chunks: Buffer[];
}

class FormCollector implements PartSink {
  readonly #options: MultipartOptions;
  readonly #fields = new Map<string, string>();
  readonly #files = new Map<string, Buffer | undefined>();
  #part: Part | undefined;
  #wanted = false;
  #parts = 0;
  #fieldBytes = 0;
  #fileBytes = 0;

  constructor(options: MultipartOptions) {
    this.#options = options;
  }

  begin(headers: ReadonlyMap<string, readonly string[]>): boolean {
    if (++this.#parts > MAX_PARTS) throw new GoFault('multipart: message too large');
    const disposition = dispositionOf(headers.get('content-disposition')?.[0]);
    const name = disposition?.type === 'form-data' ? disposition.parameters.get('name') : undefined;
    const isFile = (disposition?.parameters.get('filename') ?? '') !== '';
    this.#part = name ? { name, isFile, chunks: [] } : undefined;
    this.#wanted = false;
    if (!name) return false;
    const types = headers.get('content-type') ?? [];
    this.#wanted = isFile
      ? !this.#files.has(name) && (types.includes('application/json') || this.#options.isJson(name))
      : true;
    return this.#wanted;
  }

  content(bytes: Buffer): void {
    const part = this.#part;
    if (part === undefined) return;
    if (part.isFile) this.#fileBytes += bytes.length;
    else this.#fieldBytes += bytes.length;
    const { maxFieldBytes, maxFileBytes } = this.#options;
    if (this.#fieldBytes > maxFieldBytes || this.#fileBytes > maxFileBytes) {
      throw new GoFault('multipart: message too large');
    }
    part.chunks.push(Buffer.from(bytes));
  }

  end(): void {
    const part = this.#part;
    if (part === undefined) return;
    const content = Buffer.concat(part.chunks);
    if (part.isFile) {
      if (!this.#files.has(part.name))
        this.#files.set(part.name, this.#wanted ? content : undefined);
    } else if (!this.#fields.has(part.name)) this.#fields.set(part.name, nameFromBytes(content));
  }

  payload(): GoMap {
    const { log } = this.#options;
    const payload: GoMap = new Map();
    for (const [name, value] of this.#fields) {
      log(`found multipart form value ${goQuote(name)}`);
      payload.set(name, value);
    }
    for (const [name, content] of this.#files) {
      if (content === undefined) continue;
      log(`parsing multipart form file ${goQuote(name)} as JSON`);
      try {
        payload.set(name, parseGoJsonObject(content));
      } catch (thrown) {
        if (!(thrown instanceof GoFault)) throw thrown;
        log(`error parsing JSON payload file: ${thrown.message}`);
        payload.set(name, NIL_MAP);
      }
    }
    return payload.size === 0 ? NIL_MAP : payload;
  }
}

function dispositionOf(header: string | undefined): MediaType | undefined {
  try {
    return header === undefined ? undefined : parseMediaType(header);
  } catch (thrown) {
    if (thrown instanceof GoFault) return undefined;
    throw thrown;
  }
}
