import { constants, fstatSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sendAnswer } from '../../../../../src/serve/s3/wire/answer.ts';

const SIZE = 3 * 1024 * 1024 + 5;

/** Answers each request with a part of a file, opened with these flags. */
async function serving(flags: number, offset: number) {
  const folder = mkdtempSync(join(tmpdir(), 'syncer-answer-'));
  const content = Buffer.alloc(SIZE, 'abcdefghijk');
  writeFileSync(join(folder, 'file'), content);
  const sent: Promise<'sent' | Error>[] = [];
  let fd = -1;
  const server = createServer((request, response) => {
    fd = openSync(join(folder, 'file'), flags);
    const body = { fd, offset, length: SIZE - offset };
    sent.push(
      sendAnswer(request, response, { body }, {}).then(
        () => 'sent',
        (error: Error) => error,
      ),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
  const { port } = server.address() as AddressInfo;
  const ask = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get({ port, host: '127.0.0.1' }, resolve).on('error', reject);
    });
  return { content: content.subarray(offset), ask, sent, isClosed: () => !isOpen(fd) };
}

function isOpen(fd: number): boolean {
  try {
    fstatSync(fd);
    return true;
  } catch {
    return false;
  }
}

test('a part of a file is sent in pieces, for several who ask at once', async () => {
  const { content, ask, sent } = await serving(constants.O_RDONLY, 1234);
  const answers = await Promise.all([ask(), ask(), ask()]);
  for (const answer of answers) {
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(content)).toBe(true);
  }
  expect(await Promise.all(sent)).toEqual(['sent', 'sent', 'sent']);
});

test('an answer is cut off where the file cannot be read', async () => {
  const { ask, sent, isClosed } = await serving(constants.O_WRONLY, 0);
  const outcome = await ask()
    .then(
      async (answer) => {
        for await (const _ of answer);
        return 'whole';
      },
      () => 'cut off',
    )
    .catch(() => 'cut off');
  expect(outcome).toBe('cut off');
  expect(await sent[0]).toMatchObject({ code: 'EBADF' });
  expect(isClosed()).toBe(true);
});

test('a client that goes away ends the sending', async () => {
  const { ask, sent, isClosed } = await serving(constants.O_RDONLY, 0);
  const answer = await ask();
  answer.destroy();
  expect(await sent[0]).toBeInstanceOf(Error);
  expect(isClosed()).toBe(true);
});
