import { chmod, chown, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadExtendedAttributes } from '../../../src/backends/local/extended-attributes.ts';
import { startTestS3, type TestS3 } from '../../servers/test-s3.ts';
import { writeTree } from '../../support/file-tree.ts';
import { hasRclone, isRcloneNow, PROVIDER, runRclone } from '../../support/rclone.ts';
import { makeSyncerWorld, type SyncerWorld } from '../../support/run-syncer.ts';
import { section } from '../../support/s3-world.ts';

/** The same command line in the same world; `LOCAL`, `DEST` and `BUCKET` are folders and bucket of each. */
interface Case {
  readonly args: string;
  /** The bucket holds the files, with their metadata. */
  readonly seeded?: boolean;
  /** Files are at the destination already. */
  readonly over?: boolean;
  readonly input?: string;
}

const SET =
  '--metadata-set Colour=blue=green --metadata-set mtime=2001-02-03T04:05:06.7+02:00 ' +
  '--metadata-set content-type=a/b --metadata-set tier=STANDARD_IA --metadata-set mode=nonsense';

const CASES: Readonly<Record<string, Case>> = {
  'copy up': { args: 'copy -M LOCAL BUCKET' },
  'copy up without': { args: 'copy LOCAL BUCKET' },
  'copy up in parts': { args: 'copy -M LOCAL BUCKET --s3-upload-cutoff 0' },
  'copy up and set': { args: `copy --metadata LOCAL BUCKET ${SET}` },
  'set without --metadata': { args: `copy LOCAL BUCKET ${SET}` },
  'copy down': { args: 'copy -M BUCKET DEST', seeded: true },
  'copy down without': { args: 'copy BUCKET DEST', seeded: true },
  'copy down over files': { args: 'copy -M BUCKET DEST -I', seeded: true, over: true },
  'copy down over files without': { args: 'copy BUCKET DEST -I', seeded: true, over: true },
  'copy down and set': { args: `copy -M BUCKET DEST ${SET}`, seeded: true },
  'move down': { args: 'move -M BUCKET DEST', seeded: true },
  'copy within the store': { args: 'copy -M BUCKET BUCKET-2', seeded: true },
  'copy within the store without': { args: 'copy BUCKET BUCKET-2', seeded: true },
  'copy between remotes': { args: 'copy -M BUCKET OTHER-2', seeded: true },
  'copy between remotes without': { args: 'copy BUCKET OTHER-2', seeded: true },
  'copy between disks': { args: 'copy -M LOCAL DEST' },
  'copy between disks without': { args: 'copy LOCAL DEST' },
  'copy between disks and set': { args: `copy -M LOCAL DEST ${SET}` },
  'copy between disks over files': { args: 'copy -M LOCAL DEST -I', over: true },
  'copy between disks over files without': { args: 'copy LOCAL DEST -I', over: true },
  'move between disks': { args: 'move -M LOCAL DEST' },
  'copyto of a file': { args: 'copyto -M LOCAL/plain BUCKET/other.name' },
  'sync of what is equal': { args: 'sync -M LOCAL DEST --size-only', over: true },
  rcat: { args: `rcat -M BUCKET/file ${SET}`, input: 'some content' },
  'touch of a file': { args: `touch -M DEST/plain -t 2020-01-02 ${SET}`, over: true },
  'what is no pair': { args: 'copy -M LOCAL BUCKET --metadata-set colour' },
  'lsjson of a folder': { args: 'lsjson -M --files-only LOCAL' },
  'lsjson of a file': { args: 'lsjson -M --stat LOCAL/plain' },
  'lsjson of a bucket': { args: 'lsjson -M BUCKET', seeded: true },
  'lsjson of a file in a bucket': { args: 'lsjson -M --stat BUCKET/plain', seeded: true },
  lsf: { args: 'lsf --files-only -F pM LOCAL' },
  'lsf of a bucket': { args: 'lsf -F pM BUCKET', seeded: true },
};

let world: SyncerWorld;
let server: TestS3;
const attributes = loadExtendedAttributes();

beforeAll(async () => {
  world = await makeSyncerWorld({ inOwnProcess: true });
  server = await startTestS3();
  const sections = ['s3', 'other'].map((name) => section(server, name, PROVIDER));
  await writeFile(world.config, sections.join(''));
});

afterAll(async () => {
  await server.stop();
  await world.remove();
});

const rclone = (args: readonly string[], input = '') =>
  runRclone(args, { cwd: world.dir, config: world.config, input });

