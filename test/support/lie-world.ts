import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startS3Server } from '../../src/serve/s3/s3-server.ts';
import { type LyingProxy, startLyingProxy } from '../servers/lies/lying-proxy.ts';
import { type EndedInProcess, runInProcess } from './run-in-process.ts';
import { section } from './s3-world.ts';

/** Files by path. */
export type Contents = Readonly<Record<string, string>>;

/** A disk, and a store behind a proxy that lies; the configuration calls it `s`. */
export interface LieWorld {
  readonly proxy: LyingProxy;
  /** A folder for files. */
  readonly disk: string;
  /** Where the program keeps its state. */
  readonly state: string;
  /**
   * Makes a folder of the disk, or a bucket, hold these files and nothing else.
   *
   * @param aheadMs how far their times are in the future
   */
  fill(where: string, contents: Contents, aheadMs?: number): Promise<void>;
  /** What a folder of the disk, or a bucket (`s:name`), holds in truth. */
  read(where: string): Promise<Record<string, string>>;
  /** Runs the program in the folder, without trying anything again. */
  run(args: readonly string[], input?: string): Promise<EndedInProcess>;
  remove(): Promise<void>;
}

/** Makes a world. A test removes it when it is done. */
export async function makeLieWorld(options: Record<string, string> = {}): Promise<LieWorld> {
  const base = await mkdtemp(join(tmpdir(), 'syncer-lies-'));
  const [disk, root, home] = [join(base, 'disk'), join(base, 'buckets'), join(base, 'home')];
  await Promise.all([disk, root, home].map((folder) => mkdir(folder)));
  const server = await startS3Server({ root, port: 0, authKeys: [], region: 'us-east-1' });
  const proxy = await startLyingProxy(server.endpoint);
  const config = join(base, 'syncer.conf');
  const keys = { endpoint: proxy.endpoint, accessKeyId: 'a', secretAccessKey: 'b' };
  await writeFile(config, section(keys, 's', options));
  const env = { HOME: home, SYNCER_CONFIG: config, TZ: 'UTC', LC_ALL: 'C.UTF-8' };
  let lastMs = 0;
  const folderOf = (where: string) =>
    where.startsWith('s:') ? join(root, where.slice(2)) : join(disk, where);
  return {
    proxy,
    disk,
    state: join(home, '.local/state/syncer'),
    async fill(where, contents, aheadMs = 0) {
      const folder = folderOf(where);
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
      for (const [path, content] of Object.entries(contents)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), content);
        // The clock of a file system may stand still between two of them.
        lastMs = Math.max(lastMs + 0.01, Date.now());
        const seconds = (lastMs + aheadMs) / 1000;
        await utimes(join(folder, path), seconds, seconds);
      }
    },
    async read(where) {
      const folder = folderOf(where);
      const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
        () => [],
      );
      const found: Record<string, string> = {};
      for (const entry of entries) {
        const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
        // A trial of two names that could not be deleted under a lie: it is no file of the case.
        const isTrial = entry.name.startsWith('syncer-partial-');
        if (!entry.isFile() || path.startsWith('.syncer-s3') || isTrial) continue;
        found[path] = await readFile(join(folder, path), 'utf8');
      }
      return found;
    },
    run: ([command = '', ...args], input) =>
      runInProcess(
        [command, '--retries=1', '--low-level-retries=1', '--retries-sleep=0', ...args],
        env,
        input === undefined ? {} : { input },
      ),
    async remove() {
      await proxy.close();
      await server.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}
