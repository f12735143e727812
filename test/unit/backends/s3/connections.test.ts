import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { startTlsFront } from '../../../servers/tls-front.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';
import { SELF_SIGNED_CERTIFICATE } from '../../../support/self-signed.ts';

let s3: TestS3;
/** The same store behind TLS. */
let secure: { endpoint: string; accessKeyId: string; secretAccessKey: string };
const closing: (() => void)[] = [];

beforeAll(async () => {
  s3 = await startTestS3();
  const front = await startTlsFront(s3.endpoint);
  closing.push(front.close);
  secure = { ...s3, endpoint: front.endpoint };
});
afterAll(async () => {
  for (const close of closing) close();
  await s3.stop();
});

describe('TLS', () => {
  it('refuses a certificate that nobody trusts, and says what to do', async () => {
    const { remote } = await openS3(secure, 'bucket');
    await expect(remote.makeDir('', OP)).rejects.toMatchObject({
      code: 'bad-answer',
      message: expect.stringMatching(
        /^cannot trust 127\.0\.0\.1:\d+: its certificate is self-signed; add its authority with --ca-cert/,
      ),
    });
  });

  it('trusts the authority that is named, and leaves bodies unsigned', async () => {
    const transport = { caCertificates: SELF_SIGNED_CERTIFICATE };
    const { remote } = await openS3(secure, 'bucket', { transport });
    await remote.makeDir('', OP);
    s3.log.clear();
    await remote.write(sourceOf('file', 'content'), OP);
    const [put] = s3.log.requests;
    expect(put?.headers['x-amz-content-sha256']).toBe('UNSIGNED-PAYLOAD');
    expect(await remote.stat('file', OP)).toMatchObject({ size: 7 });
    await remote.close();
  });

  it('trusts anybody where told so', async () => {
    const { remote } = await openS3(secure, 'bucket', { transport: { insecureTls: true } });
    await remote.makeDir('', OP);
    await remote.close();
  });
});

describe('a proxy of the environment', () => {
  it('gets the requests, those for loopback and NO_PROXY excepted', async () => {
    const asked: string[] = [];
    const proxy = createServer((incoming, outgoing) => {
      asked.push(String(incoming.url));
      const { port } = new URL(s3.endpoint);
      const { pathname, search } = new URL(String(incoming.url));
      const { method, headers } = incoming;
      const path = pathname + search;
      const forward = request({ port, host: '127.0.0.1', method, path, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(forward);
    });
    proxy.on('connect', (incoming, socket) => {
      asked.push(String(incoming.url));
      const { port } = new URL(s3.endpoint);
      const tunnel = connect(Number(port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        tunnel.pipe(socket).pipe(tunnel);
      });
      tunnel.on('error', () => {});
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    closing.push(
      () => proxy.closeAllConnections(),
      () => proxy.close(),
    );
    const http_proxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;

    const far = { ...s3, endpoint: 'http://s3.invalid' };
    const through = await openS3(far, 'bucket', { transport: { env: { http_proxy } } });
    await through.remote.makeDir('', OP);
    expect(asked.some((url) => url.includes('s3.invalid'))).toBe(true);
    await through.remote.close();

    asked.length = 0;
    const near = await openS3(s3, 'bucket', { transport: { env: { http_proxy } } });
    await near.remote.makeDir('', OP);
    await near.remote.close();
    const no_proxy = '.invalid';
    const around = await openS3(far, 'bucket', { transport: { env: { http_proxy, no_proxy } } });
    await expect(around.remote.makeDir('', OP)).rejects.toMatchObject({ code: 'network' });
    expect(asked).toEqual([]);
  });
});

describe('connections', () => {
  it('are used again, and a stale one costs no wait', async () => {
    const { remote, events } = await openS3(s3, 'bucket');
    await remote.makeDir('', OP);
    for (let i = 0; i < 5; i++) {
      await remote.write(sourceOf('file', 'content'), OP);
      // The server drops idle connections; the client's own view of them is still that they are open.
      if (i === 2) s3.setFaults((_request, n) => (n === 0 ? { reset: 'before' } : undefined));
    }
    s3.setFaults(undefined);
    expect(events).toEqual([]);
    await remote.close();
  });

  it('obey a limit of transactions', async () => {
    let taken = 0;
    const takeTransaction = async () => {
      taken++;
    };
    const { remote } = await openS3(s3, 'bucket', { transport: { takeTransaction } });
    await remote.write(sourceOf('file', 'content'), OP);
    await remote.stat('file', OP);
    expect(taken).toBe(2);
    await remote.close();
  });
});
