import { expect, test } from 'vitest';
import { queueAddress } from '../../../../src/run/queue/queue-address.ts';
import { persistent } from '../../../../src/run/queue/queue-error.ts';

const refused = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));

test('commands one after the other wait for a queue that is away for a minute in all', async () => {
  let nowMs = 0;
  const clock = {
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
    },
  };
  const told: string[] = [];
  const address = queueAddress('redis://127.0.0.1:6379', {});
  const { signal } = new AbortController();
  const persist = persistent(address, clock, signal, (text) => told.push(text));
  await expect(persist(refused)).rejects.toMatchObject({ code: 'unreachable' });
  expect(nowMs).toBe(60_000);
  await expect(persist(refused)).rejects.toMatchObject({ code: 'unreachable' });
  expect(nowMs).toBe(60_000);
  expect(await persist(async () => 'back')).toBe('back');
  await expect(persist(refused)).rejects.toMatchObject({ code: 'unreachable' });
  expect(nowMs).toBe(120_000);
  expect(told).toEqual([
    expect.stringMatching(/; waiting up to 60 s$/),
    'The queue answers again',
    expect.stringMatching(/; waiting up to 60 s$/),
  ]);
});
