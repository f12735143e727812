import { lstat, mkdir, open, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { NewFile } from '../files/installed-files.ts';
import { insideRoot } from '../machine/inside-root.ts';
import { onFile } from './file-error.ts';
import type { InstallStep, Undo, World } from './job.ts';

/** Makes the folder; fails where it is there already. */
export const makeFolder = (path: string): InstallStep => ({
  text: `create the directory ${path}`,
  async run({ options }, _, undo) {
    const target = await insideRoot(options.root, path);
    await makeParents(target, undo);
    await onFile('make', path, () => mkdir(target));
    undo(`deleted the directory ${path}`, () => rm(target, { recursive: true, force: true }));
  },
});

/** Writes a new file. */
export const writeFile = (file: NewFile): InstallStep => ({
  text: `write ${file.path}`,
  run: (world, _, undo) => writeNewFile(file, world, undo),
});

/** Writes a file that must not be there yet, to the disk, with exactly its permissions. */
export async function writeNewFile(
  { path, content, mode }: NewFile,
  { options, services }: World,
  undo: Undo,
): Promise<void> {
  const target = await insideRoot(options.root, path);
  await makeParents(target, undo);
  await onFile('write', path, async () => {
    const handle = await open(target, 'wx', mode);
    undo(`deleted ${path}`, async () => {
      await rm(target, { force: true });
      const isUnit = path.startsWith(options.unitDir);
      if (isUnit && services.kind === 'running') await services.reload();
    });
    try {
      await handle.writeFile(content);
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
}

/** Makes the folders above a path that are missing; the way back removes those that were made, where they are empty. */
export async function makeParents(target: string, undo: Undo): Promise<void> {
  const missing: string[] = [];
  for (let at = dirname(target); at !== dirname(at); at = dirname(at)) {
    if ((await lstat(at).catch(() => undefined)) !== undefined) break;
    missing.unshift(at);
  }
  for (const folder of missing) {
    await onFile('make', folder, () => mkdir(folder, { mode: 0o755 }));
    undo(`deleted the directory ${folder}`, () => rmdir(folder).catch(() => {}));
  }
}
