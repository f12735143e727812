import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A store that knows neither checksums nor `aws-chunked`: it looks at no header and keeps every body as it came. */
export interface OldStore {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The objects, by path. */
  readonly objects: ReadonlyMap<string, Buffer>;
  /** `PUT`, `DELETE` and so on, in order, with the headers that came. */
  readonly requests: readonly Pick<IncomingMessage, 'method' | 'url' | 'headers'>[];
  close(): void;
}

/**
 * Starts an old store on a free port. With `tellsNothing` its answers have no ETags; with `neverAgrees` it waits for
 * bodies without saying `100 Continue`.
 */
export async function startOldStore({
  tellsNothing = false,
  neverAgrees = false,
} = {}): Promise<OldStore> {
  const objects = new Map<string, Buffer>();
  const parts = new Map<number, Buffer>();
  const times = new Map<string, string>();
  const requests: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = [];
  const etagOf = (body: Buffer) => createHash('md5').update(body).digest('hex');
  const answer: RequestListener = async (request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, headers });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { pathname, searchParams } = new URL(url, 'http://store');
    const tell = (content: Buffer) => {
      if (!tellsNothing) response.setHeader('etag', `"${etagOf(content)}"`);
    };
    const found = objects.get(pathname);
    response.setHeader('x-amz-request-id', '1');
    if (method === 'PUT') {
      const number = Number(searchParams.get('partNumber'));
      if (number > 0) parts.set(number, body);
      else objects.set(pathname, body);
      if (!(number > 0)) times.set(pathname, String(headers['x-amz-meta-mtime'] ?? ''));
      tell(body);
      response.end();
    } else if (method === 'DELETE') {
      objects.delete(pathname);
      response.writeHead(204).end();
    } else if (method === 'POST' && searchParams.has('uploads')) {
      times.set(pathname, String(headers['x-amz-meta-mtime'] ?? ''));
      const root = 'InitiateMultipartUploadResult';
      response.end(`<${root}><UploadId>1</UploadId></${root}>`);
    } else if (method === 'POST') {
      const inOrder = [...parts].sort(([a], [b]) => a - b).map(([, part]) => part);
      objects.set(pathname, Buffer.concat(inOrder));
      const digests = inOrder.map((part) => Buffer.from(etagOf(part), 'hex'));
      const root = 'CompleteMultipartUploadResult';
      const etag = `"${etagOf(Buffer.concat(digests))}-${inOrder.length}"`;
      response.end(`<${root}><ETag>${etag}</ETag></${root}>`);
    } else if (pathname.split('/').length === 2) {
      response.end();
    } else if (found === undefined) {
      response.writeHead(404).end();
    } else {
      tell(found);
      response.setHeader('last-modified', new Date().toUTCString());
      response.setHeader('x-amz-meta-mtime', times.get(pathname) ?? '');
      response.setHeader('content-length', found.length);
      response.end(method === 'HEAD' ? undefined : found);
    }
  };
  const server = createServer(answer);
  if (neverAgrees) server.on('checkContinue', answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ accessKeyId: 'a', secretAccessKey: 'b', objects, requests },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
