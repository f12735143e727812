import { expect, test } from 'vitest';
import { withMarkers } from '../../../../commands/trash/read-trash.ts';
import type { KeptKind } from '../../../../src/core/entry-details.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';

/** Versions of one file, newest first: `c` current, `o` old, `m` marker. */
function versions(kinds: string): readonly FileEntry[] {
  const names: Record<string, KeptKind> = { c: 'current', o: 'old', m: 'old-marker' };
  return [...kinds].map((letter, at) => {
    const kept = { kind: names[letter] as KeptKind, id: `${letter}${at}` };
    return { kind: 'file', path: 'a', size: 1, kept };
  });
}

test.each([
  // The last deleted version goes with its marker.
  ['mo', 'o1', 'o1', 'm0'],
  // The marker hides an older one.
  ['moo', 'o1', 'o1', ''],
  ['moo', 'o1 o2', 'o2 o1', 'm0'],
  // Two deletions.
  ['momo', 'o1', 'o1', ''],
  ['momo', 'o3', 'o3', 'm2'],
  ['momo', 'o1 o3', 'o3 o1', 'm2 m0'],
  // The file was written since.
  ['como', 'o1', 'o1', ''],
  ['cmo', 'o2', 'o2', 'm1'],
  ['c', 'c0', 'c0', ''],
])('of %s, to delete %s', (kinds, doomed, gone, markers) => {
  const result = withMarkers(versions(kinds), new Set(doomed.split(' ')));
  const ids = (files: readonly FileEntry[]) => files.map(({ kept }) => kept?.id).join(' ');
  expect([ids(result.versions), ids(result.markers)]).toEqual([gone, markers]);
});
