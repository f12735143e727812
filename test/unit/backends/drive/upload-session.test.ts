import { expect, test } from 'vitest';
import type { GraphClient } from '../../../../src/backends/drive/client/graph-client.ts';
import type { GraphRequest } from '../../../../src/backends/drive/client/graph-request.ts';
import {
  SessionLost,
  UploadSession,
} from '../../../../src/backends/drive/upload/upload-session.ts';
import { OP } from '../../../support/open-s3.ts';

test.each(['50-', '301-'])('a session that then wants %s is given up', async (range) => {
  const sent: string[] = [];
  const client = {
    tries: 5,
    transport: {},
    call: async ({ method }: GraphRequest) => {
      sent.push(method);
      return { status: 202, headers: {}, json: { nextExpectedRanges: [range] } };
    },
  } as unknown as GraphClient;
  const session = new UploadSession(client, new URL('https://up.example/up/1'), 'file', 400);
  await expect(session.send(100, Buffer.alloc(100), OP)).rejects.toBeInstanceOf(SessionLost);
  expect(sent).toEqual(['PUT', 'DELETE']);
});

test('a session that names no range before the end goes on', async () => {
  const client = {
    tries: 5,
    transport: {},
    call: async () => ({ status: 202, headers: {}, json: { nextExpectedRanges: [] } }),
  } as unknown as GraphClient;
  const session = new UploadSession(client, new URL('https://up.example/up/1'), 'file', 200);
  await expect(session.send(0, Buffer.alloc(100), OP)).resolves.toBeUndefined();
  expect(session.taken).toBe(100);
  // Whether it has all is shown by the item.
  await expect(session.send(100, Buffer.alloc(100), OP)).rejects.toBeInstanceOf(SessionLost);
});
