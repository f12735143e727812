import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textAnswer } from '../../../../src/webhook/http/answer.ts';
import {
  Activity,
  type RequestHandler,
  serveHttp,
} from '../../../../src/webhook/http/connection.ts';
import { BrokenBody } from '../../../../src/webhook/http/request-body.ts';
import { FRAMINGS } from './framings.ts';

let server: Server;
let ran: string[];

beforeAll(async () => {
  const handle: RequestHandler = async ({ head, body }) => {
    try {
      await body.readAll(1 << 20);
      ran.push(head.target);
      return textAnswer(200, `served ${head.target}`);
    } catch (thrown) {
      if (!(thrown instanceof BrokenBody)) throw thrown;
      return textAnswer(400, 'Bad Request');
    }
  };
  const activity = new Activity();
  const limits = { maxHeadBytes: 1 << 20, headTimeoutMs: 500, idleTimeoutMs: 500, activity };
  const take = serveHttp(handle, limits);
  server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, take);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

async function exchange(bytes: string): Promise<string> {
  ran = [];
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

test.each(FRAMINGS)('%s: %s', async (_, wanted, bytes) => {
  const answer = await exchange(bytes);
  const statuses = [...answer.matchAll(/HTTP\/1\.[01] (\d+) /g)].map(([, status]) =>
    Number(status),
  );
  if (wanted === 'refused') {
    expect(ran).toEqual([]);
    expect(statuses).toEqual([expect.toBeOneOf([400, 413, 431])]);
  } else if (wanted === 'closed') {
    expect(ran).toHaveLength(1);
    expect(statuses).toEqual([200]);
  } else {
    expect(ran.at(-1)).toBe('/next');
    expect(statuses).toEqual(ran.map(() => 200));
  }
});

test('no framing is left out', () => expect(FRAMINGS.length).toBeGreaterThanOrEqual(87));
