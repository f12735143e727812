import { createHash } from 'node:crypto';
import type { Executable } from './executable/make-executables.ts';
import { compress } from './package/compress.ts';
import { debianPackages } from './package/debian-packages.ts';
import { SCHEMAS } from './package/hooks-schema.ts';
import { MANUAL_PAGES } from './package/manual-pages.ts';
import type { PackedFile } from './package/packed-file.ts';
import { writeDeb } from './package/write-deb.ts';
import { writeTar } from './package/write-tar.ts';
import type { Platform } from './platforms.ts';

/** What the files of a release are made of, for one platform. */
export interface ReleaseParts {
  readonly platform: Platform;
  readonly version: string;
  readonly programs: Readonly<Record<string, Executable>>;
  readonly changelog: string;
  /** Of all files in archives, in seconds since 1970. */
  readonly time: number;
}

/** The archives and packages for one platform, by name. */
export async function releaseFiles(parts: ReleaseParts): Promise<ReadonlyMap<string, Buffer>> {
  const { platform, programs, time } = parts;
  const { debianArch: architecture } = platform;
  const files = new Map<string, Buffer>();
  for (const [name, executable] of Object.entries(programs)) {
    const folder = `${name}-linux-${architecture}`;
    const archive = await writeTar(
      archiveFiles(name, executable, parts.changelog),
      `${folder}/`,
      time,
    );
    files.set(`${folder}.tar.gz`, await compress(archive));
  }
  if (['syncer', 'webhook'].every((name) => programs[name] !== undefined)) {
    for (const deb of await debianPackages({ ...parts, architecture })) {
      files.set(`${deb.name}_${deb.version}_${architecture}.deb`, await writeDeb(deb, time));
    }
  }
  return files;
}

function archiveFiles(
  name: string,
  { content, legal }: Executable,
  changelog: string,
): readonly PackedFile[] {
  return [
    { path: name, content, mode: 0o755 },
    { path: 'CHANGELOG.md', content: changelog },
    ...Object.entries(legal).map(([path, text]) => ({ path, content: text })),
    ...(MANUAL_PAGES[name]?.() ?? []).map(({ path, content }) => ({
      path: `man/${path}`,
      content,
    })),
    ...(SCHEMAS[name]?.() ?? []),
  ];
}

/** The list that `sha256sum --check` takes. */
export function checksumList(files: ReadonlyMap<string, Buffer>): string {
  return [...files]
    .map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`)
    .sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1))
    .join('');
}
