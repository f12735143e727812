import { itemsIn, pathNames } from '../../test/servers/graph/drive-item.ts';
import type { TestGraph } from '../../test/servers/graph/start-graph.ts';
import type { Plan } from './case.ts';
import { contentOf, nameOfContent } from './content.ts';
import { normalName } from './read-disk.ts';
import type { FoundFile, Tree } from './tree.ts';

/** Fills a folder of the drive with what a plan says. */
export function plantDrive({ drive }: TestGraph, name: string, plan: Plan): void {
  drive.mkdir(name);
  for (const [path, what] of Object.entries(plan)) {
    const full = `${name}/${path.split('/').map(nameOnDrive).join('/')}`;
    if (what === 'dir') drive.mkdir(full);
    else if (typeof what !== 'string') {
      const [size, id, time] = what;
      drive.put(full, contentOf(size, id), new Date(Math.floor(Number(time)) * 1000));
    }
  }
}

/** What a folder of the drive holds. */
export function readDrive({ drive }: TestGraph, name: string): Tree | undefined {
  const root = drive.find(name);
  if (root === undefined) return undefined;
  const files = new Map<string, FoundFile>();
  const dirs = new Set<string>();
  const above = pathNames(root).length;
  for (const item of itemsIn(root)) {
    if (item === root) continue;
    const path = pathNames(item).slice(above).map(nameOffDrive).join('/');
    if (item.content === undefined) dirs.add(path);
    else {
      const content = nameOfContent(Buffer.concat(item.content.pieces));
      files.set(normalName(path, files), {
        content,
        time: BigInt(Math.floor(item.modified)) * 1_000_000n,
      });
    }
  }
  return { files, dirs, links: new Map() };
}

const FORBIDDEN = ':?*|<>"\\';
const WIDE = 0xfee0;

/** What a drive cannot hold in names is written as look-alikes, as rclone does. */
function nameOnDrive(name: string): string {
  return name
    .replace(/[:?*|<>"\\]/g, (char) => String.fromCharCode(char.charCodeAt(0) + WIDE))
    .replace(/\t/g, '␉')
    .replace(/^ | $/g, '␠')
    .replace(/^~/, '～')
    .replace(/\.$/, '．');
}

function nameOffDrive(name: string): string {
  return name
    .replace(/[！-～]/g, (wide) => {
      const char = String.fromCharCode(wide.charCodeAt(0) - WIDE);
      return FORBIDDEN.includes(char) ? char : wide;
    })
    .replace(/␉/g, '\t')
    .replace(/^␠|␠$/g, ' ')
    .replace(/^～/, '~')
    .replace(/．$/, '.');
}
