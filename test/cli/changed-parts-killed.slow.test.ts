import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { OPERATIONS, type OperationName } from '../../src/serve/s3/operations/index.ts';
import type { Lie } from '../servers/lies/lie.ts';
import { answerOf } from '../servers/lies/lie.ts';
import { startLyingProxy } from '../servers/lies/lying-proxy.ts';
import { startTestS3 } from '../servers/test-s3.ts';
import { bytesOf, changedAt, MIB } from '../support/delta-world.ts';
import { makeSyncerWorld, type Running } from '../support/run-syncer.ts';
import { section } from '../support/s3-world.ts';

/** What is stored of an upload of at least 64 MiB is kept after an interruption. */
const OLD = bytesOf('old', 66 * MIB);
const NEW = changedAt(changedAt(OLD, 12 * MIB), 41 * MIB);
const digestOf = (content: Buffer) => hash('sha1', content);

/** A run that is killed. */
interface Scenario {
  readonly verb?: 'copy' | 'move';
  readonly flags?: readonly string[];
  /** The bucket keeps versions, and locks them. */
  readonly versions?: true;
  /** Where the old object is in the end. */
  readonly backup?: RegExp;
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'copy with --backup-dir': { flags: ['--backup-dir', 's:bucket/old'], backup: /^old\/file$/ },
  move: { verb: 'move' },
  'copy that locks the object': {
    versions: true,
    flags: [
      '--s3-object-lock-mode=GOVERNANCE',
      '--s3-object-lock-retain-until-date=2099-01-01T00:00:00Z',
    ],
  },
};

test.each([
  { name: 'copy with --backup-dir', moment: 'after' },
  { name: 'move', moment: 'before' },
  { name: 'copy that locks the object', moment: 'after' },
] as const)(
  'a $name that is killed $moment a request leaves the old or the new object',
  async ({ name, moment }) => {
    const place = await openPlace(SCENARIOS[name] as Scenario);
    await place.begin();
    const usual = await place.run();
    expect(usual.code, usual.stderr).toBe(0);
    const requests = place.requests();
    // Nobody has heard of the ID of an upload whose creation was not reported.
    let unknown = 0;
    expect(requests.join()).toContain('UploadPartCopy');
    for (const n of firstAndLast(requests)) {
      await place.begin();
      await place.killAt(n, moment);
      const about = `${name}, killed ${moment} request ${n}: ${requests[n]}`;
      await place.expectOneVersion(about);
      const ended = await place.run();
      const trace = `${about}\n${ended.stderr}`;
      expect(ended.code, trace).toBe(0);
      if (moment === 'after' && requests[n] === 'CreateMultipartUpload') unknown++;
      await place.expectDone(trace, unknown);
    }
  },
  600_000,
);

/** Which of the requests are the first or the last of their operation. */
const firstAndLast = (requests: readonly string[]): number[] =>
  requests.flatMap((operation, at) =>
    requests.indexOf(operation) === at || requests.lastIndexOf(operation) === at ? [at] : [],
  );

async function openPlace({ verb = 'copy', ...scenario }: Scenario) {
  const [world, s3] = await Promise.all([makeSyncerWorld(), startTestS3({ authKeys: [] })]);
  const proxy = await startLyingProxy(s3.endpoint);
  onTestFinished(async () => {
    await proxy.close();
    await s3.stop();
    await world.remove();
  });
  const options = { provider: 'AWS', force_path_style: 'true', delta: 'on', upload_cutoff: '6M' };
  const keys = { endpoint: proxy.endpoint, accessKeyId: 'a', secretAccessKey: 'b' };
  await writeFile(world.config, section(keys, 's', options));
  const file = join(world.dir, 'from', 'file');
  const words = [verb, 'from', 's:bucket/dir', '-vv', ...(scenario.flags ?? [])];
  const save = async (content: Buffer, second: number) => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    await utimes(file, second, second);
  };
  const stored = async () => {
    const root = join(s3.root, 'bucket');
    const found: Record<string, string> = {};
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name).slice(root.length + 1);
      if (!entry.isFile() || /^\.syncer-s3|syncer-partial-/.test(path)) continue;
      found[path] = nameOf(await readFile(join(root, path)));
    }
    return found;
  };
  const unfinished = async () => {
    const listed = await world.run(['backend', 'list-multipart-uploads', 's:bucket']);
    return (JSON.parse(listed.stdout.toString()).bucket ?? []).length;
  };
  const run = () => {
    proxy.log.clear();
    return world.run(words);
  };
  return {
    run,
    requests: () => proxy.log.requests.map(({ operation }) => operation as string),
    /** An old object, from an upload of this machine. */
    async begin() {
      // The server has the settings of a bucket with versions in it.
      if (!scenario.versions) await rm(join(s3.root, 'bucket'), { recursive: true, force: true });
      const bucket = scenario.versions ? { 'x-amz-bucket-object-lock-enabled': 'true' } : {};
      await fetch(`${s3.endpoint}/bucket`, { method: 'PUT', headers: bucket });
      if (scenario.versions) {
        const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
        const made = await fetch(`${s3.endpoint}/bucket?versioning`, { method: 'PUT', body });
        expect(made.status).toBe(200);
      }
      await save(OLD, 1_700_000_000);
      const words = ['copy', '--ignore-times', 'from', 's:bucket/dir'];
      const first = await world.run(words, { inOwnProcess: true });
      expect(first.code, first.stderr).toBe(0);
      await save(NEW, 1_700_000_100);
    },
    async killAt(n: number, moment: 'before' | 'after') {
      let running: Running | undefined;
      let seen = 0;
      const killer: Lie = {
        about: 'the client is killed',
        of: Object.keys(OPERATIONS) as OperationName[],
        async tell({ ask }) {
          if (seen++ !== n) return undefined;
          const response = moment === 'after' ? await ask() : answerOf(500);
          running?.kill('SIGKILL');
          await running?.ended;
          return response;
        },
      };
      proxy.setLie({ lie: killer });
      running = world.start(words);
      await running.ended;
      proxy.setLie(undefined);
    },
    async expectOneVersion(about: string) {
      const all = await stored();
      const { 'dir/file': now, ...others } = all;
      const backups = Object.entries(others).filter(([, what]) => what === 'old');
      const isThere = now === 'old' || now === 'new' || (now === undefined && backups.length > 0);
      expect(isThere, `${about}: ${JSON.stringify(all)}`).toBe(true);
      expect(Object.values(others), about).not.toContain('other');
      if (verb !== 'move' || now !== 'new') expect(nameOf(await readFile(file)), about).toBe('new');
    },
    async expectDone(about: string, left: number) {
      const { 'dir/file': now, ...others } = await stored();
      expect(now, about).toBe('new');
      const { backup } = scenario;
      const backups = Object.entries(others).filter(([path]) => backup?.test(path));
      if (backup !== undefined) expect(backups.map(([, what]) => what)[0], about).toBe('old');
      expect(await unfinished(), about).toBe(left);
    },
  };
}

const DIGESTS: Readonly<Record<string, string>> = {
  [digestOf(OLD)]: 'old',
  [digestOf(NEW)]: 'new',
};
const nameOf = (content: Buffer): string => DIGESTS[digestOf(content)] ?? 'other';
