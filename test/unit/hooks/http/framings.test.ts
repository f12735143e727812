import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Activity } from '../../../../src/hooks/http/activity.ts';
import { textAnswer } from '../../../../src/hooks/http/answer.ts';
import { BrokenBody } from '../../../../src/hooks/http/request-body.ts';
import {
  type RequestHandler,
  serveConnection,
} from '../../../../src/hooks/http/serve-connection.ts';
import { FRAMINGS } from './framings.ts';

const SERVED = 'served /next';
const servers: { ours: Server; node: Server } = { ours: createServer(), node: createServer() };

beforeAll(async () => {
  const handle: RequestHandler = async ({ head, body }) => {
    try {
      await body.readAll(1 << 20);
      return textAnswer(200, `served ${head.target}`);
    } catch (thrown) {
      if (!(thrown instanceof BrokenBody)) throw thrown;
      return textAnswer(400, 'Bad Request');
    }
  };
  const limits = { maxHeadBytes: 1 << 20, headTimeoutMs: 500, idleTimeoutMs: 500 };
  servers.ours = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    void serveConnection(socket, handle, { ...limits, activity: new Activity() });
  });
  servers.node = createHttpServer((request, response) => {
    request.resume().on('end', () => response.end(`served ${request.url}`));
  });
  for (const server of Object.values(servers)) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
});
afterAll(() => {
  for (const server of Object.values(servers)) server.close();
});

async function exchange(server: Server, bytes: string): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {});
  let answer = '';
  socket.setEncoding('latin1').on('data', (piece) => {
    answer += piece;
  });
  socket.end(bytes, 'latin1');
  await once(socket, 'close');
  return answer;
}

/** Node leaves a connection that wants another protocol; Go and we go on with this one. */
const GOES_ON = new Set(['Upgrade h2c']);

test.each(FRAMINGS)(
  '%s: what Node refuses does not run what stands behind it',
  async (name, bytes) => {
    const answer = await exchange(servers.ours, bytes);
    expect(answer).toMatch(/^HTTP\/1\.[01] (?:200|400|501|505) /);
    const reference = await exchange(servers.node, bytes);
    if (!reference.includes(SERVED) && !GOES_ON.has(name)) expect(answer).not.toContain(SERVED);
  },
);

test('two requests of which the first is plain are both answered', async () => {
  for (const name of ['CL 01', 'chunk ext', 'trailer', 'unread body 300k']) {
    const bytes = FRAMINGS.find(([one]) => one === name)?.[1] ?? '';
    expect(await exchange(servers.ours, bytes)).toMatch(/served \/hooks\/raw.*served \/next$/s);
  }
});
