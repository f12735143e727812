import { dirname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type Header, pack } from 'tar-stream';
import type { PackedFile } from './packed-file.ts';

/**
 * A tar archive that depends on nothing but its files: sorted by path, owned by root, all of one age. Directories above
 * the files come before them.
 *
 * @param prefix put before every path, such as `./`
 * @param time of all files, in seconds since 1970
 */
export function writeTar(
  files: readonly PackedFile[],
  prefix: string,
  time: number,
): Promise<Buffer> {
  const archive = pack();
  const common = { uname: 'root', gname: 'root', mtime: new Date(time * 1000) };
  const add = (path: string, rest: Partial<Header>, content = Buffer.alloc(0)) =>
    archive.entry({ name: `${prefix}${path}`, ...common, ...rest }, content);
  for (const directory of directoriesOf(files)) {
    add(`${directory}/`, { type: 'directory', mode: 0o755 });
  }
  for (const { path, content, mode = 0o644, link } of sorted(files)) {
    if (link === undefined) add(path, { mode }, Buffer.from(content as Uint8Array));
    else add(path, { type: 'symlink', mode: 0o777, linkname: link });
  }
  archive.finalize();
  return buffer(archive);
}

function sorted(files: readonly PackedFile[]): readonly PackedFile[] {
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function directoriesOf(files: readonly PackedFile[]): readonly string[] {
  const directories = new Set<string>();
  for (const { path } of files) {
    for (let at = dirname(path); at !== '.'; at = dirname(at)) directories.add(at);
  }
  return [...directories].sort();
}
