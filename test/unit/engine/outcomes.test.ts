import { describe, expect, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import type { Remote } from '../../../src/core/remote.ts';
import type { Verb } from '../../../src/engine/action.ts';
import { ALL, type Consent, PRETEND } from '../../../src/engine/consent.ts';
import { Budget } from '../../../src/engine/loss/budget.ts';
import { RunOutcomes } from '../../../src/engine/outcomes.ts';
import { retryRun } from '../../../src/engine/run.ts';
import { attemptSync } from '../../../src/engine/sync.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import {
  type OptionParts,
  optionsOf,
  quietContext,
  remoteBut,
  remoteWith,
} from '../../support/memory-world.ts';

const ours = { same: 'same', new: 'new', changed: 'longer', 'd/f': 'f' };
const theirs = { same: 'same', changed: 'old', extra: 'e', 'x/y': 'y' };
const compared = ['* changed', '+ d/f', '+ new', '- extra', '- x/y', '= same'];

/** The lines of `--combined` and of `--dest-after`, sorted. */
async function reported(
  verb: Verb,
  source: Remote,
  dest: Remote,
  options: OptionParts = {},
  consent: Consent = ALL,
): Promise<{ combined: string[]; after: string[] }> {
  const combined: string[] = [];
  const after: string[] = [];
  const deletes = verb === 'sync' ? 'after' : 'off';
  const plan = { verb, source, dest, options: optionsOf({ deletes, ...options }) } as const;
  const outcomes = new RunOutcomes(
    {
      combined: async (line) => void combined.push(line.trimEnd()),
      destAfter: async (file, path = file.path) => void after.push(path),
    },
    plan.options.deletes !== 'off',
  );
  const { context } = quietContext();
  const setup = { context, filter: passAllFilter, budget: new Budget(), outcomes, consent };
  await retryRun(context, { retries: 2, sleepMs: 0 }, () => attemptSync(setup, plan)).catch(
    () => {},
  );
  await outcomes.finish();
  return { combined: combined.sort(), after: after.sort() };
}

/** A remote whose first `times` writes of `path` fail. */
function failing(remote: Remote, path: string, times: number): Remote {
  let left = times;
  return remoteBut(remote, {
    write: async (source, op) => {
      if (source.path !== path || left-- <= 0) return remote.write(source, op);
      throw new SyncerError('other', 'broken');
    },
    can: {},
  });
}

describe('reports of a run', () => {
  test.each([
    ['copy', {}, ['changed', 'd/f', 'extra', 'new', 'same', 'x/y']],
    ['move', {}, ['changed', 'd/f', 'extra', 'new', 'same', 'x/y']],
    ['sync', {}, ['changed', 'd/f', 'new', 'same']],
    ['sync', { deletes: 'before' }, ['changed', 'd/f', 'new', 'same']],
    ['sync', { deletes: 'during' }, ['changed', 'd/f', 'new', 'same']],
    ['copy', { existing: true }, ['changed', 'extra', 'same', 'x/y']],
    ['copy', { immutable: true }, ['changed', 'd/f', 'extra', 'new', 'same', 'x/y']],
  ] as const)('%s %o', async (verb, options, after) => {
    const sides = [await remoteWith(ours), await remoteWith(theirs)] as const;
    expect(await reported(verb, ...sides, options)).toEqual({ combined: compared, after });
  });

  test.each(['copy', 'sync', 'move'] as const)('%s --dry-run', async (verb) => {
    const sides = [await remoteWith(ours), await remoteWith(theirs)] as const;
    const found = await reported(verb, ...sides, {}, PRETEND);
    expect(found).toEqual({ combined: compared, after: ['changed', 'extra', 'same', 'x/y'] });
  });

  test('a file that a retry has copied is reported once, and not as an error', async () => {
    const dest = failing(await remoteWith(theirs), 'new', 1);
    expect(await reported('copy', await remoteWith(ours), dest)).toEqual({
      combined: compared,
      after: ['changed', 'd/f', 'extra', 'new', 'same', 'x/y'],
    });
  });

  test('a file that failed to the end is an error; the old one is still there', async () => {
    const dest = failing(await remoteWith(theirs), 'changed', 99);
    expect(await reported('sync', await remoteWith(ours), dest)).toEqual({
      combined: ['! changed', ...compared],
      after: ['changed', 'd/f', 'extra', 'new', 'same', 'x/y'],
    });
    const other = failing(await remoteWith(theirs), 'new', 99);
    const { after } = await reported('copy', await remoteWith(ours), other);
    expect(after).toEqual(['changed', 'd/f', 'extra', 'same', 'x/y']);
  });

  test('a renamed file is there under its new name only', async () => {
    const source = await remoteWith({ b: 'content' });
    const dest = await remoteWith({ a: 'content' });
    const trackRenames = { hash: true, modTime: false, leaf: false };
    expect(await reported('sync', source, dest, { trackRenames })).toEqual({
      combined: ['+ b', '- a'],
      after: ['b'],
    });
  });
});
