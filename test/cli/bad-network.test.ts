import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fault, type FaultRule, failFirst } from '../servers/fault.ts';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { someOf } from '../support/in-part.ts';
import { leftovers } from '../support/leftovers.ts';
import { makeS3World, type S3World } from '../support/s3-world.ts';

const MIB = 1024 ** 2;
const text = (seed: number, size: number) => `${seed} of ${size};`.repeat(size).slice(0, size);
const SIZES = { small: 40, medium: 20_000, streamed: 700_000, parts: 6 * MIB, exact: 10 * MIB };

/** 60 files: empty and small ones, some larger than what is read at once, some in parts. */
const tree: Tree = Object.fromEntries([
  ...Array.from({ length: 42 }, (_, i) => [
    `d${i % 5}/small-${i}`,
    text(i, (SIZES.small * i) % 900),
  ]),
  ...Array.from({ length: 10 }, (_, i) => [`d${i % 3}/e/medium-${i}`, text(i, SIZES.medium + i)]),
  ...Array.from({ length: 6 }, (_, i) => [`streamed-${i}`, text(i, SIZES.streamed + i)]),
  ['parts/exact', text(1, SIZES.exact)],
  ['parts/ä+b%20c', text(2, SIZES.parts)],
]);
/** At the destination before: some to be replaced, some to be deleted. */
const surplus = Object.fromEntries(
  Array.from({ length: 8 }, (_, i) => [`d${i}/${i % 2 ? 'small-1' : 'surplus'}`, `old ${i}`]),
);

let world: S3World;
let wanted: Awaited<ReturnType<typeof readTree>>;
let trips = 0;
/** How many requests it takes when all goes well. */
const clean = { up: 1000, down: 1000 };

beforeAll(async () => {
  world = await makeS3World();
  await writeTree(join(world.dir, 'src'), tree);
  wanted = await readTree(join(world.dir, 'src'));
  Object.assign(clean, await roundTrip(undefined));
});
afterAll(() => world.remove());

/** Mirrors the tree into the store and back under a rule, and checks both; gives how many requests it took. */
async function roundTrip(rule: FaultRule | undefined, flags: readonly string[] = []) {
  const { s3 } = world;
  const back = join(world.dir, 'back');
  const trip = `trip-${trips++}`;
  s3.setFaults(undefined);
  await rm(back, { recursive: true, force: true });
  await Promise.all([writeTree(join(world.bucket, trip), surplus), writeTree(back, surplus)]);
  const sync = async (from: string, to: string) => {
    s3.log.clear();
    s3.setFaults(rule);
    const inParts = ['--s3-chunk-size', '5M', '--s3-upload-cutoff', '5M'];
    const ended = await world.run(['sync', from, to, ...inParts, ...flags]);
    expect(ended.code, ended.stderr).toBe(0);
    return s3.log.count();
  };
  const requests = {
    up: await sync('src', `store:bucket/${trip}`),
    down: await sync(`store:bucket/${trip}`, 'back'),
  };
  s3.setFaults(undefined);
  expect(await sameTree(back)).toBe(true);
  expect(leftovers(world.dir)).toEqual([]);
  expect((await filesIn(join(world.bucket, trip))).sort()).toEqual(Object.keys(tree).sort());
  await rm(join(world.bucket, trip), { recursive: true });
  expect(requests.up).toBeLessThan(clean.up * 1.6 + 10);
  expect(requests.down).toBeLessThan(clean.down * 1.6 + 10);
  return requests;
}

/** Content and times; a difference would be too long to print. */
async function sameTree(dir: string): Promise<boolean> {
  const found = Object.entries((await readTree(dir)) ?? {});
  const count = Object.keys(wanted ?? {}).length;
  return found.length === count && found.every(([path, file]) => wanted?.[path] === file);
}

async function filesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1));
}

/** The first request of every operation fails, and every fifth after it. */
const often =
  (fault: Fault): FaultRule =>
  (_request, n) =>
    n % 5 === 0 ? fault : undefined;
/** Only the first one of every operation fails. */
const once =
  (fault: Fault): FaultRule =>
  (_request, n) =>
    n === 0 ? fault : undefined;
const ofBodies =
  (fault: Fault): FaultRule =>
  (request, n) =>
    request.operation === 'GetObject' && n % 5 === 0 ? fault : undefined;

const answered: readonly [string, FaultRule, string[]?][] = [
  ['an error of the store (500)', often({ status: 500 })],
  ['503 SlowDown with Retry-After', once({ status: 503, retryAfter: 1 })],
  ['429', often({ status: 429 })],
  ['a reset before the request arrives', often({ reset: 'before' })],
  ['silence', once({ hang: 'before' }), ['--timeout', '1s']],
  ['a byte of a body that is another', ofBodies({ corrupt: true, at: 17 })],
  ['a body that is cut short', ofBodies({ truncate: true })],
  ['a body that is cut by a reset', ofBodies({ reset: 'in-body' })],
];

test.each(someOf(answered, 1))('%s', async (_what, rule, flags) => {
  await roundTrip(rule, flags);
  expect(await world.unfinishedUploads()).toEqual([]);
});

test('a retry that succeeds is named with -v and counted in its statistics, and is silent without', async () => {
  await writeTree(join(world.dir, 'one'), { f: 'content' });
  const copy = async (to: string, ...flags: string[]) => {
    world.s3.setFaults(failFirst('PutObject', 2, { status: 500 }));
    const ended = await world.run(['copy', 'one', `store:bucket/${to}`, ...flags]);
    world.s3.setFaults(undefined);
    expect(ended.code, ended.stderr).toBe(0);
    return ended.stderr;
  };
  expect(await copy('quiet')).toBe('');
  const lines = (await copy('told', '-v')).split('\n').filter((line) => /Succe/.test(line));
  expect(lines).toEqual([
    expect.stringMatching(/ INFO {2}: write bucket\/told\/f: Succeeded on attempt 3 of 10$/),
  ]);
  const log = (await copy('json', '-v', '--use-json-log')).trim().split('\n');
  const records = log.map((line) => JSON.parse(line) as { stats?: object });
  expect(records.at(-1)?.stats).toMatchObject({ retriesSucceeded: 1, errors: 0 });
});

/** The answer to the beginning of an upload is lost, too, and nobody can know of that upload. Kept for last. */
const lost: readonly [string, FaultRule, string[]?][] = [
  ['a reset after the store has done its work', often({ reset: 'after' })],
  ['a reset in the middle of an answer', often({ reset: 'in-body', afterBytes: 10 })],
  ['an answer that is cut short', often({ truncate: true, afterBytes: 10 })],
  ['an answer that stops half-way', once({ hang: 'in-body' }), ['--timeout', '1s']],
];

test.each(someOf(lost, 1))('%s', async (_what, rule, flags) => {
  await roundTrip(rule, flags);
});
