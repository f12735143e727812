import { describe, expect, test } from 'vitest';
import { memoryRemote } from '../../../../src/backends/memory/memory-remote.ts';
import { systemClock } from '../../../../src/core/context.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import { refuseBackupAt } from '../../../../src/engine/passes/backups/backups.ts';
import { isOtherCase, overlap, refuseOverlap } from '../../../../src/engine/place/overlap.ts';
import { Places } from '../../../../src/engine/place/places.ts';
import { type Filter, passAllFilter } from '../../../../src/filter/filter.ts';

const at = (root: string, name = 'store') => memoryRemote({ name, root });
const op = { signal: new AbortController().signal };
const lie = async (source: Remote, dest: Remote) => (await overlap(source, dest, op)).how;
const isSameFile = (a: Remote, path: string, b: Remote, other: string) =>
  new Places({ context: { clock: systemClock }, op, log: () => {} }).isSameFile(
    { remote: a, file: { path } },
    { remote: b, file: { path: other } },
  );
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
  ])('%s and %s: %s', async (source, dest, expected) => {
    expect(await lie(at(source), at(dest))).toBe(expected);
  });

  test('names that differ in case are one where the store takes them for one', async () => {
    const folding = (root: string) => memoryRemote({ name: 'store', root, caseInsensitive: true });
    expect(await lie(at('Dir'), at('dir'))).toBe('apart');
    expect(await lie(folding('Dir'), folding('dir'))).toBe('same');
    expect(await lie(folding('DIR/x'), folding('dir'))).toBe('source-in-dest');
    expect(await isSameFile(folding('Dir'), 'a/B', folding('dir/A'), 'b')).toBe(true);
    expect(await isSameFile(at('Dir'), 'a', at('dir'), 'a')).toBe(false);
    expect(await isSameFile(at('dir'), 'a/b', at('dir/a'), 'b')).toBe(true);
    expect(await isSameFile(at('dir'), 'a', at('dir', 'other'), 'a')).toBe(false);
  });

  test('a directory is renamed where only the case of its own name is another', () => {
    const folding = (root: string) => memoryRemote({ name: 'store', root, caseInsensitive: true });
    expect(isOtherCase(folding('x/dir'), folding('X/Dir'))).toBe(true);
    expect(isOtherCase(folding('x/dir'), folding('X/dir'))).toBe(false);
    expect(isOtherCase(folding('x/dir'), folding('x/dir2'))).toBe(false);
    expect(isOtherCase(at('dir'), at('Dir'))).toBe(false);
  });

  test('other remotes never overlap', async () => {
    expect(await lie(at('a'), at('a', 'other'))).toBe('apart');
  });
});

test('a sync onto a folder inside is refused, unless the filter keeps out of it', async () => {
  const refuse = async (source: Remote, dest: Remote, filter: Filter) =>
    refuseOverlap(await overlap(source, dest, op), { source, dest }, filter, 'sync');
  await expect(refuse(at('a'), at('a/b'), passAllFilter)).rejects.toThrow('overlapping');
  await expect(refuse(at('a'), at('a/b'), without('b'))).resolves.toBeUndefined();
  await expect(refuse(at('a'), at('a'), without('b'))).rejects.toThrow('overlapping');
  await expect(refuse(at('a'), at('b'), passAllFilter)).resolves.toBeUndefined();
  // What only the destination has is deleted there, and the source is in it.
  await expect(refuse(at('a/b'), at('a'), without('b'))).rejects.toThrow('overlapping');
});

describe('the backup directory', () => {
  const refuse = (backup: ReturnType<typeof at>, suffix = '', filter = passAllFilter) =>
    refuseBackupAt(
      { source: at('src', 'disk'), dest: at('dst') },
      { remote: backup, suffix },
      filter,
      op,
    );

  test('lies on the remote of the destination', async () => {
    await expect(refuse(at('bak', 'other'))).rejects.toThrow('same remote');
    await expect(refuse(at('bak'))).resolves.toBeUndefined();
  });

  test('is not the destination, and not inside it', async () => {
    await expect(refuse(at('dst'))).rejects.toThrow("mustn't overlap");
    await expect(refuse(at('dst'), '.old')).resolves.toBeUndefined();
    await expect(refuse(at('dst/bak'))).rejects.toThrow("mustn't overlap");
    await expect(refuse(at('dst/bak'), '', without('bak'))).resolves.toBeUndefined();
  });

  test('of one file may be anywhere but where the file itself is', async () => {
    const refuseOne = (backup: ReturnType<typeof at>, suffix = '') =>
      refuseBackupAt(
        { source: at('src'), dest: at('dst') },
        { remote: backup, suffix },
        undefined,
        op,
      );
    await expect(refuseOne(at('dst/bak'))).resolves.toBeUndefined();
    await expect(refuseOne(at(''))).resolves.toBeUndefined();
    await expect(refuseOne(at('dst'))).rejects.toThrow(
      "destination and parameter to --backup-dir mustn't be the same",
    );
    await expect(refuseOne(at('src'))).rejects.toThrow(
      "source and parameter to --backup-dir mustn't be the same",
    );
    await expect(refuseOne(at('dst'), '.old')).resolves.toBeUndefined();
    await expect(refuseOne(at('bak', 'other'))).rejects.toThrow('same remote');
  });
});
