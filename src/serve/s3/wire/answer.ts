import { closeSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BufferPool } from '../../../core/buffers.ts';
import { readAll, readNow } from '../../../system/file-bytes.ts';
import { QuickDisk } from '../../../system/quick-disk.ts';
import { sendPiece } from '../../send-piece.ts';
import { element, type S3Error } from './s3-error.ts';

/** A part of an open file as the body of an answer. */
export interface FileBody {
  /** Closed when the body was sent, or could not be. */
  readonly fd: number;
  readonly offset: number;
  readonly length: number;
}

export interface Answer {
  /** 200 by default. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An XML document, bytes, or a part of a file. */
  readonly body?: string | Buffer | FileBody;
}

/** Bodies up to this size are sent in one piece, in bytes. */
const SMALL = 64 * 1024;
const PIECE = 256 * 1024;

/** Buffers for larger bodies, for all responses. */
const pieces = new BufferPool(PIECE, 16);

/** Sends a response. Rejects if the connection broke or the file ended early; the connection is closed then. */
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
    } catch (thrown) {
      // The announced body is incomplete: the client must not wait for the rest.
      response.destroy();
      throw thrown;
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

/** Small files are read in this thread, which takes a tenth of the time of another one; a slow disk rests a minute. */
const disk = new QuickDisk({ monotonic: () => performance.now() }, 60_000);

async function sendFile(response: ServerResponse, body: FileBody): Promise<void> {
  const { fd, offset, length } = body;
  if (length <= SMALL) {
    const buffer = Buffer.allocUnsafe(length);
    const content = disk.isQuick
      ? disk.run(() => readNow(fd, buffer, offset))
      : await readAll(fd, buffer, offset);
    if (content.length < length) return void response.destroy();
    return void response.end(content);
  }
  let sent: Promise<void> = Promise.resolve();
  for (let done = 0; done < length; ) {
    const piece = pieces.take();
    const wanted = Math.min(piece.length, length - done);
    const content = await readAll(fd, piece.subarray(0, wanted), offset + done);
    await sent;
    // A file that was truncated externally: the client must not take the part for the whole.
    if (content.length < wanted) return void response.destroy();
    done += wanted;
    // The next piece is read while this one is sent.
    sent = sendPiece(response, content);
    sent.catch(() => undefined);
  }
  await sent;
  response.end();
}

/** The XML response for an error. */
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
