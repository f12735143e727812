import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { nameOfContent } from './content.ts';
import type { FoundFile, Tree } from './tree.ts';

/** The folder in which the S3 server keeps what is no object. */
export const HIDDEN = '.syncer-s3';

/** What a folder of this machine holds, without what the S3 server keeps beside its objects. */
export function readDisk(root: string): Tree | undefined {
  const files = new Map<string, FoundFile>();
  const [dirs, links] = [new Set<string>(), new Map<string, string>()];
  if (lstatSync(root, { throwIfNoEntry: false }) === undefined) return undefined;
  const nameOf = (path: string) => normalName(path, files);
  const walk = (dir: string) => {
    for (const entry of readdirSync(join(root, dir), { withFileTypes: true })) {
      const path = dir === '' ? entry.name : `${dir}/${entry.name}`;
      const full = join(root, path);
      if (entry.isDirectory()) {
        if (path !== HIDDEN) dirs.add(path);
        if (!path.startsWith(HIDDEN) || /^.syncer-s3(\/keys(\/|$)|$)/.test(path)) walk(path);
      } else if (entry.isSymbolicLink()) links.set(path, readlinkSync(full));
      else if (!isServerFile(path)) files.set(nameOf(path), readFile(full));
    }
  };
  walk('');
  return { files, dirs, links };
}

/** Files of the S3 server besides objects. */
function isServerFile(path: string): boolean {
  return path.startsWith(`${HIDDEN}/`) && !path.startsWith(`${HIDDEN}/keys/`);
}

function readFile(path: string): FoundFile {
  const { mtimeNs } = lstatSync(path, { bigint: true });
  return { content: nameOfContent(readFileSync(path)), time: mtimeNs };
}

/** Two forms of one text are one name; `seen` is what has been found before. */
export function normalName(path: string, seen: ReadonlyMap<string, unknown>): string {
  const name = path.normalize();
  return seen.has(name) ? `${name} (in another form)` : name;
}
