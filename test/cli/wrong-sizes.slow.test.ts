import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeContent } from '../servers/graph/file-content.ts';
import { startTestGraph, type TestGraph } from '../servers/graph/start-graph.ts';
import { readTree } from '../support/file-tree.ts';
import { configureDrive } from '../support/graph-world.ts';
import { canMount, type MountPlace, makeMountPlace } from '../support/mount-place.ts';
import { makeS3World, type S3World } from '../support/s3-world.ts';
import { waitFor } from '../support/wait-for.ts';
import { startServe } from './start-serve.ts';

const server = resolve(import.meta.dirname, '../support/serve-memory-mount.ts');

let world: S3World;
let place: MountPlace;
let mount: ChildProcess | undefined;
/** The file system that says wrong sizes. */
let wrong: string;

beforeAll(async () => {
  [world, place] = await Promise.all([makeS3World(), makeMountPlace()]);
  wrong = join(place.mnt, 'files');
  if (!canMount) return;
  mount = spawn(process.execPath, [server, place.mnt, 'lying'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  mount.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  await waitFor(() => output.includes('ready'), once(mount, 'exit'));
});

afterAll(async () => {
  await world.remove();
  mount?.stdin?.end();
  await place.remove();
});

/** Read whole, by a stream, and in parts. */
const LENGTHS = [6_000, 100_000, 1_500_000];
/** Whose content is taken. */
const TAKEN = ['zero', 'late', 'true'];
/** Whose content is an error. */
const REFUSED = ['less', 'steps'];

const contentOf = (name: string) => Buffer.alloc(Number.parseInt(name, 10), name);
const md5 = (content: Buffer) => createHash('md5').update(content).digest('hex');
const namesOf = (kinds: readonly string[]) =>
  LENGTHS.flatMap((length) => kinds.map((kind) => `${length}-${kind}`)).sort();

async function fill(kinds: readonly string[]): Promise<void> {
  await rm(wrong, { recursive: true, force: true });
  await mkdir(wrong);
  for (const name of namesOf(kinds)) {
    await writeFile(join(wrong, name), contentOf(name));
    await utimes(join(wrong, name), 1000, 1000);
  }
}

/** Expects whole files of these kinds in a directory, and nothing else. */
async function expectWhole(dir: string, kinds: readonly string[]): Promise<void> {
  const names = (await readdir(dir)).filter((name) => !name.startsWith('.'));
  expect(names.sort()).toEqual(namesOf(kinds));
  for (const name of names) {
    const content = await readFile(join(dir, name));
    expect(content.equals(contentOf(name)), name).toBe(true);
  }
}

describe.skipIf(!canMount)('on a file system that says wrong sizes', () => {
  beforeEach(() => fill([...TAKEN, ...REFUSED]));

  test.each([
    ['a disk', ''],
    ['a disk with --local-no-check-updated', '', '--local-no-check-updated'],
    ['a store', 'store:bucket/to', '--s3-upload-cutoff', '1M'],
  ])('a move to %s takes what is there, and leaves what it cannot', async (_, to, ...flags) => {
    const local = join(world.dir, 'to');
    const args = ['move', wrong, to || local, '--retries', '1', ...flags];
    const { code, stderr } = await world.run(args);
    expect(code, stderr).toBe(6);
    await expectWhole(to === '' ? local : join(world.bucket, 'to'), TAKEN);
    expect((await readdir(wrong)).sort()).toEqual(namesOf(REFUSED));
    for (const name of namesOf(REFUSED))
      expect(stderr).toMatch(new RegExp(`${name}: .*it has more than`));
    await rm(local, { recursive: true, force: true });
  });

  test.each(['', '--bwlimit=1G --multi-thread-cutoff=1M', '--metadata'])(
    'no copy is cut: %j',
    async (text) => {
      const flags = text.split(' ').filter((flag) => flag !== '');
      const to = join(world.dir, 'copies');
      const { code, stderr } = await world.run(['copy', wrong, to, '--retries', '1', ...flags]);
      expect(code, stderr).toBe(6);
      await expectWhole(to, TAKEN);
      await rm(to, { recursive: true });
    },
  );

  test('hashes and cat are those of the content', async () => {
    for (const flags of [[], ['--use-hash-cache']]) {
      const { code, stdout } = await world.run(['md5sum', wrong, '--retries', '1', ...flags]);
      expect(code).not.toBe(0);
      const lines = namesOf(TAKEN).map((name) => `${md5(contentOf(name))}  ${name}\n`);
      expect(
        stdout
          .toString()
          .split(/(?<=\n)/)
          .sort(),
      ).toEqual(lines.sort());
    }
    const name = `${LENGTHS[1]}-zero`;
    const cat = await world.run(['cat', join(wrong, name)]);
    expect(cat.stdout.equals(contentOf(name))).toBe(true);
    const part = await world.run(['cat', join(wrong, name), '--offset', '3', '--count', '9']);
    expect(part.stdout).toEqual(contentOf(name).subarray(3, 12));
    const tail = await world.run(['cat', join(wrong, name), '--tail', '9']);
    expect(tail.stdout).toEqual(contentOf(name).subarray(-9));
    expect((await world.run(['cat', join(wrong, `${LENGTHS[0]}-less`)])).code).not.toBe(0);
  });

  test('servers and a mount give all of a file, or an error', async () => {
    const read = join(place.base, 'read');
    await mkdir(read, { recursive: true });
    const mounting = world.start(['mount', wrong, read]);
    await waitFor(() => existsSync(join(read, namesOf(TAKEN)[0] ?? '')), mounting.ended);
    const http = await startServe(world, [wrong], 'http');
    const dav = await startServe(world, [wrong], 'webdav');
    const bodyOf = async (url: string) => {
      const response = await fetch(url).catch(() => undefined);
      const body = await response?.arrayBuffer().catch(() => undefined);
      return response?.ok === true && body !== undefined ? Buffer.from(body) : undefined;
    };
    for (const name of namesOf([...TAKEN, ...REFUSED])) {
      const isTaken = TAKEN.some((kind) => name.endsWith(kind));
      const bodies = [
        await bodyOf(`${http.endpoint}/${name}`),
        await bodyOf(`${dav.endpoint}/${name}`),
        await readFile(join(read, name)).catch(() => undefined),
      ];
      for (const body of bodies) {
        expect(body !== undefined, name).toBe(isTaken);
        if (body !== undefined) expect(body.equals(contentOf(name)), name).toBe(true);
      }
    }
    await fill(TAKEN);
    const zip = await bodyOf(`${http.endpoint}/?download=zip`);
    expect(zip?.length).toBeGreaterThan(500);
    for (const { running } of [{ running: mounting }, http, dav]) {
      running.kill('SIGTERM');
      await running.ended;
    }
  });

  test('serve s3 finds out the sizes', async () => {
    const root = join(place.mnt, 'buckets');
    await mkdir(join(root, 'b'), { recursive: true });
    const kinds = ['zero', 'less', 'steps', 'true'];
    for (const name of namesOf(kinds)) await writeFile(join(root, 'b', name), contentOf(name));
    const { running, endpoint } = await startServe(world, [root]);
    const remote = `:s3,provider=Other,endpoint="${endpoint}",access_key_id=,secret_access_key=:b`;
    const to = join(world.dir, 'from-s3');
    const { code, stderr } = await world.run(['copy', remote, to]);
    expect(code, stderr).toBe(0);
    await expectWhole(to, kinds);
    running.kill('SIGTERM');
    await running.ended;
  });

  test('copies are checked by their content, and kept by bisync and a trash', async () => {
    await fill(TAKEN);
    const to = join(world.dir, 'both');
    await mkdir(to);
    const bisync = ['bisync', wrong, to];
    expect((await world.run([...bisync, '--resync'])).code).toBe(0);
    for (const _ of [1, 2]) {
      const { code, stderr } = await world.run(bisync);
      expect(code, stderr).toBe(0);
      await expectWhole(to, TAKEN);
    }
    for (const flags of [[], ['--checksum'], ['--download']]) {
      const { code, stderr } = await world.run(['check', wrong, to, ...flags]);
      expect(code, stderr).toBe(0);
    }
    await writeFile(join(to, `${LENGTHS[0]}-zero`), 'other');
    expect((await world.run(['check', wrong, to, '--checksum'])).code).toBe(1);
    const name = `${LENGTHS[0]}-zero`;
    const trash = join(world.dir, 'trash');
    const put = ['rcat', join(wrong, name), '--trash', '--trash-dir', trash];
    const { code, stderr } = await world.run(put, { input: 'new' });
    expect(code, stderr).toBe(0);
    const kept = await readTree(trash);
    expect(JSON.stringify(kept)).toContain(contentOf(name).toString().slice(0, 100));
  });
});

describe.skipIf(!existsSync('/proc/version'))('a file in /proc', () => {
  const only = ['--include', '/version', '--max-depth', '1'];

  test('is copied, again in each run, to a disk and to a store', async () => {
    const content = await readFile('/proc/version', 'utf8');
    const dir = join(world.dir, 'proc');
    for (const _ of [1, 2]) {
      for (const to of [dir, 'store:bucket/proc']) {
        const { code, stderr } = await world.run(['sync', '/proc', to, ...only]);
        expect(code, stderr).toBe(0);
      }
      expect(await readFile(join(dir, 'version'), 'utf8')).toBe(content);
      expect(await readFile(join(world.bucket, 'proc/version'), 'utf8')).toBe(content);
    }
    for (const to of [dir, 'store:bucket/proc']) {
      const { code, stderr } = await world.run(['check', '/proc', to, '--checksum', ...only]);
      expect(code, stderr).toBe(0);
    }
  });

  test('is printed and hashed', async () => {
    const content = await readFile('/proc/version');
    expect((await world.run(['cat', '/proc/version'])).stdout).toEqual(content);
    const head = await world.run(['cat', '/proc/version', '--head', '5']);
    expect(head.stdout).toEqual(content.subarray(0, 5));
    const sums = await world.run(['md5sum', '/proc/version']);
    expect(sums.stdout.toString()).toBe(`${md5(content)}  version\n`);
    const listed = await world.run(['lsf', '/proc', '--format', 'hp', '--hash', 'MD5', ...only]);
    expect(listed.stdout.toString()).toBe(`${md5(content)};version\n`);
  });
});

// Of a business drive the service rewrites `longer.one`, too.
describe.each(['personal', 'business'] as const)(
  'on a %s drive that lists files with sizes and hashes of other content',
  (type) => {
    const TRUE: Readonly<Record<string, string>> = {
      'shorter.heic': 'a picture of an iPhone',
      'longer.one': 'a notebook'.repeat(9_000),
      'right.txt': 'text',
    };
    const BOTH = ['--ignore-size', '--ignore-checksum'];
    let graph: TestGraph;
    let env: Record<string, string>;

    beforeEach(async () => {
      graph = await startTestGraph({ drives: [{ type }] });
      env = await configureDrive(`${world.config}.drive`, graph);
      await appendFile(`${world.config}.drive`, await readFile(world.config));
      for (const [name, text] of Object.entries(TRUE)) graph.drive.put(`p/${name}`, text);
      graph.drive.item('p/shorter.heic').shownAs = makeContent(Buffer.alloc(799, 'x'));
      graph.drive.item('p/longer.one').shownAs = makeContent(Buffer.alloc(50_000, 'x'));
      await mkdir(place.base, { recursive: true });
    });
    afterEach(async () => {
      await graph.stop();
      await rm(join(world.dir, 'd'), { recursive: true, force: true });
    });

    const run = (...args: string[]) =>
      world.run([...args, '--retries', '1', '--low-level-retries', '1'], { env });
    const textsIn = async (dir: string) =>
      Object.fromEntries(
        Object.entries((await readTree(dir)) ?? {}).map(([path, text]) => [
          path,
          String(text).replace(/@\d+$/, ''),
        ]),
      );
    const copied = () => textsIn(join(world.dir, 'd'));

    test.each(['copy', 'move', 'sync'])(
      '%s fails with the flags to use, and with them takes what the drive has',
      async (verb) => {
        const { code, stderr } = await run(verb, 'd:p', 'd');
        expect(code).toBe(1);
        for (const name of ['shorter.heic', 'longer.one'])
          expect(stderr).toMatch(
            new RegExp(`cannot read ${name}: .*--ignore-size --ignore-checksum`),
          );
        expect(await copied()).toEqual({ 'right.txt': TRUE['right.txt'] });
        expect(Object.keys(graph.drive.tree())).toContain('p/shorter.heic');
        const taken = await run(verb, 'd:p', 'd', ...BOTH);
        expect(taken.code, taken.stderr).toBe(0);
        expect(await copied()).toEqual(TRUE);
        const left = Object.keys(graph.drive.tree()).filter(
          (path) => path.startsWith('p/') && path !== 'p/',
        );
        expect(left).toHaveLength(verb === 'move' ? 0 : 3);
      },
    );

    test('only one of the flags is not enough where the hash is of other content, too', async () => {
      expect((await run('copy', 'd:p', 'd', '--ignore-size')).code).toBe(1);
      expect((await run('copy', 'd:p', 'd', '--ignore-checksum')).code).toBe(1);
      expect(await copied()).toEqual({ 'right.txt': TRUE['right.txt'] });
    });

    test('bisync and a copy in ranges take what the drive has', async () => {
      await mkdir(join(world.dir, 'd'));
      const flags = [...BOTH, '--multi-thread-cutoff', '10Ki'];
      const both = await run('bisync', 'd:p', 'd', '--resync', ...flags);
      expect(both.code, both.stderr).toBe(0);
      expect(await copied()).toEqual(TRUE);
      const stored = await run('copy', 'd:p', 'store:bucket/ranges', ...flags);
      expect(stored.code, stored.stderr).toBe(0);
      expect(await textsIn(join(world.bucket, 'ranges'))).toEqual(TRUE);
    });

    test('cat, hashes and check --download read the content', async () => {
      for (const [name, text] of Object.entries(TRUE)) {
        const whole = await run('cat', `d:p/${name}`);
        expect([whole.code, whole.stdout.toString()], whole.stderr).toEqual([0, text]);
        const tail = await run('cat', `d:p/${name}`, '--tail', '3');
        expect(tail.stdout.toString(), tail.stderr).toBe(text.slice(-3));
        const part = await run('cat', `d:p/${name}`, '--offset', '1', '--count', '2');
        expect(part.stdout.toString(), part.stderr).toBe(text.slice(1, 3));
        const sum = await run('md5sum', `d:p/${name}`, '--download');
        expect(sum.stdout.toString(), sum.stderr).toContain(md5(Buffer.from(text)));
      }
      await run('copy', 'd:p', 'd', ...BOTH);
      const checked = await run('check', 'd:p', 'd', '--download', ...BOTH);
      expect(checked.code, checked.stderr).toBe(0);
    });

    test('servers and a mount give all of a file, or an error', async () => {
      const http = await startServe(
        { ...world, start: (args) => world.start(args, { env }) },
        ['d:p'],
        'http',
      );
      const dav = await startServe(
        { ...world, start: (args) => world.start(args, { env }) },
        ['d:p'],
        'webdav',
      );
      for (const [name, text] of Object.entries(TRUE)) {
        for (const { endpoint } of [http, dav]) {
          const whole = await fetch(`${endpoint}/${name}`);
          expect([whole.status, await whole.text()]).toEqual([200, text]);
          const part = await fetch(`${endpoint}/${name}`, { headers: { range: 'bytes=2-5' } });
          expect([part.status, await part.text()]).toEqual([206, text.slice(2, 6)]);
        }
      }
      for (const { running } of [http, dav]) {
        running.kill('SIGTERM');
        await running.ended;
      }
    });

    test.skipIf(!canMount).each(['off', 'full'])(
      'a mount with cache mode %s gives all of a file',
      async (mode) => {
        const at = join(place.base, `drive-${type}-${mode}`);
        await mkdir(at);
        const mounting = world.start(['mount', 'd:p', at, '-v', '--vfs-cache-mode', mode], { env });
        // The drive is in this process: a call that waits for it would never end.
        await waitFor(() => mounting.seen.stderr.includes('Mounted'), mounting.ended);
        const reading = async (name: string) => (await readFile(join(at, name))).toString();
        expect(await reading('shorter.heic')).toBe(TRUE['shorter.heic']);
        expect(await reading('right.txt')).toBe(TRUE['right.txt']);
        // The kernel cuts it at the listed size: an error, until it is opened again.
        await expect(reading('longer.one')).rejects.toThrow('EIO');
        expect(await reading('longer.one')).toBe(TRUE['longer.one']);
        mounting.kill('SIGTERM');
        await mounting.ended;
      },
    );
  },
);
