import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../commands/index.ts';
import { parseDateTime, parseDecimalSeconds } from '../../../src/core/mod-time.ts';
import { parseBandwidth } from '../../../src/engine/bandwidth-timetable.ts';
import { parseByteSize, parseDuration } from '../../../src/go/quantities.ts';
import { parseLsfFormat } from '../../../src/listing/lsf-format.ts';
import { parseSumFile } from '../../../src/listing/sum-file.ts';
import { parseRules } from '../../../src/names/name-encoding.ts';
import { allFlags } from '../../../src/shell/command-line/flag-set.ts';
import { readFlagValue } from '../../../src/shell/command-line/flag-value.ts';
import { hostileText, RUNS, refusesWell } from './hostile-text.ts';

test.each<[string, (text: string) => unknown]>([
  ['sizes', parseByteSize],
  ['durations', (text) => parseDuration(text, 0)],
  ['dates', parseDateTime],
  ['times of objects', parseDecimalSeconds],
  ['bandwidths', parseBandwidth],
  ['encodings', parseRules],
  ['lsf formats', parseLsfFormat],
  ['files of hashes', parseSumFile],
])('%s: understood or refused', (_, parse) => {
  fc.assert(
    fc.property(hostileText, (text) => {
      refusesWell(() => parse(text));
    }),
    RUNS,
  );
});

test('a size or duration that is understood is a number that is not negative, or off', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const size = refusesWell(() => parseByteSize(text));
      if (size !== undefined) expect(size >= -1 && Number.isInteger(size)).toBe(true);
      const ms = refusesWell(() => parseDuration(text, 0));
      if (ms !== undefined) expect(Number.isNaN(ms)).toBe(false);
    }),
    RUNS,
  );
});

test('every flag understands any text or refuses it', () => {
  const flags = allFlags(COMMANDS).map(({ definition }) => definition);
  fc.assert(
    fc.property(fc.constantFrom(...flags), hostileText, (flag, text) => {
      refusesWell(() => readFlagValue(flag, text, undefined, 0));
    }),
    RUNS,
  );
});
