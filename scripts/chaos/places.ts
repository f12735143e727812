import {
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { escapedFile, keyOfEscapedFile } from '../../src/serve/s3/store/bucket-folder.ts';
import { IDS_BY_TURNS } from '../../test/servers/graph/odd-ids.ts';
import { startTestGraph, type TestGraph } from '../../test/servers/graph/start-graph.ts';
import { type LyingProxy, startLyingProxy } from '../../test/servers/lies/lying-proxy.ts';
import { startTestS3, type TestS3 } from '../../test/servers/test-s3.ts';
import { installFakeRclone } from '../../test/support/fake-rclone.ts';
import type { Case, PlaceKind, Plan } from './case.ts';
import { contentOf } from './content.ts';
import { plantDrive, readDrive } from './drive-place.ts';
import { HIDDEN, readDisk } from './read-disk.ts';
import { dirsAbove, type FoundFile, type SideName, type Tree } from './tree.ts';

/** Everything that trials of one process use: a folder, an S3 server and a Graph server. */
export interface Places {
  readonly folder: string;
  readonly s3: TestS3;
  readonly graph: TestGraph;
  /** Before an S3 server of its own, which takes unsigned requests. */
  readonly liar: LyingProxy;
  /** The directory of a program `rclone`, and of the file that says what it lies. */
  readonly rclone: string;
  stop(): Promise<void>;
}

/** Starts the servers; everything lies in `folder`. */
export async function openPlaces(folder: string): Promise<Places> {
  mkdirSync(join(folder, 'local'), { recursive: true });
  const authKeys = [{ accessKeyId: 'chaos-key-id', secretAccessKey: S3_SECRET }];
  mkdirSync(join(folder, 'far'), { recursive: true });
  const [s3, trusting, graph, rclone] = await Promise.all([
    startTestS3({ root: join(folder, 's3'), authKeys }),
    startTestS3({ root: join(folder, 'lied'), authKeys: [] }),
    startTestGraph({
      drives: [{ type: 'personal' }],
      pageSize: 3,
      ...ODD_SERVICE,
    }),
    installFakeRclone(folder),
  ]);
  const liar = await startLyingProxy(trusting.endpoint);
  return {
    folder,
    s3,
    graph,
    liar,
    rclone,
    async stop() {
      await liar.close();
      await Promise.all([s3.stop(), trusting.stop(), graph.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Which secrets of the configuration a text shows. */
export function secretsIn({ folder }: Places, text: string): string[] {
  const config = readFileSync(join(folder, 'home/chaos.conf'), 'utf8');
  const tokens = config.matchAll(/_token":"([^"]+)"/g);
  const secrets = [S3_SECRET, ...[...tokens].map(([, token = '']) => token)];
  return secrets.some((secret) => text.includes(secret)) ? ['a secret was shown'] : [];
}

/** What real services do now and then. */
const ODD_SERVICE = {
  emptyPages: process.pid % 2 === 0,
  deltaDuplicates: process.pid % 2 === 0,
  oddIds: IDS_BY_TURNS,
  takesShortIds: true,
};

/** A secret that must never be seen outside of the configuration. */
const S3_SECRET = 'ChaosSecretKeyOfS3NeverShown';

/** How the program is told of a place. */
export function specOf({ folder }: Places, kind: PlaceKind, name: string): string {
  if (kind === 'local') return join(folder, 'local', name);
  return `${kind}:${name}`;
}

/** Fills a place with what a plan says. */
export function plant(places: Places, kind: PlaceKind, name: string, plan: Plan): void {
  if (kind === 'drive') {
    plantDrive(places.graph, name, plan);
    return;
  }
  const [bucket = '', prefix] = name.split('/');
  const isDisk = kind === 'local' || kind === 'far';
  const root = join(places.folder, kind, isDisk ? name : bucket);
  const files = isDisk ? plan : filesOfKeys(plan, prefix);
  plantFiles(root, files);
}

/** Fills a directory of this machine with what a plan says. */
export function plantFiles(root: string, files: Plan): void {
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

/** Makes the second name of each pair a hard link to the first, where both are planted alike. */
export function linkFiles(
  { folder }: Places,
  nameOf: (side: SideName) => string,
  trial: Case,
): void {
  for (const { of, as } of trial.links ?? []) {
    const what = trial[of[0]]?.[of[1]];
    if (what === undefined || `${what}` !== `${trial[as[0]]?.[as[1]]}`) continue;
    const [from, to] = [of, as].map(([side, path]) => join(folder, 'local', nameOf(side), path));
    rmSync(to ?? '');
    linkSync(from ?? '', to ?? '');
  }
}

/** Keys that cannot be files beside the others have files of another name; there are no directories. */
function filesOfKeys(plan: Plan, prefix: string | undefined): Plan {
  const files: Record<string, Plan[string]> = {};
  const entries = Object.entries(plan).filter(([, what]) => typeof what !== 'string');
  const keys = new Set(entries.map(([path]) => path));
  const dirs = new Set(entries.flatMap(([path]) => dirsAbove(path)));
  for (const [path, what] of entries) {
    const key = prefix === undefined ? path : `${prefix}/${path}`;
    const clashes = dirs.has(path) || dirsAbove(path).some((dir) => keys.has(dir));
    files[clashes ? escapedFile(key) : key] = what;
  }
  return files;
}

/** What a killed run leaves on a store that saw whether two places are one; the next runs do not see it. */
const TRIAL = /(?:^|\/)syncer-(?:partial|place)-[^/]*$/;

/** What a place holds, seen without the program: on the disk, and in the server's memory. */
export function read(places: Places, kind: PlaceKind, name: string): Tree | undefined {
  if (kind === 'drive') return readDrive(places.graph, name);
  const [bucket = '', prefix] = name.split('/');
  if (kind === 'local' || kind === 'far') return readDisk(join(places.folder, kind, name));
  const tree = readDisk(join(places.folder, kind, bucket));
  if (tree === undefined) return undefined;
  const files = new Map<string, FoundFile>();
  for (const [path, file] of tree.files) {
    const key = keyOf(path);
    if (TRIAL.test(path)) continue;
    if (prefix === undefined) files.set(key ?? path, file);
    else if (key?.startsWith(`${prefix}/`)) files.set(key.slice(prefix.length + 1), file);
  }
  return { files, dirs: new Set(), links: new Map() };
}

/** The key that a file in a bucket's folder belongs to; `undefined` where it is none of an object. */
function keyOf(path: string): string | undefined {
  if (!path.startsWith(`${HIDDEN}/`)) return path;
  return keyOfEscapedFile(path.slice(`${HIDDEN}/keys/`.length));
}

/** Empties a place. */
export function clear(places: Places, kind: PlaceKind, name: string): void {
  if (kind !== 'drive') rmSync(join(places.folder, kind, name), { recursive: true, force: true });
  else if (places.graph.drive.find(name) !== undefined) places.graph.drive.remove(name);
}

/** The configuration with all remotes. */
export function configOf({ folder, s3, graph, liar }: Places): string {
  const keys = {
    type: 's3',
    provider: 'Other',
    access_key_id: s3.accessKeyId,
    secret_access_key: s3.secretAccessKey,
  };
  const sections = {
    s3: { ...keys, endpoint: s3.endpoint },
    lied: { ...keys, endpoint: liar.endpoint },
    drive: { ...graph.section(), graph_url: graph.graphUrl },
    far: { type: 'far', root: join(folder, 'far') },
  };
  return Object.entries(sections)
    .flatMap(([name, keys]) => [
      `[${name}]`,
      ...Object.entries(keys).map((pair) => pair.join(' = ')),
      '',
    ])
    .join('\n');
}
