import { setImmediate as tick } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { BufferPool } from '../../../../src/core/buffers.ts';
import {
  createOutput,
  isReaderGone,
  type OutputStream,
} from '../../../../src/shell/output/output.ts';

const NEVER = new AbortController().signal;
const PIPE = { colour: false, isTerminal: false };

/** A stream that keeps what it gets, and lets a test say when it has taken it. */
function fakeStream(prompt = true) {
  const chunks: Buffer[] = [];
  const waiting: ((error?: Error) => void)[] = [];
  let onError: (error: Error) => void = () => {};
  const stream: OutputStream = {
    write(chunk, done) {
      chunks.push(Buffer.from(chunk));
      if (prompt) done();
      else waiting.push(done);
      return true;
    },
    on(_, listener) {
      onError = listener;
      return stream;
    },
  };
  return { stream, chunks, waiting, fail: () => onError(new Error('EPIPE')) };
}

test('small writes are joined, in order', async () => {
  const { stream, chunks } = fakeStream();
  const out = createOutput(stream, PIPE, () => {}, NEVER);
  await out.write('a\n');
  await out.write(Buffer.from('b\n'));
  await out.write(new Uint8Array([99, 10]));
  expect(chunks).toHaveLength(0);
  await out.flush();
  expect(chunks.map(String)).toEqual(['a\nb\nc\n']);
});

test('what was written comes out without a flush, too', async () => {
  const { stream, chunks } = fakeStream();
  void createOutput(stream, PIPE, () => {}, NEVER).write('a');
  await tick();
  await tick();
  expect(chunks.map(String)).toEqual(['a']);
});

test('names that are not UTF-8 come out as their own bytes', async () => {
  const { stream, chunks } = fakeStream();
  const out = createOutput(stream, PIPE, () => {}, NEVER);
  await out.write('a\udcff😀\n');
  await out.flush();
  expect(chunks[0]?.toString('hex')).toBe('61fff09f98800a');
});

test('a writer waits while the reader is slow', async () => {
  const { stream, waiting } = fakeStream(false);
  const out = createOutput(stream, PIPE, () => {}, NEVER);
  let taken = false;
  const writing = out.write(Buffer.alloc(100_000)).then(() => {
    taken = true;
  });
  await tick();
  expect(taken).toBe(false);
  waiting.shift()?.();
  await writing;
  expect(taken).toBe(true);
});

test('an interrupted run does not wait for a reader that stands still', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { stream, waiting, chunks } = fakeStream(false);
    const interruption = new AbortController();
    let closed = 0;
    const out = createOutput(stream, PIPE, () => closed++, interruption.signal);
    const first = out.write(Buffer.alloc(100_000));
    const second = out.write(Buffer.alloc(100_000));
    interruption.abort();
    // The reader takes something: it does not stand still yet.
    vi.advanceTimersByTime(400);
    waiting.shift()?.();
    await first;
    vi.advanceTimersByTime(400);
    await tick();
    expect(waiting).toHaveLength(1);
    vi.advanceTimersByTime(200);
    await second;
    await out.write(Buffer.alloc(100_000));
    await out.flush();
    expect([chunks.length, closed]).toEqual([2, 0]);
  } finally {
    vi.useRealTimers();
  }
});

test('a large chunk is not copied, and given back when it is written', async () => {
  const buffers = new BufferPool(100_000, 1);
  const chunk = buffers.take();
  const passed: Uint8Array[] = [];
  const { stream, waiting } = fakeStream(false);
  const { write } = stream;
  const watched: OutputStream = {
    ...stream,
    write(bytes, done) {
      passed.push(bytes);
      return write(bytes, done);
    },
  };
  const writing = createOutput(watched, PIPE, () => {}, NEVER).write(chunk);
  expect(passed[0]).toBe(chunk);
  expect(buffers.take().buffer).not.toBe(chunk.buffer);
  waiting.shift()?.();
  await writing;
  expect(buffers.take().buffer).toBe(chunk.buffer);
});

test('flush waits for all writes, whichever ends last', async () => {
  const { stream, waiting } = fakeStream(false);
  const out = createOutput(stream, PIPE, () => {}, NEVER);
  void out.write(Buffer.alloc(100_000));
  void out.write(Buffer.alloc(100_000));
  let flushed = false;
  const flushing = out.flush().then(() => {
    flushed = true;
  });
  waiting.pop()?.();
  await tick();
  expect(flushed).toBe(false);
  waiting.pop()?.();
  await flushing;
});

test('once the reader has gone, nothing is written and nobody waits', async () => {
  const { stream, chunks, fail } = fakeStream();
  let closed = 0;
  const out = createOutput(stream, PIPE, () => closed++, NEVER);
  fail();
  fail();
  await out.write(Buffer.alloc(100_000));
  await out.flush();
  expect(closed).toBe(1);
  expect(chunks).toHaveLength(0);
});

test.each([
  ['EPIPE', true],
  ['ECONNRESET', true],
  ['ENOSPC', false],
  ['EFBIG', false],
])('%s says that the reader has gone: %s', (code, isGone) => {
  expect(isReaderGone(Object.assign(new Error(code), { code }))).toBe(isGone);
});
