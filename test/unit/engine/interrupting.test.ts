import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import type { Remote } from '../../../src/core/remote.ts';
import { ALL } from '../../../src/engine/consent.ts';
import { Budget } from '../../../src/engine/loss/budget.ts';
import { attemptSync } from '../../../src/engine/sync.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import { plainOptions, quietContext, remoteBut, remoteWith } from '../../support/memory-world.ts';

/** A listing whose second page never comes: it ends with the run only. */
function neverListed(remote: Remote): Remote {
  return remoteBut(remote, {
    listPage: async (dir, cursor, op) => {
      if (cursor === undefined) return remote.listPage(dir, cursor, op);
      await new Promise<void>((resolve) => op.signal.addEventListener('abort', () => resolve()));
      throw op.signal.reason;
    },
  });
}

test.each([
  ['a run that is broken off', 'interrupted'],
  ['a run that a fatal error ends', 'quota-exceeded'],
] as const)('%s ends when its transfers have cleaned up', async (_, code) => {
  const source = await remoteWith({ a: '1', b: '2', c: '3', d: '4' }, { pageSize: 2 });
  const dest = await remoteWith({});
  const controller = new AbortController();
  const reason = new SyncerError(code, 'it is over');
  let begun = 0;
  let cleanedUp = 0;
  const to = remoteBut(dest, {
    can: {},
    write: async (_source, { signal }) => {
      if (++begun === 2) {
        if (code === 'interrupted') controller.abort(reason);
        else {
          cleanedUp++;
          throw reason;
        }
      }
      while (!signal.aborted) await sleep(1);
      await sleep(20);
      cleanedUp++;
      throw signal.reason;
    },
  });
  const { context } = quietContext();
  const attempt = await attemptSync(
    {
      context: { ...context, signal: controller.signal },
      filter: passAllFilter,
      consent: ALL,
      budget: new Budget(),
    },
    { verb: 'copy', source: neverListed(source), dest: to, options: plainOptions },
  );
  expect(attempt.error?.code).toBe(code);
  expect(begun).toBe(2);
  expect(cleanedUp).toBe(2);
});
