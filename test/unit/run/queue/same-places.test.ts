import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { type Context, systemClock } from '../../../../src/core/context.ts';
import { refuseUnshared, refuseWithQueue } from '../../../../src/run/queue/refuse-with-queue.ts';
import { differencesFrom, runSpecOf } from '../../../../src/run/queue/run-over-queue.ts';
import {
  placeKeys,
  QUEUE_PROTOCOL,
  type RunSpec,
  runWords,
  sameRunKey,
} from '../../../../src/run/queue/run-spec.ts';
import { RunOpener } from '../../../../src/run/remotes/open-remote.ts';
import { backendFlags } from '../../../../src/shell/command-line/backend-flags.ts';
import { parseCommandLine } from '../../../../src/shell/command-line/parse-command-line.ts';
import { KnownSecrets } from '../../../../src/shell/log/known-secrets.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { makeSyncerWorld, type SyncerWorld } from '../../../support/run-syncer.ts';
import { section } from '../../../support/s3-world.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const context: Context = {
  signal: new AbortController().signal,
  clock: systemClock,
  emit: () => {},
};
const heldClock = { ...systemClock, now: () => NOW };

let world: SyncerWorld;
let s3: TestS3;
let other: TestS3;
beforeAll(async () => {
  [world, s3, other] = await Promise.all([makeSyncerWorld(), startTestS3(), startTestS3()]);
  for (const server of [s3, other]) {
    await mkdir(join(server.root, 'data/in'), { recursive: true });
    await mkdir(join(server.root, 'copies'));
    await writeFile(join(server.root, 'data/in/first'), server === s3 ? 'first' : 'another');
  }
});
afterAll(async () => {
  await Promise.all([s3.stop(), other.stop()]);
  await world.remove();
});

function parse(words: readonly string[]) {
  const vocabulary = { commands: COMMANDS, backendFlags: backendFlags(), env: {}, nowMs: NOW };
  return parseCommandLine(words, vocabulary);
}

/** What a machine with this configuration has opened for a command. */
async function machine(words: readonly string[], config: Record<string, string> = {}) {
  const path = join(world.dir, `${Math.random()}.conf`);
  const disk = `[disk]\ntype = alias\nremote = ${world.dir}\n`;
  await writeFile(path, section(s3, 'lake', config) + section(s3, 'copy') + disk);
  const argv = ['sync', ...words, `--config=${path}`];
  const line = parse(argv);
  const opener = new RunOpener({ line, context, env: {}, secrets: new KnownSecrets() });
  const [source = '', dest = ''] = line.args;
  const sides = { source: await opener.openDir(source), dest: await opener.openDir(dest) };
  return { ...line, context, runId: '7K3F', shownWords: argv, sides };
}

async function specOf(...words: string[]): Promise<RunSpec> {
  const begun = await machine(words);
  return runSpecOf(begun, 'sync', begun.sides);
}

describe('the spec of a run', () => {
  const words = ['lake:data', 'copy:copies', '--checksum', '--max-delete=5', '--bwlimit=1M'];

  test('has the places as written, the flags, the limits and no setting', async () => {
    const spec = await specOf(...words);
    expect(spec).toMatchObject({
      verb: 'sync',
      source: 'lake:data',
      dest: 'copy:copies',
      id: '7K3F',
    });
    expect(spec.words).toEqual(['--checksum=true']);
    expect(spec.limits).toEqual({ bandwidth: '1M', maxDelete: 5 });
    expect(spec.first?.key).toBe('in/first');
    const text = JSON.stringify(spec);
    for (const secret of [s3.accessKeyId, s3.secretAccessKey, '127.0.0.1', 'localhost']) {
      expect(text).not.toContain(secret);
    }
    // It goes through JSON as it is.
    expect(JSON.parse(text)).toEqual(spec);
  });

  test('the same command is the same run, another flag is not', async () => {
    const [a, b, c] = [
      await specOf(...words),
      await specOf(...words),
      await specOf(...words, '-u'),
    ];
    expect(sameRunKey(b)).toBe(sameRunKey(a));
    expect(sameRunKey(c)).not.toBe(sameRunKey(a));
  });
});

