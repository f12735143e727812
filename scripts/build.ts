import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type BundleFile, bundle } from './bundle/bundle.ts';
import { PACKAGES, type PackageName } from './bundle/programs.ts';
import { SCHEMAS } from './release/package/hooks-schema.ts';
import { MANUAL_PAGES } from './release/package/manual-pages.ts';

/**
 * Makes `dist` of each package hold its bundle, man pages and schema, and nothing else. Files that are right already stay untouched, so that a program
 * that runs from `dist` meanwhile misses none.
 */
const root = resolve(import.meta.dirname, '..');

for (const [name, { folder, programs }] of Object.entries(PACKAGES)) {
  const dist = join(root, folder, 'dist');
  const { files } = await bundle(root, name as PackageName);
  const manuals = programs.flatMap((program) => MANUAL_PAGES[program]?.() ?? []);
  const schemas = programs.flatMap((program) => SCHEMAS[program]?.() ?? []);
  const texts = [
    ...manuals.map(({ path, content }) => ({ path: `man/${path}`, content })),
    ...schemas,
  ].map(({ path, content }) => ({ path, contents: Buffer.from(content), executable: false }));
  await fill(dist, [...files, ...texts]);
}

async function fill(dist: string, files: readonly BundleFile[]): Promise<void> {
  for (const { path, contents, executable } of files) {
    const target = join(dist, path);
    const present = await readFile(target).catch(() => undefined);
    if (present === undefined || !present.equals(contents)) {
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, contents);
    }
    await chmod(target, executable ? 0o755 : 0o644);
  }
  const wanted = new Set(files.map(({ path }) => join(dist, path)));
  for (const entry of await readdir(dist, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isDirectory() && !wanted.has(path)) await rm(path);
  }
  const size = files.reduce((sum, { contents }) => sum + contents.length, 0);
  console.log(`built ${dist}: ${files.length} files, ${(size / 1024).toFixed(0)} KiB`);
}
