import { describe, expect, test } from 'vitest';
import type { CommandResult } from '../../../../src/webhook/command/run-command.ts';
import type { RunLimits } from '../../../../src/webhook/hook.ts';
import { RunQueues } from '../../../../src/webhook/run/run-queues.ts';

const result = (text: string): CommandResult => ({ output: Buffer.from(text), failed: false });
const limits = (more: Partial<RunLimits> = {}): RunLimits => ({
  ...{ maxConcurrency: 1, queueSize: 2, onFull: 'reject', coalesce: false },
  ...more,
});

const FREE = limits({ maxConcurrency: 0 });

/** Queues whose runs end when they are told to. */
function world(maxCommands = 0) {
  const queues = new RunQueues(maxCommands);
  const begun: string[] = [];
  const left: string[] = [];
  const ends = new Map<string, () => void>();
  const submit = (name: string, hook: string, wanted = limits()) => {
    const { state, done } = queues.submit(hook, wanted, {
      begin: () => {
        begun.push(name);
        return new Promise((resolve) => {
          ends.set(name, () => resolve(result(name)));
        });
      },
      leave: (why) => void left.push(`${name} ${why}`),
    });
    const outcome = done.then((ended) => ended?.output.toString() ?? 'given up');
    return { state, outcome };
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { queues, begun, left, submit, end };
}

describe('runs of one hook', () => {
  test('begin one after the other, in order', async () => {
    const { submit, end, begun } = world();
    const states = ['1', '2', '3'].map((name) => submit(name, 'h').state);
    expect(states).toEqual(['started', 'waiting', 'waiting']);
    expect(begun).toEqual(['1']);
    await end('1');
    expect(begun).toEqual(['1', '2']);
    await end('2');
    expect(begun).toEqual(['1', '2', '3']);
  });

  test('without limits all begin at once', () => {
    const { submit, begun } = world();
    for (const name of ['1', '2', '3']) submit(name, 'h', FREE);
    expect(begun).toEqual(['1', '2', '3']);
  });

  test('do not hold up those of another hook', () => {
    const { submit } = world();
    expect([submit('1', 'a').state, submit('2', 'b').state]).toEqual(['started', 'started']);
  });

  test('a higher limit after a reload holds for those that wait', async () => {
    const { submit, end, begun } = world();
    for (const name of ['1', '2', '3']) submit(name, 'h');
    submit('4', 'h', limits({ maxConcurrency: 3, queueSize: 5 }));
    await end('1');
    expect(begun).toEqual(['1', '4', '2', '3']);
  });
});

describe('when the queue is full', () => {
  test('the new one is refused', async () => {
    const { submit, left } = world();
    const runs = ['1', '2', '3', '4'].map((name) => submit(name, 'h'));
    expect(runs[3]?.state).toBe('full');
    expect(await runs[3]?.outcome).toBe('given up');
    expect(left).toEqual(['4 full']);
  });

  test('or left out without a word', () => {
    const { submit } = world();
    const wanted = limits({ queueSize: 0, onFull: 'drop-newest' });
    submit('1', 'h', wanted);
    expect(submit('2', 'h', wanted).state).toBe('left-out');
  });

  test('or the oldest makes room', async () => {
    const { submit, end, begun, left } = world();
    const wanted = limits({ queueSize: 1, onFull: 'drop-oldest' });
    const runs = ['1', '2', '3'].map((name) => submit(name, 'h', wanted));
    expect(runs.map(({ state }) => state)).toEqual(['started', 'waiting', 'waiting']);
    expect(await runs[1]?.outcome).toBe('given up');
    await end('1');
    expect(begun).toEqual(['1', '3']);
    expect(left).toEqual(['2 full']);
  });
});

describe('coalescing', () => {
  test('those that wait become one, the newest, and all hear how it went', async () => {
    const { submit, end, begun, left } = world();
    const wanted = limits({ coalesce: true });
    const runs = ['1', '2', '3', '4'].map((name) => submit(name, 'h', wanted));
    await end('1');
    expect(begun).toEqual(['1', '4']);
    await end('4');
    expect(await Promise.all(runs.map(({ outcome }) => outcome))).toEqual(['1', '4', '4', '4']);
    expect(left).toEqual(['2 replaced', '3 replaced']);
  });
});

describe('the limit of the server', () => {
  test('holds for all hooks together', async () => {
    const { queues, submit, end, begun } = world(2);
    for (const name of ['1', '2', '3', '4']) submit(name, name, FREE);
    expect(begun).toEqual(['1', '2']);
    expect([queues.running, queues.waiting]).toEqual([2, 2]);
    await end('2');
    expect(begun).toEqual(['1', '2', '3']);
  });

  test('what waits can be given up, and what comes later runs as before', async () => {
    const { queues, submit, end, begun, left } = world(1);
    const runs = ['1', '2', '3'].map((name) => submit(name, 'h'));
    submit('4', 'other', FREE);
    expect(queues.giveUpWaiting()).toBe(3);
    expect(left.sort()).toEqual(['2 stopped', '3 stopped', '4 stopped']);
    expect(await runs[2]?.outcome).toBe('given up');
    await end('1');
    expect(submit('5', 'other', limits()).state).toBe('started');
    expect(begun).toEqual(['1', '5']);
  });
});

test('a rate is kept for each hook', () => {
  const { queues } = world();
  const rate = { count: 1, perMs: 1000 };
  const taken = ['a', 'a', 'b'].map((id) => queues.takeRate(id, rate, 5));
  expect(taken).toEqual([0, 1000, 0]);
});
