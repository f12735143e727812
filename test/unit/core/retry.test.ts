import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/core/context.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import type { SyncerEvent } from '../../../src/core/events.ts';
import {
  filePolicy,
  type RetryOptions,
  requestPolicy,
  retry,
  runPolicy,
} from '../../../src/core/retry.ts';

function setUp(more: Partial<RetryOptions> = {}) {
  const events: SyncerEvent[] = [];
  const slept: number[] = [];
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
    },
  };
  const options: RetryOptions = {
    tries: 4,
    what: 'read a/b',
    signal: new AbortController().signal,
    context: { clock, emit: (event) => events.push(event) },
    random: () => 1,
    ...more,
  };
  return { options, events, slept };
}

/** Fails with each of these in turn, then succeeds. */
function failing(...errors: Error[]) {
  const left = [...errors];
  return async (attempt: number) => {
    const error = left.shift();
    if (error !== undefined) throw error;
    return `done at ${attempt}`;
  };
}

const network = () => new SyncerError('network', 'reset');

describe('retry', () => {
  it('gives what the call gives, at once', async () => {
    const { options, slept } = setUp();
    expect(await retry(failing(), options)).toBe('done at 1');
    expect(slept).toEqual([]);
  });

  it('tries again with growing waits, and tells', async () => {
    const { options, slept, events } = setUp();
    expect(await retry(failing(network(), network()), options)).toBe('done at 3');
    expect(slept).toEqual([50, 100]);
    expect(events).toEqual([
      { type: 'wait', why: 'retry', ms: 50, what: 'read a/b', error: expect.any(SyncerError) },
      { type: 'wait', why: 'retry', ms: 100, what: 'read a/b', error: expect.any(SyncerError) },
      {
        ...{ type: 'log', level: 'info', code: 'retry-succeeded' },
        fields: { what: 'read a/b', attempt: 3, of: 4 },
      },
    ]);
  });

  it('obeys the time a throttling store names', async () => {
    const { options, slept, events } = setUp();
    const error = new SyncerError('throttled', 'slow down', { retryAfterMs: 7000 });
    await retry(failing(error), options);
    expect(slept).toEqual([7000]);
    expect(events).toMatchObject([
      { why: 'throttled', ms: 7000 },
      { code: 'retry-succeeded', fields: { attempt: 2 } },
    ]);
  });

  it('ends with the last error when the tries are used up', async () => {
    const { options, slept } = setUp({ tries: 3 });
    const errors = [1, 2, 3, 4].map((n) => new SyncerError('server', `failure ${n}`));
    await expect(retry(failing(...errors), options)).rejects.toBe(errors[2]);
    expect(slept.length).toBe(2);
  });

  it('does not repeat what cannot succeed', async () => {
    const { options, slept } = setUp();
    const denied = new SyncerError('access-denied', 'no');
    await expect(retry(failing(denied), options)).rejects.toBe(denied);
    const odd = new TypeError('a bug');
    await expect(retry(failing(odd), options)).rejects.toMatchObject({ code: 'other', cause: odd });
    expect(slept).toEqual([]);
  });

  it('gives up where the caller says so', async () => {
    const { options, slept } = setUp({ giveUp: (_, failures) => failures === 2 });
    await expect(retry(failing(network(), network(), network()), options)).rejects.toThrow('reset');
    expect(slept.length).toBe(1);
  });

  it('counts only failures since the call came further', async () => {
    let done = 0;
    const { options, slept } = setUp({ tries: 2, progress: () => done });
    const call = async () => {
      if (done < 3) done++;
      throw network();
    };
    await expect(retry(call, options)).rejects.toThrow('reset');
    // Three failures that each came further, and two that did not, of which the last ends it.
    expect(slept).toEqual([50, 50, 50]);
  });

  it('rejects with the reason when aborted before, during and between tries', async () => {
    const reason = new SyncerError('interrupted', 'stop');
    const before = setUp({ signal: AbortSignal.abort(reason) });
    await expect(retry(failing(), before.options)).rejects.toBe(reason);

    const controller = new AbortController();
    const during = setUp({ signal: controller.signal });
    const call = async () => {
      controller.abort(reason);
      throw network();
    };
    await expect(retry(call, during.options)).rejects.toBe(reason);

    const later = new AbortController();
    const between = setUp({ signal: later.signal });
    const context = { ...between.options.context, emit: () => later.abort(reason) };
    await expect(retry(failing(network()), { ...between.options, context })).rejects.toBe(reason);
  });

  it('logs no success of a first try, nor of a call that fails in every try', async () => {
    const { options, events } = setUp({ tries: 2 });
    await retry(failing(), options);
    expect(events).toEqual([]);
    await expect(retry(failing(network(), network()), options)).rejects.toThrow('reset');
    expect(events.map(({ type }) => type)).toEqual(['wait']);
  });

  it('names the success of a file by its path, and that of a run as rclone does', async () => {
    const file = setUp({ policy: filePolicy, what: 'photo.jpg' });
    await retry(failing(network()), file.options);
    expect(file.events.at(-1)).toEqual({
      ...{ type: 'log', level: 'info', path: 'photo.jpg' },
      ...{ code: 'retry-succeeded', fields: { attempt: 2, of: 4 } },
    });
    const run = setUp({ policy: runPolicy });
    await retry(failing(network()), run.options);
    expect(run.events.at(-1)).toEqual({
      ...{ type: 'log', level: 'error' },
      ...{ code: 'attempt-succeeded', fields: { attempt: 2, of: 4 } },
    });
  });

  it('filePolicy does not try a file again that has to be listed again', async () => {
    const changed = new SyncerError('source-changed', 'it was written');
    expect([requestPolicy.mayHelp(changed), filePolicy.mayHelp(changed)]).toEqual([true, false]);
    const { options } = setUp({ policy: filePolicy });
    await expect(retry(failing(changed), options)).rejects.toBe(changed);
  });

  it('neither waits nor says so where the policy has no wait', async () => {
    const { options, slept, events } = setUp({
      policy: { ...requestPolicy, waitMs: () => undefined },
    });
    expect(await retry(failing(network()), options)).toBe('done at 2');
    expect(slept).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(['log']);
  });

  it('calls onWait instead of the event, and ends its wait with another signal', async () => {
    const waits: unknown[] = [];
    const reason = new SyncerError('stopped', 'stop after this');
    const { options, events } = setUp({
      onWait: ({ code }, ms, failures) => waits.push([code, ms, failures]),
      waitSignal: AbortSignal.abort(reason),
    });
    await expect(retry(failing(network()), options)).rejects.toBe(reason);
    expect(waits).toEqual([['network', 50, 1]]);
    expect(events).toEqual([]);
  });

  it('prepares each further try, and ends if that fails or the caller has another error', async () => {
    const prepared: string[] = [];
    const { options } = setUp({
      prepare: async ({ code }) => {
        prepared.push(code);
        if (prepared.length === 2) throw new SyncerError('bad-answer', 'nobody knows it');
      },
    });
    await expect(retry(failing(network(), network()), options)).rejects.toThrow('nobody knows it');
    expect(prepared).toEqual(['network', 'network']);
    const other = new SyncerError('network', 'the session has expired');
    const ended = setUp({ giveUp: () => other });
    await expect(retry(failing(network()), ended.options)).rejects.toBe(other);
  });
});
