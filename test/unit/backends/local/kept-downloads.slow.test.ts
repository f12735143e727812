import { hash } from 'node:crypto';
import {
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { open } from '../../../../src/backends/local/local-remote.ts';
import { systemClock } from '../../../../src/core/context.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import type { ReadRange, WriteSource } from '../../../../src/core/remote.ts';
import { messageOf } from '../../../../src/shell/log/words.ts';
import { ownMark } from '../../../../src/system/owner-state.ts';
import { randomFrom } from '../../../support/random-from.ts';
import { stateRows } from '../../../support/state-rows.ts';
import { recordRows, uploadRecordsIn } from '../../../support/upload-records-in.ts';

const MIB = 1024 ** 2;
const SIZE = 8 * MIB + 77;
const random = randomFrom(3);
const CONTENT = Buffer.from(Array.from({ length: SIZE }, () => random(256)));

let base: string;
let dir: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'syncer-test-'));
  dir = join(base, 'dir');
});
afterEach(() => rm(base, { recursive: true, force: true }));

interface Trial {
  readonly content?: Buffer;
  readonly fingerprint?: string;
  readonly hashes?: WriteSource['hashes'];
  readonly streams?: number;
  /** The run is stopped when the source has given this many bytes. */
  readonly stopAt?: number;
}

/** One run: what it read of the source, what it logged, and how it ended. */
async function write(trial: Trial = {}) {
  const { content = CONTENT, fingerprint = 'as it was', streams = 1, stopAt } = trial;
  const stop = new AbortController();
  const ranges: (ReadRange | undefined)[] = [];
  const events: SyncerEvent[] = [];
  let given = 0;
  const source: WriteSource = {
    path: 'file',
    size: content.length,
    hashes: trial.hashes ?? { md5: hash('md5', content) },
    fingerprint: () => fingerprint,
    seekable: true,
    ranges: { from: streams > 1 ? 0 : Number.POSITIVE_INFINITY, count: streams },
    async open(range) {
      ranges.push(range);
      const from = range?.offset ?? 0;
      const to = range?.length === undefined ? content.length : from + range.length;
      async function* chunks() {
        for (let at = from; at < to; at += MIB / 4) {
          if (stopAt !== undefined && given >= stopAt) {
            await new Promise((resolve) => setTimeout(resolve, 20));
            stop.abort(new Error('stopped by the test'));
            // A timer holds it, as a socket would: nothing else does.
            await new Promise((resolve) => setTimeout(resolve, 600_000).unref());
          }
          const chunk = content.subarray(at, Math.min(to, at + MIB / 4));
          given += chunk.length;
          yield Buffer.from(chunk);
        }
      }
      return Readable.from(chunks(), { objectMode: true, highWaterMark: 1 });
    },
  };
  const remote = await open({
    name: '',
    root: dir,
    options: {},
    context: {
      signal: stop.signal,
      clock: systemClock,
      emit: (event) => void events.push(event),
    },
    transport: {
      ...{ timeoutMs: 1, connectTimeoutMs: 1, lowLevelRetries: 1, insecureTls: false },
      ...{ userAgent: 'test', env: {} },
    },
    downloads: uploadRecordsIn(join(base, 'state'), { kind: 'download', from: 2 * MIB }),
  });
  const error: unknown = await remote.write(source, { signal: stop.signal }).then(
    () => undefined,
    (thrown) => thrown,
  );
  const logs = events.flatMap((event) =>
    event.type === 'log' ? [`${event.level} ${messageOf(event)}`] : [],
  );
  return { error, logs, ranges, given };
}

const names = () => readdir(dir);
const records = () => recordRows(join(base, 'state'));

async function expectDone(content = CONTENT): Promise<void> {
  expect((await readFile(join(dir, 'file'))).equals(content)).toBe(true);
  expect(await names()).toEqual(['file']);
  expect(records()).toEqual([]);
}

