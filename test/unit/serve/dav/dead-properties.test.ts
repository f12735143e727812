import { beforeAll, beforeEach, expect, test } from 'vitest';
import { DeadProperties } from '../../../../src/serve/dav/dead-properties.ts';
import { parseXml, type XmlNode } from '../../../../src/serve/dav/xml-tree.ts';

const MIB = 1024 * 1024;
const full = expect.objectContaining({ status: 507 });

let small: XmlNode;
beforeAll(async () => {
  small = await parseXml('<p xmlns="urn:x">v</p>');
});

let properties: DeadProperties;
beforeEach(() => {
  properties = new DeadProperties();
});

const large = (name = 'p') => ({ ...small, name, children: ['x'.repeat(MIB)] });
const set = (path: string, property: XmlNode) => {
  const updates = [{ property, isSet: true }];
  properties.checkUpdates(path, updates);
  properties.update(path, updates);
};
const counts = (...paths: readonly string[]) => paths.map((path) => properties.of(path).length);

/** Leaves room for less than one large property. */
const fill = (path = 'f') => {
  for (let i = 0; i < 15; i++) set(path, large(`p${i}`));
};

test('properties are set, replaced and deleted', () => {
  set('a', small);
  set('a', { ...small, name: 'q' });
  set('a', { ...small, children: ['w'] });
  expect(properties.of('a')).toMatchObject([{ children: ['w'] }, { name: 'q' }]);
  properties.update('a', [{ property: small, isSet: false }]);
  expect(properties.of('a')).toMatchObject([{ name: 'q' }]);
});

test('a copy has those of the path, and only a deep one those below it', () => {
  for (const path of ['a', 'a/b', 'ab']) set(path, small);
  set('d/old', small);
  properties.copy('a', 'c', true);
  properties.copy('a', 'd', false);
  expect(counts('a', 'a/b', 'c', 'c/b', 'd', 'd/b', 'd/old', 'cb')).toEqual([
    ...[1, 1, 1, 1, 1, 0, 0, 0],
  ]);
  properties.remove('a');
  expect(counts('a', 'a/b', 'ab', 'c/b')).toEqual([0, 0, 1, 1]);
});

test('a move needs no room, and what was at the new name is gone', () => {
  fill();
  set('g/old', small);
  properties.move('f', 'g');
  expect(counts('f', 'g', 'g/old')).toEqual([0, 15, 0]);
  expect(() => set('h', large())).toThrow(full);
  properties.remove('g');
  fill('h');
});

test('room for a copy is checked with what it replaces', () => {
  fill();
  expect(() => properties.checkCopy('f', 'g', true)).toThrow(full);
  properties.remove('f');
  for (const path of ['a', 'b/c', 'b/d']) for (let i = 0; i < 5; i++) set(path, large(`p${i}`));
  properties.checkCopy('a', 'b/c', true);
  properties.checkCopy('b', 'a', false);
  expect(() => properties.checkCopy('b', 'a', true)).toThrow(full);
});

test('updates are refused as a whole, unless they free room', () => {
  fill();
  const updates = [small, large()].map((property) => ({ property, isSet: true }));
  expect(() => properties.checkUpdates('g', updates)).toThrow(full);
  properties.checkUpdates('g', updates.slice(0, 1));
  // A longer name may be more than there is room for.
  properties.move('f', 'f'.repeat(MIB));
  properties.checkUpdates('f'.repeat(MIB), [{ property: large('p0'), isSet: false }]);
});
