import { describe, expect, test } from 'vitest';
import { type ErrorCode, SyncerError } from '../../../src/core/errors.ts';
import type { Remote } from '../../../src/core/remote.ts';
import type { Verb } from '../../../src/engine/action.ts';
import { ALL } from '../../../src/engine/consent.ts';
import { Budget } from '../../../src/engine/loss/budget.ts';
import { retryRun } from '../../../src/engine/run.ts';
import { attemptSync } from '../../../src/engine/sync.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import { type FaultPlan, failOnce, faultyRemote } from '../../support/faulty-remote.ts';
import {
  contentsOf,
  plainOptions,
  quietContext,
  remoteBut,
  remoteWith,
} from '../../support/memory-world.ts';

const before = {
  source: {
    same: 's',
    changed: 'new one',
    timed: ['t', 5],
    fresh: 'f',
    'dir/x': 'x',
    'dir/y': 'y',
  },
  dest: { same: 's', changed: 'old', timed: ['t', 6], extra: 'e', 'gone/a': 'a', 'dir/x': 'x' },
} as const;

async function run(verb: Verb, source: Remote, dest: Remote): Promise<void> {
  const { context } = quietContext();
  const options = { ...plainOptions, deletes: verb === 'sync' ? 'after' : 'off' } as const;
  await retryRun(context, { retries: 3, sleepMs: 0 }, () =>
    attemptSync(
      { context, filter: passAllFilter, consent: ALL, budget: new Budget() },
      { verb, source, dest, options },
    ),
  );
}

const worlds = {
  'sorted, all abilities': {},
  'like S3': { slowModTime: true, emptyDirs: false },
  'no server-side abilities': {
    without: ['copyFrom', 'moveFrom', 'moveDirFrom', 'deletesAtOnce', 'purge'] as const,
    sorted: false,
  },
};

describe.each(Object.entries(worlds))('every call fails once in turn: %s', (_, traits) => {
  describe.each(['copy', 'sync', 'move'] as const)('%s', (verb) => {
    test.each<ErrorCode>(['server', 'network', 'throttled', 'timed-out', 'body-cut', 'corrupted'])(
      '%s',
      async (code) => {
        const source = await remoteWith(before.source, traits);
        const dest = await remoteWith(before.dest, traits);
        const counting: FaultPlan = { calls: 0, fail: () => undefined };
        await run(verb, faultyRemote(source, counting), faultyRemote(dest, counting));
        const expected = [await contentsOf(source), await contentsOf(dest)];
        expect(counting.calls).toBeGreaterThan(10);

        for (let at = 1; at <= counting.calls; at++) {
          for (const answerLost of [false, true]) {
            const a = await remoteWith(before.source, traits);
            const b = await remoteWith(before.dest, traits);
            const plan = failOnce(at, new SyncerError(code, 'injected'), answerLost);
            await run(verb, faultyRemote(a, plan), faultyRemote(b, plan));
            const now = [await contentsOf(a), await contentsOf(b)];
            expect(now, `call ${at}, ${answerLost ? 'answer lost' : 'failed'}`).toEqual(expected);
          }
        }
      },
    );
  });
});

test('a run that must stop ends, whichever call fails and whatever still waits', async () => {
  const dirs = Array.from({ length: 30 }, (_, i) => [`d${i}/e/f`, 'x'] as const);
  const counting: FaultPlan = { calls: 0, fail: () => undefined };
  const sides = async (plan: FaultPlan) => [
    faultyRemote(await remoteWith(Object.fromEntries([...dirs, ['a', 'a']])), plan),
    faultyRemote(await remoteWith({ b: 'b' }), plan),
  ];
  const [source, dest] = (await sides(counting)) as [Remote, Remote];
  await run('sync', source, dest);
  for (let at = 1; at <= counting.calls; at++) {
    const [a, b] = (await sides(failOnce(at, new SyncerError('quota-exceeded', 'full')))) as [
      Remote,
      Remote,
    ];
    await expect(run('sync', a, b), `call ${at}`).rejects.toMatchObject({ code: 'quota-exceeded' });
  }
});

test('with every call failing half of the time, no file is ever missing on both sides', async () => {
  for (let seed = 1; seed <= 200; seed++) {
    let state = seed;
    const random = () => {
      state = (state * 1103515245 + 12345) & 0x7fffffff;
      return state / 0x7fffffff;
    };
    const source = await remoteWith(before.source);
    const dest = await remoteWith(before.dest);
    const plan: FaultPlan = {
      calls: 0,
      fail: () => (random() < 0.5 ? new SyncerError('network', 'injected') : undefined),
    };
    await run('move', faultyRemote(source, plan), faultyRemote(dest, plan)).catch(() => {});
    const left = { ...(await contentsOf(dest)), ...(await contentsOf(source)) };
    for (const path of Object.keys({ ...before.source, ...before.dest }))
      expect(left).toHaveProperty([path]);
  }
});

test('a body that breaks off is taken up where it broke', async () => {
  const whole = await remoteWith({ big: 'x'.repeat(100_000) });
  const dest = await remoteWith({});
  const offsets: number[] = [];
  const source = remoteBut(whole, {
    read: async (file, range, op) => {
      offsets.push(range?.offset ?? 0);
      const body = await whole.read(file, range, op);
      const bytes = Buffer.isBuffer(body) ? body : Buffer.concat(await body.toArray());
      const { Readable } = await import('node:stream');
      return Readable.from(
        (async function* () {
          yield bytes.subarray(0, 40_000);
          if (bytes.length > 40_000) throw new SyncerError('body-cut', 'connection reset');
        })(),
        { objectMode: false },
      );
    },
  });
  await run('copy', source, dest);
  expect(offsets).toEqual([0, 40_000, 80_000]);
  expect(Object.values(await contentsOf(dest))[0]).toBe(`${'x'.repeat(100_000)}@1000`);
});
