import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { RequestBody } from '../../../../src/hooks/http/request-body.ts';
import { parseRequestHead } from '../../../../src/hooks/http/request-head.ts';
import { SocketReader } from '../../../../src/hooks/http/socket-reader.ts';
import { HookLog } from '../../../../src/hooks/log/hook-log.ts';
import { requestHandler } from '../../../../src/hooks/server/handle-request.ts';

test('what nobody foresaw is answered 500 and told in one line', async () => {
  const written: string[] = [];
  const handle = requestHandler({
    options: {
      ...{ urlPrefix: 'hooks', headers: [], methods: [], debug: false, nameRuns: false },
      ...{ maxBody: 10, maxMultipartMem: 10, useRequestId: false, requestIdLimit: 0 },
    },
    log: new HookLog((text) => void written.push(text)),
    findHook: () => undefined,
    runs: {
      keepsRequests: false,
      answered: () => {
        throw new RangeError('too deep');
      },
      refused: () => {},
    },
  });
  const head = parseRequestHead('GET /hooks/a HTTP/1.1\r\nHost: h');
  const events = { atFirstRead: () => {}, atEnd: () => {} };
  const body = new RequestBody(new SocketReader(new Socket()), 0, events);
  const answer = await handle({ head, body, remoteAddress: '1.2.3.4:5' });
  expect(answer).toMatchObject({ status: 500 });
  expect(written).toHaveLength(1);
  expect(written[0]).toMatch(/ error answering the request: too deep\n$/);
});
