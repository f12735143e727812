import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A package of the npm registry, with the checksum that its archive must have. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  /** Subresource integrity: `sha512-` and base64. */
  readonly integrity: string;
}

/** The archive of a package, from the cache or the registry. Throws where its checksum is another one. */
export async function fetchPackage(pinned: PinnedPackage, cache: string): Promise<Buffer> {
  const file = join(cache, `${pinned.name.replace(/\W+/g, '-')}-${pinned.version}.tgz`);
  const cached = await readFile(file).catch(() => undefined);
  if (cached !== undefined && integrityOf(cached) === pinned.integrity) return cached;
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'fetch-'));
  try {
    const spec = `${pinned.name}@${pinned.version}`;
    const words = ['pack', spec, '--json', '--pack-destination', folder];
    const { stdout } = await run('npm', words, { cwd: folder, maxBuffer: 1 << 26 });
    const [{ filename }] = JSON.parse(stdout);
    const path = join(folder, filename.replace('@', '').replace('/', '-'));
    const archive = await readFile(path);
    const integrity = integrityOf(archive);
    if (integrity !== pinned.integrity) {
      throw new Error(`${spec}: its checksum is ${integrity}, and must be ${pinned.integrity}`);
    }
    await rename(path, file);
    return archive;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function integrityOf(archive: Buffer): string {
  return `sha512-${createHash('sha512').update(archive).digest('base64')}`;
}
