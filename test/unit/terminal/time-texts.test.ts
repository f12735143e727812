import { expect, test } from 'vitest';
import { ago, took } from '../../../src/terminal/time-texts.ts';

test.each([
  [-9_000, '0 s ago'],
  [5_000, '5 s ago'],
  [120_000, '2 min ago'],
  [7_300_000, '2 h ago'],
  [180_000_000, '2 d ago'],
  [15 * 86_400_000, '2 wk ago'],
  [800 * 86_400_000, '2 y ago'],
])('%d ms is %s', (ms, text) => expect(ago(ms)).toBe(text));

test.each([
  [3_210, '3.2 s'],
  [59_940, '59.9 s'],
  [59_960, '1 min 0 s'],
  [250_000, '4 min 10 s'],
  [3_599_700, '1 h 0 min'],
])('%d ms took %s', (ms, text) => expect(took(ms)).toBe(text));
