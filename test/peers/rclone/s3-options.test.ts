import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordedRequest } from '../../servers/request-log.ts';
import { startTestS3, type TestS3 } from '../../servers/test-s3.ts';
import { type Tree, writeTree } from '../../support/file-tree.ts';
import { isRcloneNow, PROVIDER, runRclone } from '../../support/rclone.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { makeSyncerWorld, type SyncerWorld } from '../../support/run-syncer.ts';
import { section } from '../../support/s3-world.ts';

// What each option changes in the requests, by both programs: `BUCKET` is a bucket of the run, `LOCAL` a folder.

const tree: Tree = { 'a.txt': 'content of a', 'd/b': 'bb', big: 'x'.repeat(6_000_000) };

/** A command, and whether the bucket holds the tree before it. */
interface Command {
  readonly args: string;
  readonly filled?: true;
}

const UP: Command = { args: 'copy LOCAL BUCKET' };
const IN_PARTS: Command = { args: 'copy LOCAL BUCKET --s3-upload-cutoff 5M' };
const MKDIR: Command = { args: 'mkdir BUCKET' };
const LIST: Command = { args: 'lsf -R BUCKET', filled: true };
const CAT: Command = { args: 'cat BUCKET/a.txt', filled: true };
const DOWN: Command = { args: 'copy BUCKET LOCAL/down', filled: true };
const COPY: Command = { args: 'copyto BUCKET/a.txt BUCKET/z', filled: true };
const COPY_BIG: Command = { args: 'copyto BUCKET/big BUCKET/z', filled: true };
const TOUCH: Command = { args: 'touch BUCKET/a.txt -t 2020-01-02', filled: true };
const DELETE: Command = { args: 'deletefile BUCKET/a.txt', filled: true };

const KEY = '01234567890123456789012345678901';
const CUSTOMER = '--s3-sse-customer-algorithm AES256';
const LOCK =
  '--s3-object-lock-mode GOVERNANCE --s3-object-lock-retain-until-date 2040-01-01T00:00:00Z';

const CASES: readonly (readonly [Command, ...string[]])[] = [
  [
    UP,
    '--s3-acl public-read',
    '--s3-bucket-acl authenticated-read',
    '--s3-storage-class ONEZONE_IA',
    '--s3-server-side-encryption AES256',
    '--s3-server-side-encryption aws:kms --s3-sse-kms-key-id key',
    `${CUSTOMER} --s3-sse-customer-key ${KEY}`,
    `${CUSTOMER} --s3-sse-customer-key-base64 ${Buffer.from(KEY).toString('base64')}`,
    `${CUSTOMER} --s3-sse-customer-key ${KEY} --s3-sse-customer-key-md5 KYvwGXoFFJ42a2u2GDWhwQ==`,
    '--s3-requester-pays',
    '--s3-no-check-bucket',
    '--s3-session-token TOKEN',
    '--s3-use-already-exists=false',
    '--s3-use-unsigned-payload=true',
    '--s3-object-lock-legal-hold-status ON',
    LOCK,
    `${LOCK} --s3-object-lock-set-after-upload`,
    '--s3-object-lock-supported=false',
    '--s3-directory-markers',
    '--s3-v2-auth',
    '--s3-upload-cutoff 0',
    '--s3-disable-checksum',
    '--s3-encoding Slash,Dot,Del,LtGt',
    '--s3-description text',
    '--header X-Test:1',
    '--header-upload Cache-Control:no-cache',
    '--header-upload X-Amz-Meta-Colour:red',
    '--header-upload X-Amz-Tagging:a=b',
    '--header-download X-Test:1',
    '-M --metadata-set colour=red --metadata-set cache-control=none --metadata-set content-type=text/x',
    '--no-update-modtime',
    '--fast-list',
  ],
  [
    IN_PARTS,
    '--s3-chunk-size 5M',
    '--s3-chunk-size 8M',
    '--s3-max-upload-parts 1',
    '--s3-upload-concurrency 1',
    '--s3-use-multipart-uploads=false',
    '--s3-use-multipart-etag=false',
    '--s3-disable-checksum',
    '--s3-acl public-read',
    '--s3-storage-class ONEZONE_IA',
    '--s3-server-side-encryption AES256',
    '--s3-requester-pays',
    LOCK,
    `${CUSTOMER} --s3-sse-customer-key ${KEY}`,
  ],
  [MKDIR, '--s3-bucket-object-lock-enabled', '--s3-bucket-acl public-read', '--s3-acl private'],
  [
    LIST,
    '--s3-list-chunk 2',
    '--s3-list-version 1',
    '--s3-list-version 2',
    '--s3-list-url-encode=false',
    '--s3-list-url-encode=true',
    '--s3-requester-pays',
    '--s3-versions',
    '--s3-version-at 2030-01-01',
    '--s3-version-deleted --s3-versions',
    '--fast-list',
    '--header X-Test:1',
    '--max-depth 1',
  ],
  [CAT, '--s3-requester-pays', '--header-download X-Test:1', '--header X-Test:1', '--offset 3'],
  [DOWN, '--s3-no-head-object', '--s3-requester-pays', '--header-download X-Test:1', '-M'],
  [DOWN, `${CUSTOMER} --s3-sse-customer-key ${KEY}`],
  [
    COPY,
    '--s3-acl public-read',
    '--s3-storage-class ONEZONE_IA',
    '--s3-server-side-encryption AES256',
    '--s3-requester-pays',
    '--s3-copy-cutoff 5M',
    '--disable copy',
  ],
  [COPY_BIG, '--s3-copy-cutoff 5M --s3-chunk-size 5M'],
  [TOUCH, '--s3-storage-class ONEZONE_IA', '--s3-acl public-read', '--s3-requester-pays'],
  [DELETE, '--s3-bypass-governance-retention', '--s3-requester-pays', '--header X-Test:1'],
];

