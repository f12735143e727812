import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { escapedFile, keyOfEscapedFile } from '../../src/serve/s3/store/key-to-file.ts';
import { startTestGraph, type TestGraph } from '../../test/servers/graph/start-graph.ts';
import { startTestS3, type TestS3 } from '../../test/servers/test-s3.ts';
import type { PlaceKind, Plan } from './case.ts';
import { contentOf, nameOfContent } from './content.ts';
import { plantDrive, readDrive } from './drive-place.ts';
import { clashes, type FoundFile, type Tree } from './tree.ts';

/** Everything that trials of one process use: a folder, an S3 server and a Graph server. */
export interface Places {
  readonly folder: string;
  readonly s3: TestS3;
  readonly graph: TestGraph;
  stop(): Promise<void>;
}

/** Starts the servers; everything lies in `folder`. */
export async function openPlaces(folder: string): Promise<Places> {
  mkdirSync(join(folder, 'local'), { recursive: true });
  const authKeys = [{ accessKeyId: 'chaos-key-id', secretAccessKey: S3_SECRET }];
  const [s3, graph] = await Promise.all([
    startTestS3({ root: join(folder, 's3'), authKeys }),
    startTestGraph({ drives: [{ type: 'personal' }] }),
  ]);
  return {
    ...{ folder, s3, graph },
    async stop() {
      await Promise.all([s3.stop(), graph.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A secret that must never be seen outside of the configuration. */
export const S3_SECRET = 'ChaosSecretKeyOfS3NeverShown';

/** How the program is told of a place. */
export function specOf({ folder }: Places, kind: PlaceKind, name: string): string {
  if (kind === 'local') return join(folder, 'local', name);
  return kind === 's3' ? `s3:${name}` : `drive:${name}`;
}

/** Fills a place with what a plan says. */
export function plant(places: Places, kind: PlaceKind, name: string, plan: Plan): void {
  if (kind === 'drive') {
    plantDrive(places.graph, name, plan);
    return;
  }
  const [bucket = '', prefix] = name.split('/');
  const root = join(places.folder, kind, kind === 's3' ? bucket : name);
  const files = kind === 's3' ? filesOfKeys(plan, prefix) : plan;
  mkdirSync(root, { recursive: true });
  for (const [path, what] of Object.entries(files)) {
    const full = join(root, path);
    mkdirSync(what === 'dir' ? full : dirname(full), { recursive: true });
    if (what === 'dir') continue;
    if (typeof what === 'string') symlinkSync(what.slice(3), full);
    else {
      const [size, id, time] = what;
      writeFileSync(full, contentOf(size, id));
      utimesSync(full, Number(time), Number(time));
    }
  }
}

/** Keys that cannot be files beside the others have files of another name; there are no directories. */
function filesOfKeys(plan: Plan, prefix: string | undefined): Plan {
  const files: Record<string, Plan[string]> = {};
  for (const [path, what] of Object.entries(plan)) {
    if (typeof what === 'string') continue;
    const { [path]: _, ...others } = plan;
    const key = prefix === undefined ? path : `${prefix}/${path}`;
    files[clashes(others, path) ? escapedFile(key) : key] = what;
  }
  return files;
}

/** What a place holds, seen without the program: on the disk, and in the server's memory. */
export function read(places: Places, kind: PlaceKind, name: string): Tree | undefined {
  if (kind === 'drive') return readDrive(places.graph, name);
  const [bucket = '', prefix] = name.split('/');
  if (kind === 'local') return readDisk(join(places.folder, kind, name));
  const tree = readDisk(join(places.folder, kind, bucket));
  if (tree === undefined) return undefined;
  const files = new Map<string, FoundFile>();
  for (const [path, file] of tree.files) {
    const key = keyOf(path);
    if (prefix === undefined) files.set(key ?? path, file);
    else if (key?.startsWith(`${prefix}/`)) files.set(key.slice(prefix.length + 1), file);
  }
  return { files, dirs: new Set(), links: new Map() };
}

const HIDDEN = '.syncer-s3';

/** The key that a file in a bucket's folder belongs to; `undefined` where it is none of an object. */
function keyOf(path: string): string | undefined {
  if (!path.startsWith(`${HIDDEN}/`)) return path;
  return keyOfEscapedFile(path.slice(`${HIDDEN}/keys/`.length));
}

function readDisk(root: string): Tree | undefined {
  const files = new Map<string, FoundFile>();
  const [dirs, links] = [new Set<string>(), new Map<string, string>()];
  if (lstatSync(root, { throwIfNoEntry: false }) === undefined) return undefined;
  const walk = (dir: string) => {
    for (const entry of readdirSync(join(root, dir), { withFileTypes: true })) {
      const path = dir === '' ? entry.name : `${dir}/${entry.name}`;
      const full = join(root, path);
      if (entry.isDirectory()) {
        if (path !== HIDDEN) dirs.add(path);
        if (!path.startsWith(HIDDEN) || /^.syncer-s3(\/keys(\/|$)|$)/.test(path)) walk(path);
      } else if (entry.isSymbolicLink()) links.set(path, readlinkSync(full));
      else if (!isServerFile(path)) files.set(path, readFile(full));
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

/** Empties a place. */
export function clear(places: Places, kind: PlaceKind, name: string): void {
  if (kind !== 'drive') rmSync(join(places.folder, kind, name), { recursive: true, force: true });
  else if (places.graph.drive.find(name) !== undefined) places.graph.drive.remove(name);
}

/** The configuration with both remotes. */
export function configOf({ s3, graph }: Places): string {
  const sections = {
    s3: {
      type: 's3',
      provider: 'Other',
      access_key_id: s3.accessKeyId,
      secret_access_key: s3.secretAccessKey,
      endpoint: s3.endpoint,
    },
    drive: { ...graph.section(), graph_url: graph.graphUrl },
  };
  return Object.entries(sections)
    .flatMap(([name, keys]) => [
      `[${name}]`,
      ...Object.entries(keys).map((pair) => pair.join(' = ')),
      '',
    ])
    .join('\n');
}
