import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A source file: its path relative to the project's folder, with `/`, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The folders that hold the project's own code. */
const SOURCE_FOLDERS = [
  'src',
  'commands',
  'components',
  'installer',
  'scripts',
  'test',
  'bench',
] as const;

/** Every TypeScript file of the project below these folders, sorted by path. Folders that do not exist hold none. */
export async function readSourceFiles(
  root: string,
  folders: readonly string[] = SOURCE_FOLDERS,
): Promise<SourceFile[]> {
  const found = await Promise.all(folders.map((folder) => listFiles(root, folder)));
  return readAll(
    root,
    found.flat().filter((path) => /\.(ts|tsx|mjs)$/.test(path)),
  );
}

/** The pages that people read: README, CONTRIBUTING, CHANGELOG, docs, and the READMEs of folders. */
export async function readPages(root: string): Promise<SourceFile[]> {
  const found = await Promise.all(
    ['docs', ...SOURCE_FOLDERS].map((folder) => listFiles(root, folder)),
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

async function listFiles(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true, recursive: true }).catch(
    () => [],
  );
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
