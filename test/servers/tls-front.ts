import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY } from '../support/self-signed.ts';

/** TLS before a server that speaks without. */
export interface TlsFront {
  /** `https://127.0.0.1:port`; its certificate is self-signed. */
  readonly endpoint: string;
  close(): void;
}

/** Starts TLS before the server at `upstream`. The host header stays as the client signed it. */
export async function startTlsFront(upstream: string): Promise<TlsFront> {
  const { port } = new URL(upstream);
  const options = { key: SELF_SIGNED_KEY, cert: SELF_SIGNED_CERTIFICATE };
  const server = createServer(options, (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const forward = request({ port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    forward.on('error', () => outgoing.destroy());
    incoming.pipe(forward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
