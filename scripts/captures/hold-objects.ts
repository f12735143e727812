import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy between programs and an S3 server that passes objects on only as far as it is let. */
export interface ObjectHolder {
  readonly url: string;
  /** Lets this many further bytes of an object pass. */
  release(path: string, bytes: number): void;
  close(): void;
}

/** Starts one before the server at `port`. Objects below `heldPath` wait for their release, others pass. */
export async function holdObjects(port: number, heldPath: string): Promise<ObjectHolder> {
  const allowed = new Map<string, number>();
  const released = new EventTarget();
  const take = async (path: string, most: number): Promise<number> => {
    for (;;) {
      const bytes = Math.min(most, allowed.get(path) ?? 0);
      if (bytes > 0) {
        allowed.set(path, (allowed.get(path) ?? 0) - bytes);
        return bytes;
      }
      await once(released, 'release');
    }
  };
  const server = createServer((request, response) => {
    const { method, headers } = request;
    const { pathname, search } = new URL(request.url ?? '', 'http://proxied');
    const path = decodeURIComponent(pathname);
    const held = method === 'GET' && path.startsWith(heldPath);
    const forward = send({ port, method, path: pathname + search, headers }, async (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        for (let at = 0; at < chunk.length; ) {
          const bytes = held ? await take(path, chunk.length - at) : chunk.length;
          response.write(chunk.subarray(at, at + bytes));
          at += bytes;
        }
      }
      response.end();
    });
    forward.on('error', () => response.destroy());
    request.pipe(forward);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    release(path, bytes) {
      allowed.set(path, (allowed.get(path) ?? 0) + bytes);
      released.dispatchEvent(new Event('release'));
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
