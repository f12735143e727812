import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationName } from '../../src/serve/s3/operations/index.ts';
import type { Lying } from '../servers/lies/lying-proxy.ts';
import { S3_LIES } from '../servers/lies/s3-lies.ts';
import { ALL, someOf } from '../support/in-part.ts';
import { type Contents, type LieWorld, makeLieWorld } from '../support/lie-world.ts';

/**
 * What a command is run on, and what it is to make of it. A run that fails may leave less than that done, but never
 * lose a content, and never touch what is to stay.
 */
interface Scenario {
  readonly args: readonly string[];
  readonly input?: string;
  /** The requests that it makes. */
  readonly asks: readonly OperationName[];
  readonly before: Readonly<Record<string, Contents>>;
  readonly after: Readonly<Record<string, Contents>>;
  /** What is in the store was stored later than it is now, as another clock of the store says. */
  readonly isAhead?: boolean;
  /** Every second request is lied about, too, not only all. */
  readonly alsoSome?: boolean;
}

const named = (prefix: string, count: number, content: (i: number) => string): Contents =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, content(i)]));

const OLD = { 'dir/f1': 'old one', 'dir/g': 'old other' };
const FILES = { ...named('dir/f', 5, (i) => `file ${i}`), 'dir/g': 'g', other: 'other file' };
/** Of the sizes of `FILES`. */
const OLD_AS_LONG = { 'dir/f1': 'FILE 1', 'dir/f3': 'FILE 3', 'dir/g': 'G', other: 'OTHER FILE' };
const EXTRA = { ...named('dir/x', 4, (i) => `extra ${i}`), y: 'y' };
const SPACED = { 'trail ': 'trail with a space', ' lead': 'lead with a space' };

/** Copied in parts. */
const LARGE = 'not the same everywhere. '.repeat(220_000);