/** Files with metadata of all kinds. */
async function writeFiles(folder: string): Promise<void> {
  await writeTree(folder, { plain: 'plain', 'dir/page.html': '<p>', secret: 'secret', empty: '' });
  const { set } = await attributes;
  set(join(folder, 'plain'), 'user.Colour', Buffer.from('red'));
  set(join(folder, 'plain'), 'user.umlaut', Buffer.from('größer ☃'));
  set(join(folder, 'plain'), 'user.none', Buffer.alloc(0));
  set(join(folder, 'dir/page.html'), 'user.cache-control', Buffer.from('no-cache'));
  set(join(folder, 'dir/page.html'), 'user.content-language', Buffer.from('de'));
  set(join(folder, 'dir/page.html'), 'user.content-type', Buffer.from('text/x-own'));
  set(join(folder, 'secret'), 'user.two lines', Buffer.from('a'));
  set(join(folder, 'secret'), 'user.lines', Buffer.from('a\nb'));
  await chmod(join(folder, 'secret'), 0o4600);
  await chmod(join(folder, 'plain'), 0o751);
  if (process.getuid?.() === 0) await chown(join(folder, 'plain'), 1234, 2345);
  for (const name of ['plain', 'secret']) await utimes(join(folder, name), 2e9, 1.1e9);
}

/** What the files of a folder are, but for when they were read. */
async function filesOf(folder: string): Promise<Record<string, unknown> | undefined> {
  const found: Record<string, unknown> = {};
  const names = await readdir(folder, { recursive: true }).catch(() => undefined);
  if (names === undefined) return undefined;
  const { names: list, get } = await attributes;
  for (const name of names) {
    const path = join(folder, name);
    const stats = await stat(path);
    if (stats.isDirectory()) continue;
    const { mode, uid, gid, mtimeMs, size } = stats;
    const own = list(path).map((key) => `${key}=${get(path, key)}`);
    const attributes = own.filter((each) => each !== 'user.tier=STANDARD').sort();
    found[name] = { mode: mode.toString(8), uid, gid, mtimeMs, size, attributes };
  }
  return found;
}

const withoutTimes = (text: string) =>
  text
    .replace(/("(?:[ab]time|ModTime)"+: ?"+)[^"]*/g, '$1…')
    // The standard class is no metadata here, and is in rclone since 1.70 or so.
    .replace(/,\s*"+tier"+: ?"+STANDARD"+/g, '');

/** What a bucket holds as rclone tells it, but for times of writing and reading. */
async function bucketContents(bucket: string): Promise<string> {
  const { stdout } = await rclone(['lsjson', '-R', '-M', '--hash', '--files-only', bucket]);
  return withoutTimes(stdout.toString());
}

describe.skipIf(!hasRclone)('metadata beside rclone', () => {
  let number = 0;
  for (const [what, { args, seeded, over, input = '' }] of Object.entries(CASES)) {
    test.concurrent(what, async () => {
      const id = ++number;
      const outcomes = [];
      for (const who of ['ours', 'theirs'] as const) {
        const folder = join(world.dir, `${id}-${who}`);
        const bucket = `bucket-${id}-${who}`;
        await writeFiles(folder);
        if (over) {
          await writeTree(`${folder}-dest`, { plain: 'old', secret: 'old' });
          // rclone 1.75 replaces it by a new file, with the mode of new files.
          await chmod(join(`${folder}-dest`, 'plain'), isRcloneNow ? 0o644 : 0o400);
        }
        if (seeded) await rclone(['copy', '-M', folder, `s3:${bucket}`]);
        else await rclone(['mkdir', `s3:${bucket}`]);
        const line = args
          .replace('LOCAL', folder)
          .replace('DEST', `${folder}-dest`)
          .replace('OTHER', `other:${bucket}`)
          .replaceAll('BUCKET', `s3:${bucket}`)
          .split(' ');
        const ended = await (who === 'ours' ? world.run(line, { input }) : rclone(line, input));
        outcomes.push({
          code: ended.code,
          stdout: withoutTimes(ended.stdout.toString()),
          files: await filesOf(folder),
          dest: await filesOf(`${folder}-dest`),
          stored: [await bucketContents(`s3:${bucket}`), await bucketContents(`s3:${bucket}-2`)],
          stderr: ended.stderr,
        });
      }
      const [{ stderr, ...ours } = { stderr: '' }, { stderr: _, ...theirs } = { stderr: '' }] =
        outcomes;
      expect(ours, stderr).toEqual(theirs);
    });
  }

  test('what one tool stores the other fetches whole', async () => {
    const folder = join(world.dir, 'whole');
    await writeFiles(folder);
    await world.run(['copy', '-M', folder, 's3:by-us']);
    await rclone(['copy', '-M', folder, 's3:by-rclone']);
    const fetched = [];
    for (const bucket of ['by-us', 'by-rclone']) {
      await world.run(['copy', '-M', `s3:${bucket}`, `${bucket}-us`]);
      await rclone(['copy', '-M', `s3:${bucket}`, `${bucket}-rclone`]);
      fetched.push(await filesOf(join(world.dir, `${bucket}-us`)));
      fetched.push(await filesOf(join(world.dir, `${bucket}-rclone`)));
    }
    expect(fetched[0]).toMatchObject({ plain: { mode: '100751', mtimeMs: 1.1e12 } });
    for (const each of fetched) expect(each).toEqual(fetched[0]);
  });
});