/** Headers of the protocol and of proofs, in which the programs differ by design. */
const OWN_HEADERS = new RegExp(
  `^(${[
    ...['host', 'user-agent', 'authorization', 'x-amz-date', 'date', 'accept.*', 'connection'],
    ...['content-(length|md5|encoding)', 'transfer-encoding', 'expect', 'if-.*', 'range'],
    ...['x-amz-(content-sha256|checksum.*|decoded.*|trailer|sdk.*|mp.*)', 'amz-sdk-.*'],
    ...['x-amz-meta-(md5chksum|btime|mtime|atime)', 'x-amz-copy-source(-if-match)?'],
  ].join('|')})$`,
);

/** Facts that say what is so without them, and types of bodies. */
const IDLE_FACTS = new RegExp(
  [
    'x-amz-bucket-object-lock-enabled: false',
    'x-amz-storage-class: STANDARD$',
    'CreateBucket x-amz-request-payer',
    'ListObjectsV2 .max-keys=1$',
    '^(?!PutObject)\\w+ content-type',
  ].join('|'),
);

/** Queries that tell which page or part it is. */
const OWN_QUERIES =
  /^(x-id|partNumber|uploadId|continuation-token|marker|prefix|delimiter|X-Amz-.*)$/;

let world: SyncerWorld;
let s3: TestS3;

beforeAll(async () => {
  [world, s3] = await Promise.all([makeSyncerWorld({ inOwnProcess: true }), startTestS3()]);
  await writeFile(world.config, section(s3, 's', { ...PROVIDER, env_auth: 'false' }));
});

afterAll(async () => {
  await s3.stop();
  await world.remove();
});

/** What a request says beyond its address and its proofs. */
function factsOf({ operation, headers, query }: RecordedRequest): string[] {
  return [
    ...Object.entries(headers)
      .filter(([name]) => !OWN_HEADERS.test(name))
      .map(([name, value]) => `${operation} ${name}: ${value}`),
    ...[...query]
      .filter(([name]) => !OWN_QUERIES.test(name))
      .map(([name, value]) => `${operation} ?${name}=${value}`),
  ];
}

let runs = 0;

/** Runs a command by one of the programs; what its requests say, and how it ends. */
async function run(who: 'ours' | 'theirs', { args, filled }: Command, options: string) {
  const bucket = `options-${++runs}`;
  const dir = join(world.dir, bucket);
  await writeTree(dir, tree);
  const rclone = (words: readonly string[]) =>
    runRclone(['--retries', '1', ...words], { cwd: world.dir, config: world.config });
  if (filled) await rclone(['copy', dir, `s:${bucket}`]);
  const before = s3.log.requests.length;
  const line = `${args} ${options}`.replaceAll('BUCKET', `s:${bucket}`).replaceAll('LOCAL', dir);
  const words = line.trim().split(' ');
  const env = { SYNCER_CONFIG: world.config, HOME: world.dir, TZ: 'UTC' };
  const { code, stderr } = await (who === 'theirs'
    ? rclone(words)
    : runInProcess([...words, '--retries', '1'], env));
  const sent = s3.log.requests.slice(before).filter((request) => request.bucket === bucket);
  const operations = new Set(sent.map(({ operation }) => operation));
  // Only rclone looks at each object before and after it is written.
  operations.delete('HeadObject');
  operations.delete('HeadBucket');
  const facts = sent
    .filter(({ operation }) => operations.has(operation))
    .flatMap(factsOf)
    .filter((fact) => !IDLE_FACTS.test(fact))
    .map((fact) => fact.replaceAll(bucket, 'bucket').replace(/\.000Z$/, 'Z'));
  return { code, stderr, operations, facts };
}

const plain = new Map<string, ReturnType<typeof run>>();

/** Whether a command ends well, what it sends, and what an option changes: facts that come (`+`) and go (`-`). */
async function effect(who: 'ours' | 'theirs', command: Command, options: string) {
  const key = `${who} ${command.args}`;
  const without = plain.get(key) ?? run(who, command, '');
  plain.set(key, without);
  const [{ facts: old }, { code, stderr, operations, facts }] = await Promise.all([
    without,
    run(who, command, options),
  ]);
  const came = facts.filter((fact) => !old.includes(fact)).map((fact) => `+ ${fact}`);
  const went = old.filter((fact) => !facts.includes(fact)).map((fact) => `- ${fact}`);
  return { isGood: code === 0, operations, changes: [...came, ...went].sort(), stderr };
}

/** Changes in operations that both programs use. */
function shared(changes: readonly string[], others: ReadonlySet<string>): string[] {
  return [...new Set(changes)].filter((fact) => others.has(fact.split(' ')[1] ?? ''));
}

describe.skipIf(!isRcloneNow)('what an option of S3 sends', () => {
  for (const [command, ...options] of CASES) {
    test.concurrent.each(options)(`${command.args} %s`, async (option) => {
      const ours = await effect('ours', command, option);
      const theirs = await effect('theirs', command, option);
      const told = `${ours.stderr}\n${theirs.stderr}`;
      expect(ours.isGood, told).toBe(theirs.isGood);
      expect(shared(ours.changes, theirs.operations), told).toEqual(
        shared(theirs.changes, ours.operations),
      );
    });
  }
});
