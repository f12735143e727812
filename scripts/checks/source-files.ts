import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A source file: its path relative to the project's directory, with `/`, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The directories that hold the project's own code. */
const SOURCE_DIRECTORIES = [
  'src',
  'commands',
  'components',
  'installer',
  'scripts',
  'test',
  'bench',
] as const;

/** Every TypeScript file of the project below these directories, sorted by path. Those that do not exist hold none. */
export async function readSourceFiles(
  root: string,
  directories: readonly string[] = SOURCE_DIRECTORIES,
): Promise<SourceFile[]> {
  const found = await Promise.all(directories.map((directory) => listFiles(root, directory)));
  return readAll(
    root,
    found.flat().filter((path) => /\.(ts|tsx|mjs)$/.test(path)),
  );
}

/** The pages that people read: README, CONTRIBUTING, CHANGELOG, docs, and the READMEs of directories. */
export async function readPages(root: string): Promise<SourceFile[]> {
  const found = await Promise.all(
    ['docs', ...SOURCE_DIRECTORIES].map((directory) => listFiles(root, directory)),
  );
  const pages = found.flat().filter((path) => /^docs\/.*\.md$|\/README\.md$/.test(path));
  return readAll(root, ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...pages]);
}

async function readAll(root: string, paths: readonly string[]): Promise<SourceFile[]> {
  const files = paths.map(async (path) => ({
    path,
    text: await readFile(join(root, path), 'utf8'),
  }));
  return (await Promise.all(files)).sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function listFiles(root: string, directory: string): Promise<string[]> {
  const entries = await readdir(join(root, directory), {
    withFileTypes: true,
    recursive: true,
  }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