describe.each([1, 3])('with %i streams an interrupted download', (streams) => {
  it.each([{}, { crc32: true }])('is resumed (%o)', async (how) => {
    const { crc32 } = await import('node:zlib');
    const sum = crc32(CONTENT).toString(16).padStart(8, '0');
    const hashes = 'crc32' in how ? { hashes: { crc32: sum } } : {};
    const first = await write({ streams, stopAt: 4 * MIB, ...hashes });
    expect(first.error).toMatchObject({ message: 'stopped by the test' });
    expect(first.logs).toEqual([expect.stringMatching(/^notice Interrupted: .* are kept/)]);
    expect(records()).toHaveLength(1);
    const { error, logs, given } = await write({ streams, ...hashes });
    expect(error).toBeUndefined();
    expect(logs).toEqual([expect.stringMatching(/^info Resuming the download at \d+%$/)]);
    expect(given).toBeLessThanOrEqual(SIZE - 2 * MIB);
    await expectDone();
  });

  it('starts from the beginning if the source has changed', async () => {
    await write({ streams, stopAt: 4 * MIB });
    const content = Buffer.from(CONTENT).reverse();
    const { error, logs, given } = await write({ streams, content, fingerprint: 'another' });
    expect(error).toBeUndefined();
    expect(logs).toEqual(['info Starting the download from the beginning: the source has changed']);
    expect(given).toBe(SIZE);
    await expectDone(content);
  });

  it('whose file was damaged fails without a file, and then starts from the beginning', async () => {
    await write({ streams, stopAt: 4 * MIB });
    const [partial = ''] = await names();
    const file = await openFile(join(dir, partial), 'r+');
    await file.write(Buffer.from([1, 2, 3, 4, 5]), 0, 5, 100);
    await file.close();
    const { error } = await write({ streams });
    expect(error).toMatchObject({ code: 'corrupted' });
    expect(await names()).toEqual([]);
    expect((await write({ streams })).given).toBe(SIZE);
    await expectDone();
  });

  it('whose file was shortened reads what is missing', async () => {
    await write({ streams, stopAt: 4 * MIB });
    const [partial = ''] = await names();
    await truncate(join(dir, partial), 1000);
    const { error, given } = await write({ streams });
    expect(error).toBeUndefined();
    expect(given).toBe(SIZE);
    await expectDone();
  });

  it('does not write through a link that took the place of its file', async () => {
    await write({ streams, stopAt: 4 * MIB });
    const [partial = ''] = await names();
    await rename(join(dir, partial), join(base, 'elsewhere'));
    await writeFile(join(base, 'target'), 'not ours');
    await symlink(join(base, 'target'), join(dir, partial));
    expect((await write({ streams })).error).toBeUndefined();
    expect(await readFile(join(base, 'target'), 'utf8')).toBe('not ours');
    await expectDone();
  });
});

it('of two runs is resumed by the third, which deletes the older one', async () => {
  await write({ stopAt: 4 * MIB });
  // A running process keeps its record from the second run.
  const own = (owner: string | null) =>
    stateRows(join(base, 'state'), 'UPDATE uploads SET owner = ?', owner);
  own(ownMark());
  await write({ stopAt: 4 * MIB });
  own(null);
  expect(await names()).toHaveLength(2);
  const { logs } = await write();
  expect(logs).toEqual([expect.stringMatching(/^info Resuming the download at \d+%$/)]);
  await expectDone();
});

it('keeps nothing of which little is there, that nothing identifies, or without a hash', async () => {
  await write({ stopAt: MIB });
  expect(await names()).toEqual([]);
  await write({ stopAt: 4 * MIB, hashes: {} });
  expect(await names()).toEqual([]);
  expect(records()).toEqual([]);
});

it('a run that sweeps its directory leaves a file that can be continued', async () => {
  await write({ stopAt: 4 * MIB });
  const [partial = ''] = await names();
  // Of a process that has ended.
  const dead = partial.replace(/(syncer-partial-[0-9a-z]+-[0-9a-z]+)-[0-9a-z]+/, '$1-0');
  await rename(join(dir, partial), join(dir, dead));
  const plain = dead.replace('-r', '-0');
  await writeFile(join(dir, plain), 'left behind');
  await write({ content: Buffer.from('a small file') });
  expect((await names()).toSorted()).toEqual([dead, 'file']);
});
