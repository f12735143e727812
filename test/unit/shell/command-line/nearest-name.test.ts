import { expect, test } from 'vitest';
import { nearestName } from '../../../../src/shell/command-line/nearest-name.ts';

const names = ['copy', 'copyto', 'check', 'sync', 'size', 'ls', 'dry-run', 'no-traverse'];

test.each([
  ['copyy', 'copy'],
  ['cpoy', 'copy'],
  ['synk', 'sync'],
  ['dryrun', 'dry-run'],
  ['notraverse', 'no-traverse'],
  ['lss', 'ls'],
  ['copy', 'copy'],
  ['nosuch', undefined],
  ['xyzzy', undefined],
  ['', undefined],
  ['b', undefined],
])('%j most likely meant %j', (typed, nearest) => {
  expect(nearestName(typed, names)).toBe(nearest);
});

test('of two letters one must agree, and of one letter that', () => {
  expect(nearestName('b', ['é'])).toBeUndefined();
  expect(nearestName('', ['é'])).toBeUndefined();
  expect(nearestName('b', ['é', 'bé'])).toBe('bé');
  expect(nearestName('ab', ['cb'])).toBe('cb');
  expect(nearestName('ab', ['cd', 'a'])).toBe('a');
});
