import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildFilter, type FilterOptions } from '../../../src/filter/build-filter.ts';
import { globToRegexp } from '../../../src/filter/glob-to-regexp.ts';
import { hostileText, RUNS, refusesWell, refusesWellLater } from './hostile-text.ts';

const KINDS = ['include', 'exclude', 'filter', 'exclude-if-present'] as const;
const FILES = [
  'include-from',
  'exclude-from',
  'filter-from',
  'files-from',
  'files-from-raw',
] as const;

/** A pattern, or one that is nearly an expression. */
const pattern = fc.oneof(
  hostileText,
  hostileText.map((text) => `{{${text}}}`),
  hostileText.map((text) => `(${text})*`),
);

test('patterns', () => {
  fc.assert(
    fc.property(pattern, fc.boolean(), (text, ignoreCase) => {
      refusesWell(() => globToRegexp(text, ignoreCase));
    }),
    RUNS,
  );
});

test('a filter is built or refused, and then answers for every path', async () => {
  const rule = fc.oneof(
    pattern.map((text) => `+ ${text}`),
    pattern.map((text) => `- ${text}`),
    pattern,
  );
  const options = fc.oneof(
    fc.tuple(fc.constantFrom(...KINDS), fc.array(rule, { maxLength: 3 })),
    fc.tuple(fc.constantFrom(...FILES), fc.array(rule, { maxLength: 3 })),
  );
  await fc.assert(
    fc.asyncProperty(options, hostileText, async ([kind, rules], path) => {
      const isFile = (FILES as readonly string[]).includes(kind);
      const flags: FilterOptions = { [kind]: isFile ? ['list'] : rules };
      const readList = async () => rules.join('\n');
      const filter = await refusesWellLater(() => buildFilter(flags, readList, 0));
      if (filter === undefined) return;
      expect(typeof filter.keepFile({ path, size: 1 })).toBe('boolean');
      expect(typeof filter.keepDir(path)).toBe('boolean');
      expect(typeof filter.describe()).toBe('string');
    }),
    RUNS,
  );
});

test('ages that make no sense are refused', async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, async (text) => {
      await refusesWellLater(() => buildFilter({ 'min-age': text }, async () => '', 0));
    }),
    RUNS,
  );
});
