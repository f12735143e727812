import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What is put into an executable beside Node. */
export interface BlobParts {
  /** A CommonJS script, which starts everything. */
  readonly main: string;
  /** By name. */
  readonly assets: ReadonlyMap<string, Uint8Array>;
}

/**
 * Node's "preparation blob" of a single executable.
 *
 * @param node a Node of the very version that the blob is for, which runs on this machine
 */
export async function makeBlob(node: string, { main, assets }: BlobParts): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'syncer-blob-'));
  try {
    const names = [...assets.keys()].sort();
    for (const name of names) {
      const path = join(folder, 'assets', name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, assets.get(name) ?? '');
    }
    await writeFile(join(folder, 'main.cjs'), main);
    const config = {
      main: 'main.cjs',
      output: 'blob',
      disableExperimentalSEAWarning: true,
      useCodeCache: false,
      // NODE_OPTIONS are for programs that run on Node; this one does not look like it.
      execArgvExtension: 'none',
      // SIGUSR1 would open the debugger.
      execArgv: ['--disable-sigusr1'],
      assets: Object.fromEntries(names.map((name) => [name, `assets/${name}`])),
    };
    await writeFile(join(folder, 'config.json'), JSON.stringify(config));
    await run(node, ['--experimental-sea-config', 'config.json'], {
      cwd: folder,
      env: { PATH: process.env['PATH'] },
    });
    return await readFile(join(folder, 'blob'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
