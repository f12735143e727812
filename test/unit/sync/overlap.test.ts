import { describe, expect, test } from 'vitest';
import { memoryRemote } from '../../../src/backends/memory/memory-remote.ts';
import { passAllFilter } from '../../../src/filter/pass-all-filter.ts';
import {
  isOtherCase,
  isSameFile,
  overlap,
  refuseBackupInPlace,
  refuseBackupOverlap,
  refuseOverlap,
} from '../../../src/sync/overlap.ts';

const at = (root: string, name = 'store') => memoryRemote({ name, root });
const without = (dir: string) => ({
  ...passAllFilter,
  passesAll: false,
  keepDir: (path: string) => path !== dir,
});

describe('how two roots lie', () => {
  test.each([
    ['a', 'b', 'apart'],
    ['a', 'a2', 'apart'],
    ['a', 'a', 'same'],
    ['a', 'a/b', 'dest-in-source'],
    ['a/b', 'a', 'source-in-dest'],
    ['', 'a', 'dest-in-source'],
  ])('%s and %s: %s', (source, dest, expected) => {
    expect(overlap(at(source), at(dest))).toBe(expected);
  });

  test('names that differ in case are one where the store takes them for one', () => {
    const folding = (root: string) => memoryRemote({ name: 'store', root, caseInsensitive: true });
    expect(overlap(at('Dir'), at('dir'))).toBe('apart');
    expect(overlap(folding('Dir'), folding('dir'))).toBe('same');
    expect(overlap(folding('DIR/x'), folding('dir'))).toBe('source-in-dest');
    expect(isSameFile(folding('Dir'), 'a/B', folding('dir/A'), 'b')).toBe(true);
    expect(isSameFile(at('Dir'), 'a', at('dir'), 'a')).toBe(false);
    expect(isSameFile(at('dir'), 'a/b', at('dir/a'), 'b')).toBe(true);
    expect(isSameFile(at('dir'), 'a', at('dir', 'other'), 'a')).toBe(false);
  });

  test('a directory is renamed where only the case of its own name is another', () => {
    const folding = (root: string) => memoryRemote({ name: 'store', root, caseInsensitive: true });
    expect(isOtherCase(folding('x/dir'), folding('X/Dir'))).toBe(true);
    expect(isOtherCase(folding('x/dir'), folding('X/dir'))).toBe(false);
    expect(isOtherCase(folding('x/dir'), folding('x/dir2'))).toBe(false);
    expect(isOtherCase(at('dir'), at('Dir'))).toBe(false);
  });

  test('other remotes never overlap', () => {
    expect(overlap(at('a'), at('a', 'other'))).toBe('apart');
  });
});

test('a sync onto a folder inside is refused, unless the filter keeps out of it', () => {
  expect(() => refuseOverlap(at('a'), at('a/b'), passAllFilter, 'sync')).toThrow('overlapping');
  expect(() => refuseOverlap(at('a'), at('a/b'), without('b'), 'sync')).not.toThrow();
  expect(() => refuseOverlap(at('a'), at('a'), without('b'), 'sync')).toThrow('overlapping');
  expect(() => refuseOverlap(at('a'), at('b'), passAllFilter, 'sync')).not.toThrow();
  // What only the destination has is deleted there, and the source is in it.
  expect(() => refuseOverlap(at('a/b'), at('a'), without('b'), 'sync')).toThrow('overlapping');
});

describe('the backup directory', () => {
  const refuse = (backup: ReturnType<typeof at>, suffix = '', filter = passAllFilter) =>
    refuseBackupOverlap({ source: at('src', 'disk'), dest: at('dst'), backup, suffix }, filter);

  test('lies on the remote of the destination', () => {
    expect(() => refuse(at('bak', 'other'))).toThrow('same remote');
    expect(() => refuse(at('bak'))).not.toThrow();
  });

  test('is not the destination, and not inside it', () => {
    expect(() => refuse(at('dst'))).toThrow("mustn't overlap");
    expect(() => refuse(at('dst'), '.old')).not.toThrow();
    expect(() => refuse(at('dst/bak'))).toThrow("mustn't overlap");
    expect(() => refuse(at('dst/bak'), '', without('bak'))).not.toThrow();
  });

  test('of one file may be anywhere but where the file itself is', () => {
    const refuseOne = (backup: ReturnType<typeof at>, suffix = '') =>
      refuseBackupInPlace({ source: at('src'), dest: at('dst'), backup, suffix });
    expect(() => refuseOne(at('dst/bak'))).not.toThrow();
    expect(() => refuseOne(at(''))).not.toThrow();
    expect(() => refuseOne(at('dst'))).toThrow(
      "destination and parameter to --backup-dir mustn't be the same",
    );
    expect(() => refuseOne(at('src'))).toThrow(
      "source and parameter to --backup-dir mustn't be the same",
    );
    expect(() => refuseOne(at('dst'), '.old')).not.toThrow();
    expect(() => refuseOne(at('bak', 'other'))).toThrow('same remote');
  });
});
