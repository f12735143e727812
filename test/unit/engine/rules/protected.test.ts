import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MemoryOptions } from '../../../../src/backends/memory/memory-remote.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { HashName } from '../../../../src/core/hash-names.ts';
import { ALL, type Consent, PRETEND } from '../../../../src/engine/consent.ts';
import { Budget } from '../../../../src/engine/loss/budget.ts';
import type { SyncOptions } from '../../../../src/engine/pass.ts';
import type { FileRule, FileVerdict } from '../../../../src/engine/rules/rule.ts';
import { attemptSync } from '../../../../src/engine/sync.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { judged } from '../../../support/judged.ts';
import {
  contentsOf,
  type Files,
  optionsOf,
  quietContext,
  remoteBut,
  remoteWith,
} from '../../../support/memory-world.ts';

const NAMES = ['a', 'b', 'c', 'd'] as const;
const file = fc.tuple(fc.constantFrom('aa', 'bb', 'ccc'), fc.constantFrom(1000, 1001, 1002));
const files: fc.Arbitrary<Files> = fc.dictionary(fc.constantFrom(...NAMES), file);

const SWITCHES = {
  checksum: fc.boolean(),
  sizeOnly: fc.boolean(),
  ignoreTimes: fc.boolean(),
  ignoreSize: fc.boolean(),
  ignoreExisting: fc.boolean(),
  existing: fc.boolean(),
  update: fc.boolean(),
  immutable: fc.boolean(),
  noUpdateModtime: fc.boolean(),
  refreshTimes: fc.boolean(),
};
/** Mostly few at a time: with many, one rule hides the others. */
const switches = fc.record(SWITCHES, { requiredKeys: [] });

/** Remotes with and without hashes, times in listings, and times that can be set. */
const remotes: fc.Arbitrary<MemoryOptions> = fc.record({
  hashes: fc.constantFrom<readonly HashName[]>([], ['md5']),
  slowHash: fc.boolean(),
  slowModTime: fc.boolean(),
  without: fc.constantFrom([], ['setModTime'] as const, ['moveFrom', 'copyFrom'] as const),
});

const verbs = fc.constantFrom('copy', 'sync', 'move');

/** A rule of the caller about some names. */
function ruleAbout(names: ReadonlySet<string>, verdict: FileVerdict): FileRule {
  return {
    name: 'about-names',
    of: 'change',
    keepsNames: false,
    extra: 'pairs-only',
    isForNew: true,
    judge: ({ source }) => (names.has(source.path) ? verdict : undefined),
  };
}

const VERDICTS: readonly FileVerdict[] = [
  { do: 'keep', reason: { why: 'chosen' } },
  { do: 'refuse', reason: { why: 'suspect' }, error: new Error('refused') },
];

