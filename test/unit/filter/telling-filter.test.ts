import { expect, test } from 'vitest';
import { buildFilter, type FilterOptions } from '../../../src/filter/build-filter.ts';
import { tellingFilter } from '../../../src/shell/filter-from-flags.ts';

async function asked(options: FilterOptions): Promise<[boolean[], string[]]> {
  const told: string[] = [];
  const list = async () => 'a.txt\n';
  const filter = tellingFilter(await buildFilter(options, list, 0), (path) => told.push(path));
  const answers = [
    filter.keepFile({ path: 'a.txt', size: 10 }),
    filter.keepFile({ path: 'a.jpg', size: 10 }),
    filter.keepDir(''),
    filter.keepDir('dir'),
    filter.keepDir('other'),
  ];
  return [answers, told];
}

test('tells what it leaves out, and keeps what the filter keeps', async () => {
  const [answers, told] = await asked({ exclude: ['*.jpg', '/dir/**'] });
  expect(answers).toEqual([true, false, true, false, true]);
  expect(told).toEqual(['a.jpg', 'dir']);
});

test('tells of sizes, too', async () => {
  expect((await asked({ 'max-size': 5 }))[1]).toEqual(['a.txt', 'a.jpg']);
});

test('tells nothing where everything passes, or a list of files is given', async () => {
  expect((await asked({}))[1]).toEqual([]);
  expect((await asked({ 'files-from': ['list'] }))[1]).toEqual([]);
});
