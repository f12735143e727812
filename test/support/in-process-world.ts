import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startTestS3, type TestS3 } from '../servers/test-s3.ts';
import { readTree } from './file-tree.ts';
import { runInProcess } from './run-in-process.ts';
import { section } from './s3-world.ts';

/** A folder for each test of the file, and an S3 server for all, which the configuration calls `s`. */
export function inProcessWorld() {
  let base = '';
  let s3: TestS3;
  let count = 0;
  const dir = () => join(base, `${count}`);
  const env = () => ({ SYNCER_CONFIG: join(base, 'syncer.conf'), HOME: base });

  beforeAll(async () => {
    [base, s3] = await Promise.all([mkdtemp(join(tmpdir(), 'syncer-test-')), startTestS3()]);
    await writeFile(join(base, 'syncer.conf'), section(s3, 's'));
  });
  afterAll(async () => {
    await s3.stop();
    await rm(base, { recursive: true });
  });
  beforeEach(() => {
    count++;
  });

  /** Runs a line in which `@` stands for the folder of the test. */
  const syncer = (line: string) =>
    runInProcess(
      line.split(' ').map((word) => word.replace('@', `${dir()}/`)),
      env(),
    );

  return {
    get s3() {
      return s3;
    },
    get dir() {
      return dir();
    },
    /** The number of the test, for names that no other test has. */
    get count() {
      return count;
    },
    get env() {
      return env();
    },
    syncer,
    /** The ID of the last run that changed something. */
    async lastRun() {
      const { stdout } = await syncer('history --json');
      const [run = '{}'] = stdout.split('\n').filter((line) => line.includes('"sum"'));
      return (JSON.parse(run) as { readonly id: string }).id;
    },
    /** What the folder of the test holds. */
    names: async () => Object.keys((await readTree(dir())) ?? {}).sort(),
  };
}