const LIST = ['ListObjectsV2'] as const;

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'copy by checksum': {
    args: ['copy', '--checksum', '--fast-list', 'src', 's:dst', '--s3-list-chunk=3'],
    asks: LIST,
    before: { src: FILES, 's:dst': { ...OLD, ...EXTRA } },
    after: { src: FILES, 's:dst': { ...FILES, ...EXTRA } },
  },
  'sync to the store': {
    args: ['sync', 'src', 's:dst', '--s3-list-chunk=3'],
    asks: [...LIST, 'DeleteObjects', 'DeleteObject'],
    before: {
      src: { ...FILES, trail: 'trail', lead: 'lead' },
      's:dst': { ...OLD, ...EXTRA, ...SPACED, trail: 'trail', lead: 'lead' },
    },
    after: {
      src: { ...FILES, trail: 'trail', lead: 'lead' },
      's:dst': { ...FILES, trail: 'trail', lead: 'lead' },
    },
  },
  'sync to the disk': {
    alsoSome: true,
    args: ['sync', 's:src', 'dst', '--s3-list-chunk=3'],
    asks: LIST,
    before: { 's:src': FILES, dst: { ...FILES, ...OLD, ...EXTRA } },
    after: { 's:src': FILES, dst: FILES },
  },
  'move to the store': {
    alsoSome: true,
    args: ['move', 'src', 's:dst', '--s3-list-chunk=3'],
    asks: ['HeadObject', 'PutObject'],
    before: { src: FILES, 's:dst': OLD },
    after: { src: {}, 's:dst': FILES },
  },
  'move to a new bucket': {
    args: ['move', 'src', 's:new'],
    asks: ['CreateBucket', 'HeadBucket'],
    before: { src: FILES },
    after: { src: {}, 's:new': FILES },
  },
  'move to the disk': {
    alsoSome: true,
    args: ['move', 's:src', 'dst', '--s3-list-chunk=3'],
    asks: ['HeadObject', 'GetObject', 'DeleteObject'],
    before: { 's:src': FILES, dst: OLD },
    after: { 's:src': {}, dst: FILES },
  },
  'move within the store': {
    args: ['move', 's:src', 's:dst', '--s3-list-chunk=3'],
    asks: ['CopyObject', 'DeleteObject'],
    before: { 's:src': FILES, 's:dst': OLD },
    after: { 's:src': {}, 's:dst': FILES },
  },
  'sync over objects of the same size': {
    isAhead: true,
    args: ['sync', '--fast-list', 'src', 's:dst'],
    asks: ['PutObject'],
    before: { src: FILES, 's:dst': OLD_AS_LONG },
    after: { src: FILES, 's:dst': FILES },
  },
  'move by checksum over objects of the same size within the store': {
    isAhead: true,
    args: ['move', '--checksum', '--transfers=1', 's:src', 's:dst'],
    asks: ['CopyObject'],
    before: { 's:src': FILES, 's:dst': OLD_AS_LONG },
    after: { 's:src': {}, 's:dst': FILES },
  },
  'move in parts over objects of the same size': {
    isAhead: true,
    args: ['move', 'src', 's:dst', '--s3-upload-cutoff=0'],
    asks: ['CompleteMultipartUpload'],
    before: { src: FILES, 's:dst': OLD_AS_LONG },
    after: { src: {}, 's:dst': FILES },
  },
  'copy a large object within the store': {
    args: ['copy', 's:src', 's:dst', '--s3-copy-cutoff=5Mi'],
    asks: ['CreateMultipartUpload', 'UploadPartCopy', 'CompleteMultipartUpload'],
    before: { 's:src': { large: LARGE }, 's:dst': { large: 'old' } },
    after: { 's:src': { large: LARGE }, 's:dst': { large: LARGE } },
  },
  'move in parts': {
    args: ['move', 'src', 's:dst', '--s3-upload-cutoff=0', '--s3-use-multipart-etag=true'],
    asks: ['CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload'],
    before: { src: FILES, 's:dst': OLD },
    after: { src: {}, 's:dst': FILES },
  },
  'move in parts to a store whose ETags are its own': {
    args: ['move', 'src', 's:dst', '--s3-upload-cutoff=0', '--s3-use-multipart-etag=false'],
    asks: ['UploadPart', 'CompleteMultipartUpload'],
    before: { src: FILES, 's:dst': OLD },
    after: { src: {}, 's:dst': FILES },
  },
  'move of one file': {
    args: ['moveto', 'src/dir/f1', 's:dst/dir/f1'],
    asks: ['HeadObject', 'PutObject'],
    before: { src: { 'dir/f1': 'by moveto' }, 's:dst': OLD },
    after: { src: {}, 's:dst': { ...OLD, 'dir/f1': 'by moveto' } },
  },
  delete: {
    args: ['delete', 's:dst', '--exclude', '/trail', '--exclude', '/dir/g', '--s3-list-chunk=3'],
    asks: [...LIST, 'DeleteObjects', 'DeleteObject'],
    before: { 's:dst': { ...FILES, ...SPACED, trail: 'trail' } },
    after: { 's:dst': { trail: 'trail', 'dir/g': 'g' } },
  },
  deletefile: {
    args: ['deletefile', 's:dst/dir/f1'],
    asks: ['HeadObject', 'DeleteObject'],
    before: { 's:dst': FILES },
    after: { 's:dst': without(FILES, 'dir/f1') },
  },
  purge: {
    args: ['purge', 's:dst/dir', '--s3-list-chunk=3'],
    asks: ['DeleteObjects', ...LIST],
    before: { 's:dst': FILES },
    after: { 's:dst': { other: 'other file' } },
  },
  rcat: {
    args: ['rcat', 's:dst/dir/f1'],
    input: 'by rcat',
    asks: ['PutObject', 'HeadObject', 'HeadBucket'],
    before: { 's:dst': OLD },
    after: { 's:dst': { ...OLD, 'dir/f1': 'by rcat' } },
  },
};

function without(contents: Contents, path: string): Contents {
  const { [path]: _gone, ...rest } = contents;
  return rest;
}

let world: LieWorld;
let runs = 0;
beforeAll(async () => {
  world = await makeLieWorld();
});
afterAll(() => world.remove());

/** Lies after which a file that was there may be gone: what the store holds of it was wrong. */
const REPLACES = /other-bytes|put-wrong-etag|other-checksum|other-type|shorter/;

