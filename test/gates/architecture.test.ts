import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { directoryArrows } from '../../scripts/checks/directory-arrows.ts';
import { readPages, readSourceFiles, type SourceFile } from '../../scripts/checks/source-files.ts';

const root = resolve(import.meta.dirname, '../..');
const page = await readFile(resolve(root, 'docs/architecture.md'), 'utf8');
const files = await readSourceFiles(root, ['src', 'commands', 'components', 'installer']);

const arrowsIn = (text: string) =>
  [...text.matchAll(/^ *(\S+ --> \S+)$/gm)].map((match) => match[1] ?? '').sort();

/** The directories that the page's table explains, and those there are. */
const directoriesIn = (text: string) =>
  [...text.matchAll(/^\| `([\w/-]+)\/` \|/gm)].map((match) => match[1] ?? '').sort();
const directoriesOf = (sources: readonly SourceFile[]) => {
  const directories = sources.map(({ path }) => /^(src\/[^/]+|[^/]+)(?=\/)/.exec(path)?.[0] ?? '');
  return [...new Set(directories)].filter((directory) => directory !== 'src').sort();
};

/** Source files that a page names: a path from the project's directory, or a name alone. */
const filesIn = (text: string) =>
  [...text.matchAll(/`([\w./-]+\.(?:tsx?|mjs|sh))`/g)].map((match) => match[1] ?? '');

/** Those of them that do not exist. */
const missingIn = (text: string, paths: readonly string[]) => {
  const known = new Set([...paths, ...paths.map((path) => basename(path))]);
  return filesIn(text).filter((name) => !known.has(name));
};

test('the picture in docs/architecture.md shows what imports what', () => {
  expect(arrowsIn(page)).toEqual(directoryArrows(files));
});

test('docs/architecture.md explains every directory, and none that is not there', () => {
  expect(directoriesIn(page)).toEqual(directoriesOf(files));
});

test('the pages for developers name no file that is not there', async () => {
  const sources = (await readSourceFiles(root)).map(({ path }) => path);
  const paths = [...sources, ...(await readdir(resolve(root, 'scripts')))];
  const pages = (await readPages(root)).filter(({ path }) =>
    /^(CONTRIBUTING|docs\/architecture|docs\/decisions\/.*|.+\/README)\.md$/.test(path),
  );
  expect(pages.length).toBeGreaterThan(50);
  const missing = pages.map(({ path, text }) => [path, missingIn(text, paths)] as const);
  expect(missing.filter(([, names]) => names.length > 0)).toEqual([]);
  expect(missingIn('`src/engine/gone.ts`, `gone.ts`, `run.ts`', paths)).toEqual([
    'src/engine/gone.ts',
    'gone.ts',
  ]);
});

/** Directories of more than ten files without a README, or with one of more than ten lines. */
const unexplained = (sources: readonly SourceFile[], pages: readonly SourceFile[]) =>
  [...Map.groupBy(sources, ({ path }) => dirname(path))]
    .filter(([, within]) => within.length > 10)
    .map(([directory]) => directory)
    .filter((directory) => {
      const page = pages.find(({ path }) => path === `${directory}/README.md`);
      return page === undefined || page.text.trimEnd().split('\n').length > 10;
    });

test('a directory of more than ten files without a short README fails', async () => {
  const pages = await readPages(root);
  expect(unexplained(files, pages)).toEqual([]);
  const without = pages.filter(({ path }) => path !== 'src/state/README.md');
  expect(unexplained(files, without)).toEqual(['src/state']);
  const long = { path: 'src/state/README.md', text: '\n'.repeat(11).concat('x') };
  expect(unexplained(files, [...without, long])).toEqual(['src/state']);
});

test('planted faults are found: a new arrow, an arrow that is gone, a new directory', () => {
  const file = (path: string, to: string) => ({ path, text: `import '${to}';\n` });
  const upwards = file('src/core/a.ts', '../serve/b.ts');
  expect(directoryArrows([...files, upwards])).toContain('core --> serve');
  expect(arrowsIn(page.replace(/^ *\S+ --> \S+\n/m, ''))).not.toEqual(directoryArrows(files));
  expect(directoriesOf([...files, file('src/new/a.ts', './b.ts')])).toContain('src/new');
});

test('an arrow that follows from others is left out', () => {
  const tree = [
    { path: 'commands/a.ts', text: "import '../src/shell/b.ts';\nimport '../src/core/c.ts';\n" },
    { path: 'src/shell/b.ts', text: "import '../core/c.ts';\n" },
    { path: 'src/core/c.ts', text: '' },
  ];
  expect(directoryArrows(tree)).toEqual(['commands --> shell', 'shell --> core']);
});

/** The files that leave `npm test`, whole or in part, and have no row in a table of docs/testing.md. */
const withoutRow = (paths: readonly string[], text: string) =>
  paths.filter((path) => !text.includes(`\n| \`${path}\` |`));

test('docs/testing.md says of each file that left npm test which fault it finds', async () => {
  const config = await readFile(resolve(root, 'vitest.config.ts'), 'utf8');
  const text = await readFile(resolve(root, 'docs/testing.md'), 'utf8');
  const inPart = [...config.matchAll(/^ {2}'(test\/[^']+)',$/gm)].map(([, path = '']) => path);
  const slow = (await readdir(resolve(root, 'test'), { recursive: true }))
    .filter((path) => path.includes('.slow.test.'))
    .map((path) => `test/${path}`);
  expect([inPart.length, slow.length]).not.toContain(0);
  expect(withoutRow([...inPart, ...slow], text)).toEqual([]);
  expect(withoutRow(['test/planted.test.ts'], text)).toEqual(['test/planted.test.ts']);
});
