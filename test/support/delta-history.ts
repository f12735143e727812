import { hash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { OperationName } from '../../src/serve/s3/operations/index.ts';
import type { Fault, FaultRule } from '../servers/fault.ts';
import { type FaultProxy, startFaultProxy } from '../servers/fault-proxy.ts';
import { type LyingProxy, startLyingProxy } from '../servers/lies/lying-proxy.ts';
import { S3_LIES } from '../servers/lies/s3-lies.ts';
import { startTestS3, type TestS3 } from '../servers/test-s3.ts';
import { bytesOf, MIB } from './delta-world.ts';
import { randomFrom } from './random-from.ts';
import { type EndedInProcess, runInProcess } from './run-in-process.ts';
import { section } from './s3-world.ts';

type Random = ReturnType<typeof randomFrom>;

/** Contents that are too large for the test's heap are not made. In bytes. */
const MOST = 30 * MIB;

const OF_UPLOADS: readonly OperationName[] = [
  'CreateMultipartUpload',
  'UploadPart',
  'UploadPartCopy',
  'CompleteMultipartUpload',
  'AbortMultipartUpload',
];

/** Those of which a client that knows the right bytes of each part finds out that they are wrong. */
const FOUND_HERE = ['part-copy-other-bytes', 'part-copy-lying-etag', 'copy-ignores-if-match'];

/** The lies that can be told about an upload. */
const LIES = Object.entries(S3_LIES).flatMap(([name, { of, isHidden }]) =>
  of.some((one) => OF_UPLOADS.includes(one)) && (isHidden !== true || FOUND_HERE.includes(name))
    ? [name]
    : [],
);

const FAULTS: readonly Fault[] = [
  ...[400, 403, 404, 409, 412, 500, 501, 503].map((status) => ({ status })),
  ...[
    'EntityTooSmall',
    'InvalidPart',
    'InvalidRequest',
    'NoSuchUpload',
    'NoSuchKey',
    'BadDigest',
  ].map((code) => ({ status: code.startsWith('NoSuch') ? 404 : 400, code })),
  { reset: 'before' },
  { reset: 'after' },
  { reset: 'in-body', afterBytes: 40 },
  { truncate: true, afterBytes: 60 },
  { corrupt: true, at: 130 },
  { corruptUpload: true, at: 70 },
  { hang: 'before' },
  { hang: 'in-body', afterBytes: 30 },
];

/** How a store and the client's options may be. */
const OPTIONS: readonly Readonly<Record<string, string>>[] = [
  { provider: 'AWS' },
  { provider: 'AWS', upload_cutoff: '6M' },
  { provider: 'AWS', chunk_size: '8M', upload_cutoff: '8M' },
  { provider: 'Minio', upload_cutoff: '6M' },
  { provider: 'Minio', upload_cutoff: '6M', use_data_integrity_protections: 'false' },
  { provider: 'Cloudflare', upload_cutoff: '6M' },
  { provider: 'Other', upload_cutoff: '6M' },
  { provider: 'SeaweedFS' },
];

/** A file that is edited and uploaded over its old version, each time to a store with another fault. */
export class DeltaHistory {
  readonly #s3: TestS3;
  readonly #lying: LyingProxy;
  readonly #front: FaultProxy;
  readonly #base: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #random: Random;
  #content: Buffer;
  #before: Buffer | undefined;
  #second = 1_700_000_000;
  /** How many uploads are left. */
  #left = 0;

  private constructor(
    servers: { s3: TestS3; lying: LyingProxy; front: FaultProxy },
    base: string,
    random: Random,
  ) {
    this.#s3 = servers.s3;
    this.#lying = servers.lying;
    this.#front = servers.front;
    this.#base = base;
    this.#random = random;
    this.#content = bytesOf(`first ${random(1000)}`, this.#size());
    const home = join(base, 'home');
    const config = join(base, 'conf');
    this.#env = { HOME: home, SYNCER_CONFIG: config, TZ: 'UTC', LC_ALL: 'C.UTF-8' };
  }

  /** Close it when it is done. */
  static async open(seed: number): Promise<DeltaHistory> {
    const random = randomFrom(seed);
    const base = await mkdtemp(join(tmpdir(), 'syncer-delta-'));
    const s3 = await startTestS3({ authKeys: [] });
    const lying = await startLyingProxy(s3.endpoint);
    const front = await startFaultProxy(lying.endpoint);
    await Promise.all(['home', 'disk'].map((name) => mkdir(join(base, name))));
    await mkdir(join(s3.root, 'bucket'));
    const options = OPTIONS[random(OPTIONS.length)] as Record<string, string>;
    const keys = { endpoint: front.endpoint, accessKeyId: 'a', secretAccessKey: 'b' };
    await writeFile(join(base, 'conf'), section(keys, 's', { delta: 'on', ...options }));
    return new DeltaHistory({ s3, lying, front }, base, random);
  }

  async close(): Promise<void> {
    await this.#front.close();
    await this.#lying.close();
    await this.#s3.stop();
    await rm(this.#base, { recursive: true, force: true });
  }

  /**
   * Edits the file and uploads it to a store that fails in one way, then to one that does not. Fails if other bytes are
   * stored than the old or the new ones, if the exit code is wrong, or if an upload is left.
   */
  async step(): Promise<void> {
    const edit = this.#edit();
    await this.#save();
    const wrong = this.#disturb();
    const old = await this.#stored();
    const about = `${edit}, ${wrong}`;
    const disturbed = await this.#upload();
    const then = await this.#stored();
    const { code, stderr } = disturbed;
    const trace = `${about}: exit code ${code}\n${stderr}`;
    const now = digestOf(this.#content);
    if (code === 0) expect(then, trace).toBe(now);
    else expect(hasUndone(stderr) ? [old, now, 'none'] : [old, now], trace).toContain(then);
    expect(stderr, trace).not.toMatch(/TypeError|RangeError|ReferenceError/);
    this.#front.setFaults(undefined);
    this.#lying.setLie(undefined);
    const ended = await this.#upload();
    expect(ended.code, `${trace}\nthen: ${ended.stderr}`).toBe(0);
    expect(await this.#stored(), `${trace}\nthen: ${ended.stderr}`).toBe(now);
    const left = await this.#unfinished();
    // Of these an upload may be left that no client has heard of, or can abort.
    if (!/Create|Abort/.test(wrong)) expect(left, trace).toBe(this.#left);
    this.#left = left;
  }

  /** How many uploads the server has that were neither completed nor aborted. */
  async #unfinished(): Promise<number> {
    const { stdout } = await this.#run(['backend', 'list-multipart-uploads', 's:bucket']);
    return (JSON.parse(stdout).bucket ?? []).length;
  }

  async #upload(): Promise<EndedInProcess> {
    const file = join(this.#base, 'disk', 'file');
    return this.#run(['copyto', file, 's:bucket/file', '-vv']);
  }

  #run(argv: readonly string[]): Promise<EndedInProcess> {
    const flags = ['--retries=1', '--low-level-retries=2', '--timeout=2s', '--contimeout=2s'];
    return runInProcess([...argv, ...flags], this.#env);
  }

  async #stored(): Promise<string> {
    const content = await readFile(join(this.#s3.root, 'bucket', 'file')).catch(() => undefined);
    return content === undefined ? 'none' : digestOf(content);
  }

  /** Lets the store lie, or requests fail; what is wrong. */
  #disturb(): string {
    const random = this.#random;
    const every = [1, 2, 3][random(3)] as number;
    switch (random(5)) {
      case 0:
        return 'nothing wrong';
      case 1:
        return `${this.#lie(every)}, ${this.#fail(every)}`;
      case 2:
        return this.#fail(every);
      default:
        return this.#lie(every);
    }
  }

  #fail(every: number): string {
    const random = this.#random;
    const fault = FAULTS[random(FAULTS.length)] as Fault;
    const of = ([...OF_UPLOADS, 'PutObject'] as const)[random(6)] as OperationName;
    const most = [1, 2, 1000][random(3)] as number;
    let done = 0;
    const rule: FaultRule = ({ operation }, n) =>
      operation === of && n % every === 0 && done++ < most ? fault : undefined;
    this.#front.setFaults(rule);
    return `${of} ${JSON.stringify(fault)} of each ${every}, ${most} times`;
  }

  #lie(every: number): string {
    const lie = LIES[this.#random(LIES.length)] as string;
    const possible = OF_UPLOADS.filter((each) => S3_LIES[lie]?.of.includes(each));
    const one = possible[this.#random(possible.length)] as OperationName;
    // Some have two sides.
    const of = lie.startsWith('part-copy-') ? possible : [one];
    this.#lying.setLie({ lie, every, of });
    return `${lie} of ${of} of each ${every}`;
  }

  /** Changes the file; how. */
  #edit(): string {
    const random = this.#random;
    const old = this.#content;
    const place = (room = 0) => random(Math.max(1, old.length - room));
    const some = (most: number) => bytesOf(`bytes ${random(1e6)}`, 1 + random(most));
    const without = (from: number, count: number) =>
      Buffer.concat([old.subarray(0, from), old.subarray(from + count)]);
    const edits: Readonly<Record<string, () => Buffer>> = {
      overwritten: () => {
        const changed = Buffer.from(old);
        for (let n = random(4); n >= 0; n--) some(9000).copy(changed, place());
        return changed;
      },
      appended: () => Buffer.concat([old, some(6 * MIB)]),
      'cut in front': () => old.subarray(random(6 * MIB)),
      'cut at the end': () => old.subarray(0, old.length - random(6 * MIB)),
      inserted: () => {
        const at = place();
        return Buffer.concat([old.subarray(0, at), some(MIB), old.subarray(at)]);
      },
      'cut in the middle': () => without(place(), random(3 * MIB)),
      'with a hole': () => {
        const changed = Buffer.from(old);
        const at = place();
        return changed.fill(0, at, Math.min(old.length, at + random(9 * MIB)));
      },
      zeros: () => Buffer.alloc(this.#size()),
      'equal blocks': () => Buffer.alloc(this.#size(), some(2 * MIB)),
      'of whole parts': () => {
        const size = 5 * MIB * (4 + random(2)) + random(3) - 1;
        return Buffer.concat([old, bytesOf('filled', MOST)]).subarray(0, size);
      },
      shrunk: () => old.subarray(0, 16 * MIB - 2 + random(4) - random(3 * MIB)),
      'grown again': () => Buffer.concat([old, this.#before ?? some(MIB)]),
      swapped: () => {
        const at = place();
        return Buffer.concat([old.subarray(at), old.subarray(0, at)]);
      },
      'as before': () => this.#before ?? old,
      touched: () => old,
      other: () => bytesOf(`other ${random(1e6)}`, this.#size()),
    };
    const names = Object.keys(edits);
    const name = names[random(names.length)] as string;
    const edited = edits[name]?.() ?? old;
    this.#before = old;
    const least = edited.length < 6 * MIB ? Buffer.concat([edited, some(9 * MIB), old]) : edited;
    this.#content = Buffer.from(least.subarray(0, MOST));
    return `${name}, ${old.length} to ${this.#content.length} bytes`;
  }

  /** Writes the file as it is now. */
  async #save(): Promise<void> {
    const file = join(this.#base, 'disk', 'file');
    await writeFile(file, this.#content);
    this.#second += 10;
    await utimes(file, this.#second, this.#second);
  }

  #size(): number {
    return 17 * MIB + this.#random(12 * MIB);
  }
}

/** Whether the run believed that what it had written is wrong, and deleted it: nothing is under the name then. */
const hasUndone = (stderr: string): boolean => stderr.includes('the stored content differs');

const digestOf = (content: Buffer): string => hash('sha1', content);
