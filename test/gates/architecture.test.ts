import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { folderArrows } from '../../scripts/checks/folder-arrows.ts';
import { readSourceFiles, type SourceFile } from '../../scripts/checks/source-files.ts';

const root = resolve(import.meta.dirname, '../..');
const page = await readFile(resolve(root, 'docs/architecture.md'), 'utf8');
const files = await readSourceFiles(root, ['src', 'commands', 'components', 'installer']);

const arrowsIn = (text: string) =>
  [...text.matchAll(/^ *(\S+ --> \S+)$/gm)].map((match) => match[1] ?? '').sort();

/** The folders that the page's table explains, and those there are. */
const foldersIn = (text: string) =>
  [...text.matchAll(/^\| `([\w/-]+)\/` \|/gm)].map((match) => match[1] ?? '').sort();
const foldersOf = (sources: readonly SourceFile[]) => {
  const folders = sources.map(({ path }) => /^(src\/[^/]+|[^/]+)(?=\/)/.exec(path)?.[0] ?? '');
  return [...new Set(folders)].filter((folder) => folder !== 'src').sort();
};

/** The source files that the page names. */
const filesIn = (text: string) =>
  [...text.matchAll(/`((?:src|commands|components|installer)\/[\w/-]+\.tsx?)`/g)].map(
    (match) => match[1] ?? '',
  );

test('the picture in docs/architecture.md shows what imports what', () => {
  expect(arrowsIn(page)).toEqual(folderArrows(files));
});

test('docs/architecture.md explains every folder, and none that is not there', () => {
  expect(foldersIn(page)).toEqual(foldersOf(files));
});

test('docs/architecture.md names no file that is not there', () => {
  const paths = files.map(({ path }) => path);
  expect(filesIn(page).filter((path) => !paths.includes(path))).toEqual([]);
  expect(filesIn('`src/sync/gone.ts`')).toEqual(['src/sync/gone.ts']);
});

test('planted faults are found: a new arrow, an arrow that is gone, a new folder', () => {
  const file = (path: string, to: string) => ({ path, text: `import '${to}';\n` });
  const upwards = file('src/core/a.ts', '../serve/b.ts');
  expect(folderArrows([...files, upwards])).toContain('core --> serve');
  expect(arrowsIn(page.replace(/^ *\S+ --> \S+\n/m, ''))).not.toEqual(folderArrows(files));
  expect(foldersOf([...files, file('src/new/a.ts', './b.ts')])).toContain('src/new');
});

test('an arrow that follows from others is left out', () => {
  const tree = [
    { path: 'commands/a.ts', text: "import '../src/app/b.ts';\nimport '../src/core/c.ts';\n" },
    { path: 'src/app/b.ts', text: "import '../core/c.ts';\n" },
    { path: 'src/core/c.ts', text: '' },
  ];
  expect(folderArrows(tree)).toEqual(['app --> core', 'commands --> app']);
});