/** Lies after which what is wrong may stay, and is noted. */
const NOTED: readonly string[] = [
  'copy-other-bytes',
  'put-other-bytes-silent',
  'put-other-bytes-opaque',
];

/** Runs a scenario under a lie. Resolves to how often it was told. */
async function runUnder(
  name: string,
  scenario: Scenario,
  lie: Lying & { readonly of: readonly OperationName[] },
): Promise<number> {
  const { args, input, before, after } = scenario;
  const places = new Set([...Object.keys(before), ...Object.keys(after)]);
  const here = (place: string) => place.replace(/^((?:s:)?(?:src|dst|new))/, `$1-${runs}`);
  runs++;
  for (const [place, contents] of Object.entries(before)) {
    const isAhead = scenario.isAhead === true && place.startsWith('s:');
    await world.fill(here(place), contents, isAhead ? 3_600_000 : 0);
  }
  world.proxy.setLie(lie);
  const full = args.map((arg) =>
    /^(?:src|dst)/.test(arg) ? join(world.disk, here(arg)) : here(arg),
  );
  const ended = await world.run(full, input);
  const told = world.proxy.told();
  if (lie.of.length > 0 && told === 0) return 0;
  if (lie.of.length === 0) expect(ended.code, ended.stderr).toBe(0);
  const about = `${name}: ${lie.lie} of ${lie.of} every ${lie.every}: ${ended.code} ${ended.stderr}`;
  const found: Record<string, Record<string, string>> = {};
  for (const place of places) found[place] = await world.read(here(place));
  if (ended.code === 0) expect(found, about).toEqual({ ...emptied(places), ...after });
  for (const place of places)
    checkPlace(place, before[place] ?? {}, after[place] ?? {}, found, {
      about,
      mayLose: REPLACES.test(String(lie.lie)),
      isNoted: NOTED.includes(String(lie.lie)),
    });
  // No content is lost that was to be somewhere.
  const all = Object.values(found).flatMap((contents) => Object.values(contents));
  for (const contents of Object.values(after)) {
    for (const [path, content] of Object.entries(contents)) {
      if (content === input) continue;
      expect(all.includes(content), `${path} is lost\n${about}`).toBe(true);
    }
  }
  return told;
}

const emptied = (places: ReadonlySet<string>) =>
  Object.fromEntries([...places].map((place) => [place, {}]));

function checkPlace(
  place: string,
  before: Contents,
  after: Contents,
  found: Readonly<Record<string, Contents>>,
  how: { readonly about: string; readonly mayLose: boolean; readonly isNoted: boolean },
): void {
  const { about, mayLose, isNoted } = how;
  const now = found[place] ?? {};
  for (const path of new Set([
    ...Object.keys(before),
    ...Object.keys(after),
    ...Object.keys(now),
  ])) {
    const allowed = [before[path], after[path]];
    if (mayLose && after[path] !== undefined) allowed.push(undefined);
    // What cannot be told from an object that was there before stays, and is noted.
    if (isNoted && after[path] !== undefined) continue;
    expect(allowed.includes(now[path]), `${place} ${path}: ${now[path]}: ${about}`).toBe(true);
  }
}

test.each(Object.entries(SCENARIOS))('%s, where nobody lies', async (name, scenario) => {
  const none = { about: '', of: [...scenario.asks], tell: () => undefined };
  await runUnder(name, scenario, { lie: none, of: [], every: 1 });
});

/** Each lie about each request is told in all scenarios; else about one, in the next one that hears it. */
let next = 0;

const VISIBLE = Object.entries(S3_LIES).filter(([, { isHidden }]) => isHidden !== true);

test.each(someOf(VISIBLE, 26))(
  'each command does what it should or fails, and loses nothing: %s',
  async (lie, { of }) => {
    for (const operation of of) {
      const asking = Object.entries(SCENARIOS).filter(([, { asks }]) => asks.includes(operation));
      for (let n = 0; n < asking.length; n++) {
        const [name, scenario] = asking[next++ % asking.length] as (typeof asking)[number];
        let told = 0;
        for (const every of scenario.alsoSome === true ? [1, 2] : [1])
          told += await runUnder(name, scenario, { lie, of: [operation], every });
        if (told > 0 && !ALL) return;
      }
    }
  },
);
