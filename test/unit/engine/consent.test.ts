import { describe, expect, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import { shownAction } from '../../../src/engine/action.ts';
import type { Consent } from '../../../src/engine/consent.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import { contentsOf, optionsOf, remoteWith, runOnce } from '../../support/memory-world.ts';

/** Allows what `allowed` says, and keeps what was asked. */
function consentThat(allowed: (asked: string) => boolean) {
  const asked: string[] = [];
  const consent: Consent = {
    how: 'ask',
    async ask(action) {
      const { words, about } = shownAction(action);
      asked.push(`${words} ${about}`);
      return allowed(`${words} ${about}`);
    },
  };
  return { consent, asked };
}

const source = { fresh: 'f', changed: 'new!', timed: ['t', 5] } as const;
const dest = { changed: 'old', gone: 'g', timed: ['t', 6] } as const;

describe('a run under a consent', () => {
  test('asks before every change and makes those that are allowed', async () => {
    const to = await remoteWith(dest);
    const { consent, asked } = consentThat((change) => /copy fresh|delete/.test(change));
    const run = await runOnce('sync', await remoteWith(source), to, {}, passAllFilter, consent);
    expect(run.error).toBeUndefined();
    expect(asked.sort()).toEqual([
      'copy changed',
      'copy fresh',
      'delete gone',
      'update modification time timed',
    ]);
    expect(await contentsOf(to)).toEqual({
      changed: 'old@1000',
      fresh: 'f@1000',
      timed: 't@6',
    });
    expect(run.log).toContain('notice: changed: Skipped copy as --interactive is set (size 4)');
  });

  test('a file whose backup is refused is not overwritten', async () => {
    const to = await remoteWith(dest);
    const backup = { remote: await remoteWith({}), suffix: '', keepExtension: false };
    const { consent, asked } = consentThat((change) => !change.startsWith('move changed'));
    const options = optionsOf({ backup });
    await runOnce('copy', await remoteWith(source), to, options, passAllFilter, consent);
    expect(asked).not.toContain('copy changed');
    expect((await contentsOf(to))['changed']).toBe('old@1000');
    expect(await contentsOf(backup.remote)).toEqual({});
  });

  test('a move that is refused leaves the source', async () => {
    const from = await remoteWith(source);
    const to = await remoteWith(dest);
    const { consent } = consentThat(() => false);
    await runOnce('move', from, to, {}, passAllFilter, consent);
    expect(Object.keys(await contentsOf(from)).sort()).toEqual(['changed', 'fresh', 'timed']);
    expect(await contentsOf(to)).toEqual(await contentsOf(await remoteWith(dest)));
  });

  test('where nobody can be asked nothing is changed, and the run fails', async () => {
    const to = await remoteWith(dest);
    const consent: Consent = {
      how: 'ask',
      ask: async () => {
        throw new SyncerError('no-answer', 'nobody there');
      },
    };
    const run = await runOnce('sync', await remoteWith(source), to, {}, passAllFilter, consent);
    expect(run.error).toMatchObject({ code: 'no-answer', exit: 1 });
    expect(await contentsOf(to)).toEqual(await contentsOf(await remoteWith(dest)));
  });
});
