import { closeSync, createReadStream, read } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { S3Error } from './s3-error.ts';
import { element } from './xml-text.ts';

/** A part of an open file as the body of an answer. */
export interface FileBody {
  /** Closed when the body was sent, or could not be. */
  readonly fd: number;
  readonly offset: number;
  readonly length: number;
}

/** What an operation answers. */
export interface Answer {
  /** 200 where absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An XML document, bytes, or a part of a file. */
  readonly body?: string | Buffer | FileBody;
}

/** Bodies up to this size are sent in one piece, in bytes. */
const SMALL = 64 * 1024;
const PIECE = 256 * 1024;

const readAt = promisify(read);

/** Sends an answer. Rejects where the connection broke or the file ended early; it is cut off then. */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  common: Readonly<Record<string, string>>,
): Promise<void> {
  const { body } = answer;
  const status = answer.status ?? 200;
  const headers: Record<string, string | number> = { ...common, ...answer.headers };
  const silent = request.method === 'HEAD' || status === 204 || status === 304;
  if (typeof body === 'object' && 'fd' in body) {
    headers['content-length'] = body.length;
    try {
      response.writeHead(status, headers);
      if (silent) response.end();
      else await sendFile(response, body);
    } finally {
      closeSync(body.fd);
    }
    return;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  if (typeof body === 'string') headers['content-type'] = 'application/xml';
  if (status !== 204 && status !== 304) headers['content-length'] ??= bytes?.length ?? 0;
  response.writeHead(status, headers);
  response.end(silent ? undefined : bytes);
}

async function sendFile(response: ServerResponse, body: FileBody): Promise<void> {
  const { fd, offset, length } = body;
  if (length <= SMALL) {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await readAt(fd, buffer, filled, length - filled, offset + filled);
      if (bytesRead === 0) return void response.destroy();
      filled += bytesRead;
    }
    response.end(buffer);
    return;
  }
  const end = offset + length - 1;
  const file = createReadStream('', {
    fd,
    start: offset,
    end,
    highWaterMark: PIECE,
    autoClose: false,
  });
  try {
    // Not ended by the pipeline: an answer that was ended leaves its connection open, also when bytes lack.
    await pipeline(file, response, { end: false });
  } finally {
    // A file that was cut short from outside: the client must not take the part for the whole.
    if (file.bytesRead < length) response.destroy();
    else response.end();
  }
}

/** The XML answer for a refusal. */
export function errorAnswer(error: S3Error, resource: string, requestId: string): Answer {
  if (error.status === 304) return { status: 304, headers: error.headers };
  let inner = element('Code', error.code) + element('Message', error.message);
  for (const [name, text] of Object.entries(error.elements)) inner += element(name, text);
  inner += element('Resource', resource) + element('RequestId', requestId);
  return {
    status: error.status,
    headers: error.headers,
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${inner}</Error>`,
  };
}
