import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAuthenticator } from '../../src/serve/s3/auth/authenticate.ts';
import { handleRequest } from '../../src/serve/s3/handle-request.ts';
import { BucketStore } from '../../src/serve/s3/store/bucket-store.ts';
import { leaveHeapRoom, limitHeap } from '../../src/shell/process/limit-heap.ts';
import { SYNTHETIC_BUCKET, syntheticPage } from './synthetic-listing.ts';

/**
 * The process of the server that is measured against: the S3 server of `serve s3`, which can be told to answer late
 * and counts requests. Arguments: the folder to serve, access key and secret. It is spoken to over Node's channel
 * between parent and child: `{ latencyMs }` sets the delay, `{ count: true }` asks how many requests came since the
 * last time.
 */
const [root = '', accessKeyId = '', secretAccessKey = ''] = process.argv.slice(2);
const region = 'us-east-1';
const services = {
  store: await BucketStore.open(root, false),
  region,
  readOnly: false,
  now: Date.now,
  openAt: undefined,
  authenticate: createAuthenticator([{ accessKeyId, secretAccessKey }], region, Date.now),
  report: () => {},
};
limitHeap();
leaveHeapRoom();
let latencyMs = 0;
let requests = 0;

const listener =
  (expectsContinue: boolean): RequestListener =>
  (request, response) => {
    requests++;
    const answer = () => {
      const url = request.url ?? '/';
      const synthetic = SYNTHETIC_BUCKET.exec(url)?.[1];
      if (synthetic === undefined) {
        void handleRequest(services, request, response, expectsContinue);
        return;
      }
      const body = url.includes('?') ? syntheticPage(url, Number(synthetic)) : '';
      response.setHeader('content-type', 'application/xml');
      response.setHeader('content-length', Buffer.byteLength(body));
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    if (latencyMs > 0) setTimeout(answer, latencyMs);
    else answer();
  };

const server = createServer({ noDelay: true, keepAliveTimeout: 75_000, requestTimeout: 0 });
server.on('request', listener(false));
server.on('checkContinue', listener(true));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ endpoint: `http://127.0.0.1:${port}` });
});

process.on('message', (message: { latencyMs?: number; count?: boolean }) => {
  latencyMs = message.latencyMs ?? latencyMs;
  if (message.count !== true) return;
  process.send?.({ requests });
  requests = 0;
});
process.on('disconnect', () => process.exit());