test('a destination is known by itself and by all places above it', () => {
  const identity = {
    type: 's3',
    endpoint: 'e',
    region: 'r',
    bucket: 'b',
    names: '',
    encryption: '',
    writing: '',
  };
  const keys = (path: string) => placeKeys({ ...identity, path });
  const [whole] = keys('');
  const [a] = keys('a');
  const [inner, ...above] = keys('a/b');
  expect(above).toEqual([whole, a]);
  expect(new Set([whole, a, inner]).size).toBe(3);
  expect(keys('a/b/')).toEqual(keys('a/b'));
});

describe('a machine that could work on it', () => {
  const differences = async (
    spec: RunSpec & { readonly isFirstGone?: boolean },
    config: Record<string, string> = {},
    words = [spec.source, spec.dest, ...spec.words],
  ) => {
    const own = await machine(words, config);
    return differencesFrom(spec, own.flags, own.sides, context);
  };

  test('may if it sees the same, by another account, too', async () => {
    const spec = await specOf('lake:data', 'copy:copies', '--checksum', '--exclude=*.tmp');
    expect(await differences(spec)).toEqual([]);
    expect(await differences(spec, { storage_class: 'STANDARD_IA' })).toEqual([]);
  });

  test('does not with other settings, and says what differs', async () => {
    const spec = await specOf('lake:data', 'copy:copies', '--checksum');
    const same = (config: Record<string, string>) => differences(spec, config);
    expect(await same({ region: 'eu-1' })).toEqual(['lake:data is in another region here']);
    expect(await same({ encoding: 'Slash' })).toEqual([
      'lake:data has another encoding of names here',
    ]);
    expect(await same({ server_side_encryption: 'aws:kms' })).toEqual([
      'lake:data has other encryption settings here',
    ]);
    const toLake = await specOf('copy:data', 'lake:copies');
    for (const config of [{ storage_class: 'GLACIER' }, { acl: 'public-read' }])
      expect(await differences(toLake, config)).toEqual([
        'lake:copies has another storage_class or acl here',
      ]);
    expect(await same({ endpoint: other.endpoint })).toEqual([
      'lake:data is at another endpoint here',
    ]);
    const places = (source: string, dest: string, ...flags: string[]) =>
      differences(spec, {}, [source, dest, ...flags]);
    expect(await places('lake:copies', 'copy:copies', '-c')).toEqual([
      'lake:data is another bucket here',
    ]);
    expect(await places('lake:data', 'copy:copies/x', '-c')).toEqual([
      'copy:copies is another path here',
    ]);
    expect(await places('lake:data', 'copy:copies')).toEqual([
      '--checksum has another value here than in the run',
    ]);
    expect(await places('disk:', 'copy:copies', '-c')).toEqual([
      '"lake:data" is a local path: every worker would see its own disk',
    ]);
    expect(await differences({ ...spec, protocol: QUEUE_PROTOCOL + 1 })).toEqual([
      expect.stringContaining('this machine has an older protocol'),
    ]);
    expect(await differences({ ...spec, protocol: 0 })).toEqual([
      expect.stringContaining('the run has an older protocol'),
    ]);
  });

  test('does not if the first object is another one, unless that was written since', async () => {
    const spec = await specOf('lake:data', 'copy:copies');
    const changed = { ...spec, first: { key: 'in/first', etag: '"0"' } };
    const later = { ...changed, begunMs: Date.now() + 86_400_000 };
    expect(await differences({ ...later, isFirstGone: true })).toEqual([]);
    expect(await differences(later)).toEqual([
      'the first object of lake:data is another one here: this may be another place with the same name',
    ]);
    expect(await differences({ ...changed, begunMs: 0 })).toEqual([]);
    const gone = { ...spec, source: 'lake:copies', first: spec.first };
    const own = await machine(['lake:copies', 'copy:copies']);
    const emptied = {
      ...gone,
      places: {
        ...gone.places,
        source: (await specOf('lake:copies', 'copy:copies')).places.source,
      },
    };
    expect(await differencesFrom(emptied, own.flags, own.sides, context)).toHaveLength(1);
  });
});