describe('what a flag or a rule keeps from a transfer gets no new time and loses no source', () => {
  test('a file that a rule keeps is on both sides as it was, in random trees with random flags', async () => {
    const world = fc.record({ source: files, dest: files, how: switches, verb: verbs });
    const about = fc.record({
      names: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }),
      verdict: fc.constantFrom(...VERDICTS),
    });
    await fc.assert(
      fc.asyncProperty(
        world,
        remotes,
        remotes,
        about,
        async (given, from, to, { names, verdict }) => {
          const source = await remoteWith(given.source, from);
          const dest = await remoteWith(given.dest, to);
          const { verb, how } = given;
          const [atSource, before] = [await contentsOf(source), await contentsOf(dest)];
          const deletes = verb === 'sync' ? 'after' : 'off';
          const options = optionsOf({ ...how, deletes, deletesSource: verb === 'move' });
          const ruled = new Set<string>(names);
          await attemptSync(
            { context: quietContext().context, filter: passAllFilter, consent: ALL },
            { verb, source, dest, options, moreRules: [ruleAbout(ruled, verdict)] },
          );
          const [left, after] = [await contentsOf(source), await contentsOf(dest)];
          for (const [path, was] of Object.entries(atSource)) {
            const there = before[path];
            const what = `${path}: ${was} to ${there}`;
            const isRuled = ruled.has(path);
            const stays = isRuled || (there === undefined ? how.existing : how.ignoreExisting);
            if (stays === true) expect([what, after[path], left[path]]).toEqual([what, there, was]);
            if (there === undefined) continue;
            const isNewer = secondOf(there) > secondOf(was);
            const decides = how.ignoreTimes !== true && how.ignoreExisting !== true;
            if (how.immutable === true || (how.update === true && isNewer && decides))
              expect([what, after[path]]).toEqual([what, there]);
            // A new time alone is what --no-update-modtime forbids; another content comes with its time.
            if (how.noUpdateModtime === true && contentOf(after[path]) === contentOf(there)) {
              if (contentOf(was) !== contentOf(there))
                expect([what, after[path]]).toEqual([what, there]);
            }
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  test('whatever the rules before it say of a pair, and what they need', () => {
    const entry = fc.record(
      {
        kind: fc.constant('file' as const),
        path: fc.constant('f'),
        size: fc.constantFrom(1, 2, -1),
        modTime: fc.constantFrom(1n, 2n, 3n),
        isWrong: fc.constant(true as const),
      },
      { requiredKeys: ['kind', 'path', 'size', 'modTime'] },
    );
    const facts = fc.record(
      {
        source: entry,
        dest: entry,
        hashes: fc.constantFrom('same' as const, 'differs' as const, 'unknown' as const),
        isTimeUnset: fc.constant(true as const),
      },
      { requiredKeys: ['source', 'dest', 'hashes'] },
    );
    const grounds = fc.record({
      windowNs: fc.constantFrom(1n, 2n, undefined),
      hash: fc.constantFrom<HashName | undefined>('md5', undefined),
    });
    fc.assert(
      fc.property(facts, switches, grounds, verbs, (pair, how, ground, verb) => {
        for (const verdict of VERDICTS) {
          const rule = ruleAbout(new Set(['f']), verdict);
          const found = judged(pair, how, ground, verb, [rule]);
          if ('needs' in found) continue;
          expect(['keep', 'refuse']).toContain(found.do);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

test.each(['does not offer that', 'refuses that'])(
  'a rule that allows a new time but no transfer is asked again where the remote %s',
  async (how) => {
    const source = await remoteWith({ f: ['same', 1001] });
    const store = await remoteWith({ f: ['same', 1000] });
    const { setModTime: _, ...without } = store.can;
    const unsupported = new SyncerError('unsupported', 'times cannot be set');
    const refusing = { ...without, setModTime: () => Promise.reject(unsupported) };
    const dest = remoteBut(store, { can: how === 'refuses that' ? refusing : without });
    const rule: FileRule = {
      name: 'no-transfers',
      of: 'change',
      keepsNames: false,
      extra: 'pairs-only',
      judge: (_, so) =>
        so?.do === 'transfer' ? { do: 'keep', reason: { why: 'chosen' } } : undefined,
    };
    const { context, logLines } = quietContext();
    await attemptSync(
      { context, filter: passAllFilter, consent: ALL },
      { verb: 'copy', source, dest, options: optionsOf({}), moreRules: [rule] },
    );
    expect(await contentsOf(dest)).toEqual({ f: 'same@1000' });
    expect(logLines().filter((line) => line.includes('Copied'))).toEqual([]);
  },
);

function contentOf(shown: string | undefined): string {
  return shown?.split('@')[0] ?? '';
}

function secondOf(shown: string): number {
  return Number(shown.split('@')[1]);
}

describe('a rule about extra files', () => {
  const reason = { why: 'chosen' } as const;
  const keeping: FileRule = {
    name: 'keeps',
    judge: () => undefined,
    extra: ({ path }) => (path.endsWith('kept') ? { do: 'keep', reason } : undefined),
  };
  const FROM = { same: 's' };
  const TO = { ...FROM, gone: 'g', 'd/kept': 'k', 'd/gone': 'g', 'e/f/gone': 'g' };

  async function syncWith(rule: FileRule, consent: Consent, deletes: SyncOptions['deletes']) {
    const [source, dest] = [await remoteWith(FROM), await remoteWith(TO)];
    const { context, logLines } = quietContext();
    const ground = { filter: passAllFilter, budget: new Budget(), consent };
    const setup = { context: { ...context, verbose: true }, ...ground };
    const options = optionsOf({ deletes });
    const plan = { verb: 'sync', source, dest, options, moreRules: [rule] } as const;
    const { error } = await attemptSync(setup, plan);
    return { error, left: Object.keys(await contentsOf(dest)), lines: logLines().join('\n') };
  }

  test.each(['before', 'during', 'after'] as const)(
    'keeps one from --delete-%s, with its directory, and the log says why',
    async (deletes) => {
      const { error, left, lines } = await syncWith(keeping, ALL, deletes);
      expect(error).toBeUndefined();
      expect(left.filter((path) => !path.endsWith('/')).sort()).toEqual(['d/kept', 'same']);
      expect(lines.match(/d\/kept: /g)).toHaveLength(1);
    },
  );

  test('keeps its file and the directory out of what a trial shows', async () => {
    const { left, lines } = await syncWith(keeping, PRETEND, 'after');
    expect(left).toContain('gone');
    expect(lines).toContain('d/gone: Skipped delete');
    expect(lines).toContain('e: Skipped remove directory');
    expect(lines).not.toMatch(/(d\/kept|d): Skipped/);
  });

  test('that refuses is an error, and nothing is deleted', async () => {
    const failure = new SyncerError('differences', 'protected');
    const extra = () => ({ do: 'refuse', reason, error: failure }) as const;
    const { error, left } = await syncWith({ ...keeping, extra }, ALL, 'after');
    expect([error?.message, left.length]).toEqual(['protected', Object.keys(TO).length]);
  });
});
