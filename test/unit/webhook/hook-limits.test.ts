import { describe, expect, test } from 'vitest';
import { decodeHookText } from '../../../src/webhook/file/load-hooks.ts';

const decode = async (fields: object) => {
  const text = `[\n{"id":"a",\n${JSON.stringify(fields).slice(1)}]`;
  const { hooks } = await decodeHookText(Buffer.from(text), { template: false, env: {} });
  return hooks[0];
};

describe('what limits a hook', () => {
  test('nothing, as in webhook 2.8.0', async () => {
    expect(await decode({ 'execute-command': 'x' })).toMatchObject({
      extended: false,
      timeoutMs: 0,
    });
    expect(await decode({})).not.toHaveProperty('limits');
    expect(await decode({})).not.toHaveProperty('responseMode');
  });

  const standard = { maxConcurrency: 0, queueSize: 100, onFull: 'reject', coalesce: false };
  test.each([
    [{ 'max-concurrency': 2 }, { ...standard, maxConcurrency: 2 }],
    [
      { 'max-concurrency': 2, 'queue-size': 0 },
      { ...standard, maxConcurrency: 2, queueSize: 0 },
    ],
    [
      { 'max-concurrency': 1, 'on-full': 'drop-oldest' },
      { ...standard, maxConcurrency: 1, onFull: 'drop-oldest' },
    ],
    [{ coalesce: true }, { ...standard, maxConcurrency: 1, coalesce: true }],
    [{ 'rate-limit': '10/s' }, { ...standard, rate: { count: 10, perMs: 1000 } }],
    [{ 'rate-limit': '5/1m30s' }, { ...standard, rate: { count: 5, perMs: 90_000 } }],
  ])('%j', async (fields, expected) => {
    expect(await decode(fields)).toMatchObject({ extended: true, limits: expected });
  });

  test('a time, a mode and a stream', async () => {
    expect(await decode({ 'command-timeout': '1m', 'response-mode': 'sync' })).toMatchObject({
      ...{ timeoutMs: 60_000, responseMode: 'sync', extended: true },
    });
    expect(await decode({ 'command-timeout': '596h30m' })).toMatchObject({
      timeoutMs: 2_147_400_000,
    });
    expect(await decode({ 'stream-command-output': true })).toMatchObject({ streamOutput: true });
  });
});

describe('what makes no sense is refused with its place', () => {
  test.each([
    [{ 'max-concurrency': -1 }, 'max-concurrency must not be negative'],
    [{ 'max-concurrency': '2' }, 'max-concurrency must be a whole number, not a string'],
    [{ 'queue-size': 5 }, 'queue-size has no effect without max-concurrency'],
    [{ 'on-full': 'reject' }, 'on-full has no effect without max-concurrency'],
    [
      { 'on-full': 'wait', 'max-concurrency': 1 },
      'on-full must be "reject" or "drop-newest" or "drop-oldest"',
    ],
    [{ coalesce: 1 }, 'coalesce must be true or false, not a number'],
    [{ 'rate-limit': 'ten' }, 'rate-limit must be a number of runs and a time'],
    [{ 'rate-limit': '0/s' }, 'rate-limit must be'],
    [{ 'rate-limit': '1/0s' }, 'rate-limit must be'],
    [{ 'command-timeout': 'soon' }, 'command-timeout must be a duration such as 30s'],
    [{ 'command-timeout': '1000h' }, 'command-timeout must be at most 596h30m'],
    [{ 'command-timeout': '596h31m' }, 'command-timeout must be at most 596h30m'],
    [{ 'response-mode': 'later' }, 'response-mode must be "sync" or "async"'],
    [
      { 'response-mode': 'async', 'include-command-output-in-response': true },
      'response-mode cannot be "async" with include-command-output-in-response',
    ],
    [
      { 'stream-command-output': true, 'include-command-output-in-response': true },
      'stream-command-output cannot be true with include-command-output-in-response',
    ],
  ])('%j', async (fields, message) => {
    await expect(decode(fields)).rejects.toThrow(/^line 3, column \d+: hook "a": /);
    await expect(decode(fields)).rejects.toThrow(message);
  });
});
