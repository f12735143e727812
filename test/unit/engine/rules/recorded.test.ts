import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judged } from '../../../support/judged.ts';
import { GROUNDS, PAIRS, SWITCHED } from './recorded-cases.ts';

/**
 * `recorded.txt` has a letter for each verdict, and a line for each set of options, with a letter for each ground and
 * pair. It was recorded from the one function of twelve options that the list of rules has replaced.
 */
const [legend = '', lines = ''] = readFileSync(
  join(import.meta.dirname, 'recorded.txt'),
  'utf8',
).split('\n\n');
const verdicts = new Map(legend.split('\n').map((line) => [line[0], line.slice(2)]));
const recorded = new Map(
  lines
    .trimEnd()
    .split('\n')
    .map((line) => [
      line.split(' ').slice(GROUNDS.length).join(' '),
      line.split(' ').slice(0, GROUNDS.length),
    ]),
);

test('the rules of up to three options say of each pair what was recorded', () => {
  expect(recorded.size).toBe(SWITCHED.length);
  const others: string[] = [];
  for (const set of SWITCHED) {
    const options = Object.fromEntries(set.map((option) => [option, true]));
    for (const [g, ground] of GROUNDS.entries()) {
      for (const [p, pair] of PAIRS.entries()) {
        const found = judged(pair, options, ground);
        const shown =
          'needs' in found ? `needs ${found.needs}` : `${found.do}: ${found.reason.why}`;
        const before = verdicts.get(recorded.get(set.join(' '))?.[g]?.[p]);
        if (shown !== before) others.push(`${set} ${g} ${p}: ${shown}, and not ${before}`);
      }
    }
  }
  expect(others).toEqual([]);
});
