import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PACKAGES } from '../../bundle/programs.ts';
import { compress } from './compress.ts';
import { writeTar } from './write-tar.ts';

/** What stands in package.json for the address of the repository, such as `github.com/owner/name`. */
const PLACEHOLDER = 'REPOSITORY';

/** The fields with that address. */
const ADDRESSES = ['repository', 'homepage', 'bugs'];

/** What npm packages are made of. */
export interface NpmParts {
  /** The project's folder, absolute; its programs are built. */
  readonly root: string;
  /** A package is made if all of its programs are among these. */
  readonly programs: readonly string[];
  /** Without it the packages have no addresses. */
  readonly repository: string | undefined;
  /** Of all files, in seconds since 1970. */
  readonly time: number;
}

/** The npm packages, by file name: what `npm pack` would pack, with the address of the repository, and reproducible. */
export async function npmPackages(parts: NpmParts): Promise<ReadonlyMap<string, Buffer>> {
  const { root, programs, repository, time } = parts;
  const archives = new Map<string, Buffer>();
  for (const { folder, programs: own } of Object.values(PACKAGES)) {
    if (!own.every((program) => programs.includes(program))) continue;
    const cwd = join(root, folder);
    const words = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const { stdout } = await promisify(execFile)('npm', words, { cwd, maxBuffer: 1 << 26 });
    const [{ filename, files }] = JSON.parse(stdout);
    const packed = files.map(async ({ path }: { readonly path: string }) => {
      const [content, { mode }] = await Promise.all([
        readFile(join(cwd, path)),
        stat(join(cwd, path)),
      ]);
      const isManifest = path === 'package.json';
      return {
        path,
        content: isManifest ? releasedManifest(content.toString('utf8'), repository) : content,
        mode: mode & 0o111 ? 0o755 : 0o644,
      };
    });
    const archive = await writeTar(await Promise.all(packed), 'package/', time);
    archives.set(filename, await compress(archive));
  }
  return archives;
}

/**
 * The text of a released package.json: with the address of the repository, or without the fields that have it, and
 * without scripts, which npm would name in a warning to each user.
 */
export function releasedManifest(manifest: string, repository: string | undefined): string {
  const left = ['scripts', ...(repository === undefined ? ADDRESSES : [])];
  const addressed = manifest.replaceAll(PLACEHOLDER, repository ?? PLACEHOLDER);
  const fields = Object.entries(JSON.parse(addressed)).filter(([name]) => !left.includes(name));
  return `${JSON.stringify(Object.fromEntries(fields), undefined, 2)}\n`;
}
