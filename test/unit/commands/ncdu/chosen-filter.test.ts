import { describe, expect, test } from 'vitest';
import { filterBelow, onlyFiles } from '../../../../commands/ncdu/transfer-nodes.ts';
import { buildFilter } from '../../../../src/filter/build-filter.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { commonParent } from '../../../../src/size-tree/find-node.ts';

const file = (path: string) => ({ path, size: 1 });

describe('a filter for what was chosen', () => {
  test.each([
    [['a/b/c'], 'a/b'],
    [['top'], ''],
    [['a/b/c', 'a/b/d'], 'a/b'],
    [['a/b/c', 'a/x/y'], 'a'],
    [['a/b', 'ab/c'], ''],
    [['a//b/c', 'a//b/d'], 'a//b'],
  ])('%j lie in "%s"', (paths, dir) => {
    expect(commonParent(paths)).toBe(dir);
  });

  test('goes to the chosen directories and into all of them', () => {
    const filter = filterBelow(passAllFilter, '', ['a/b', 'c']);
    expect(['a', 'a/b', 'a/b/x', 'c', 'd', 'a/d', 'ab'].filter(filter.keepDir)).toEqual([
      ...['a', 'a/b', 'a/b/x', 'c'],
    ]);
    expect(
      ['a/f', 'a/b/f', 'a/b/x/f', 'c/f', 'f', 'cc/f'].map(file).filter(filter.keepFile),
    ).toEqual(['a/b/f', 'a/b/x/f', 'c/f'].map(file));
    expect([filter.passesAll, filter.maxDepth]).toEqual([false, -1]);
  });

  test('leaves an object that has the name of a chosen directory', () => {
    const filter = filterBelow(passAllFilter, '', ['a/b', 'c']);
    expect(['c', 'a/b', 'c/f'].map(file).filter(filter.keepFile)).toEqual([file('c/f')]);
    expect(filter.keepDir('c')).toBe(true);
  });

  test('the rules of the run hold for paths from its root', async () => {
    const rules = await buildFilter(
      { exclude: ['/top/a/x/**', '*.tmp'], 'max-depth': 4 },
      async () => '',
      0,
    );
    const filter = filterBelow(rules, 'top', ['a']);
    expect(['a/x', 'a/y'].filter(filter.keepDir)).toEqual(['a/y']);
    expect(['a/f', 'a/f.tmp', 'a/x/f'].map(file).filter(filter.keepFile)).toEqual([file('a/f')]);
    expect(filter.maxDepth).toBe(3);
  });

  test('single files and no others', () => {
    const filter = onlyFiles(['a/x', 'y']);
    expect(filter.fileList).toEqual(new Set(['a/x', 'y']));
    expect(['a/x', 'a/y', 'y'].map(file).filter(filter.keepFile)).toEqual([file('a/x'), file('y')]);
    expect(['a', 'b'].filter(filter.keepDir)).toEqual(['a']);
  });
});
