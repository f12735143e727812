import { expect, test } from 'vitest';
import { disabledFeatures, disableFeatures } from '../../../../src/run/remotes/layers.ts';
import { remoteWith } from '../../../support/memory-world.ts';

test('names in any case; unknown ones do nothing', () => {
  expect([...disabledFeatures('copy, DIRMOVE,Nonsense')]).toEqual(['copyFrom', 'moveDirFrom']);
  expect([...disabledFeatures('')]).toEqual([]);
  expect([...disabledFeatures(undefined)]).toEqual([]);
});

test('help lists them', () => {
  expect(() => disabledFeatures('help')).toThrow('Purge, Copy, Move, DirMove, CleanUp, ListR');
});

test('a remote loses what is disabled and keeps the rest', async () => {
  const remote = await remoteWith({});
  const before = Object.keys(remote.can);
  expect(before).toContain('copyFrom');
  expect(disableFeatures(remote, new Set())).toBe(remote);
  const { can } = disableFeatures(remote, disabledFeatures('Copy'));
  expect(Object.keys(can)).toEqual(before.filter((name) => name !== 'copyFrom'));
});
