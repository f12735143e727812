import { expect, test } from 'vitest';
import { readRenameStrategy } from '../../../src/engine/passes/renames/track-renames.ts';

test.each([
  ['hash', { hash: true, modTime: false, leaf: false }],
  ['', { hash: true, modTime: false, leaf: false }],
  ['modtime', { hash: false, modTime: true, leaf: false }],
  ['leaf,hash', { hash: true, modTime: false, leaf: true }],
  ['hash,modtime,leaf,size', { hash: true, modTime: true, leaf: true }],
  ['size', { hash: false, modTime: false, leaf: false }],
])('%j', (text, strategy) => {
  expect(readRenameStrategy(text)).toEqual(strategy);
});

test.each(['foo', 'hash,foo', 'Hash', 'hash, leaf', 'hash,'])('%j is refused', (text) => {
  expect(() => readRenameStrategy(text)).toThrow('unknown track renames strategy');
});