describe('flags of a run as words', () => {
  const wordsOf = (...words: string[]) =>
    runWords(parse(['sync', 'a:', 'b:', ...words]).flags, { ...context, clock: heldClock });

  test('give the same words again after parsing', async () => {
    const given = [
      ...[
        '--size-only',
        '--max-size=10k',
        '--min-size=1.5M',
        '--modify-window=2s',
        '--max-depth=3',
      ],
      ...[
        '--include=*.jpg',
        '--include=a, b',
        '--filter=- /x/**',
        '--metadata',
        '--ignore-existing',
      ],
      ...['--metadata-set=a=b', '--delete-excluded', '--hash-filter=1/3', '--max-age=2d'],
    ];
    const words = await wordsOf(...given);
    expect(words).toHaveLength(given.length);
    expect(await wordsOf(...words)).toEqual(words);
    expect(words).toContain('--max-size=10240B');
    expect(words).toContain('--max-age=2026-11-20T12:00:00.000Z');
  });

  test('are those that decide about a file, whatever their order and source', async () => {
    expect(await wordsOf('--transfers=9', '--bwlimit=1M', '-v', '--max-delete=4')).toEqual([]);
    expect(await wordsOf('-c', '-u')).toEqual(await wordsOf('-u', '-c'));
  });

  test('have the lines of files of patterns', async () => {
    const path = join(world.dir, 'rules');
    await writeFile(path, '# a comment\n- *.tmp\n\n+ **\n');
    expect(await wordsOf(`--filter-from=${path}`)).toEqual(['--filter=- *.tmp', '--filter=+ **']);
  });
});

describe('--queue refuses', () => {
  test.each([
    ['--hash-filter=@/3', 'another part'],
    ['--max-delete=20%', 'how many files there are'],
    ['--exclude-from=-', '--exclude-from -: standard input'],
    ['--s3-endpoint=http://x', 'flags of a backend'],
  ])('%s', (word, why) => {
    const argv = ['sync', 'a:b', 'c:d', word];
    const { args, flags } = parse(argv);
    expect(() => refuseWithQueue(flags, args, { argv, commands: COMMANDS })).toThrow(why);
  });

  test.each([
    ['/disk', 'every worker would see its own disk'],
    [':s3,secret_access_key=hidden:b', 'they may be secrets'],
    ['lake,secret_access_key=hidden:b', 'they may be secrets'],
    ['lake:a/../b', 'must not contain'],
  ])('the place %s', (place, why) => {
    const argv = ['sync', 'a:b', place];
    const { args, flags } = parse(argv);
    expect(() => refuseWithQueue(flags, args, { argv, commands: COMMANDS })).toThrow(why);
    expect(() => refuseWithQueue(flags, args, { argv, commands: COMMANDS })).not.toThrow('hidden');
  });

  test('nothing of a plain command', () => {
    const argv = ['sync', 'a:b', 'c:d', '--checksum', '--max-delete=5', '--exclude=x', '-P'];
    const { args, flags } = parse(argv);
    expect(() => refuseWithQueue(flags, args, { argv, commands: COMMANDS })).not.toThrow();
  });

  test('opened places that are no buckets', async () => {
    const { sides } = await machine(['lake:', 'disk:']);
    expect(() => refuseUnshared(sides.source, 'lake:')).toThrow(
      'is no bucket whose names come in order',
    );
    expect(() => refuseUnshared(sides.dest, 'disk:')).toThrow(
      'every worker would see its own disk',
    );
  });
});
