import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';

/** What a path of the host answers with. */
export type HostAnswer = Buffer | ((request: IncomingMessage, response: ServerResponse) => void);

/** A release host on loopback. */
export interface ReleaseHost {
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  /** Method and path of every request, in their order. */
  readonly requests: string[];
  /** Answers by path; 404 for others. */
  readonly answers: Map<string, HostAnswer>;
  close(): Promise<void>;
}

/** Starts a release host that has nothing yet. */
export async function startReleaseHost(): Promise<ReleaseHost> {
  const requests: string[] = [];
  const answers = new Map<string, HostAnswer>();
  const server = createServer((request, response) => {
    const { method, url = '' } = request;
    requests.push(`${method} ${url}`);
    const answer = answers.get(url);
    if (typeof answer === 'function') return answer(request, response);
    if (answer === undefined) return void response.writeHead(404).end('Not Found');
    response.writeHead(200, { 'content-length': answer.length });
    response.end(method === 'HEAD' ? undefined : answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answers,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Puts a release on the host, with its checksums where they are wanted. */
export function putRelease(
  { answers }: ReleaseHost,
  archive: Buffer,
  { version = '2.8.0', arch = 'amd64', before = '', sums = true } = {},
): void {
  const name = `webhook-linux-${arch}.tar.gz`;
  answers.set(`${before}/${version}/${name}`, archive);
  if (!sums) return;
  const sum = createHash('sha256').update(archive).digest('hex');
  const list = `${before}/${version}/SHA256SUMS`;
  const others = answers.get(list);
  const text = `${Buffer.isBuffer(others) ? others : ''}${sum}  ${name}\n`;
  answers.set(list, Buffer.from(text));
}

/** A host that lets clients connect and then says nothing: does not speak TLS ever comes about. */
export async function startMuteHost(): Promise<{ readonly url: string; close(): void }> {
  const sockets = new Set<{ destroy(): void }>();
  const server = createTcp((socket) => {
    sockets.add(socket.on('error', () => {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
