import { stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestGraph, type TestGraph } from '../../servers/graph/start-graph.ts';
import { randomFrom } from '../../support/random-from.ts';
import { type Ended, makeSyncerWorld, type SyncerWorld } from '../../support/run-syncer.ts';
import { recordRows } from '../../support/upload-records-in.ts';
import { waitFor } from '../../support/wait-for.ts';

/** How many uploads are killed again and again: 2 in the suite; `SYNCER_TEST_SEEDS=50` for all. */
const SEEDS = Number(process.env['SYNCER_TEST_SEEDS'] ?? 2);
/** How often each is killed before a run is let through to its end. */
const KILLS = 3;
const PARTS = 52;
const PART = 4 * 320 * 1024;
const SIZE = PARTS * PART - 1234;
const WORDS = ['copy', 'file', 'd:to', '--onedrive-chunk-size', '1280Ki', '-v'];

let world: SyncerWorld;
let graph: TestGraph;
const content = Buffer.alloc(SIZE);
for (let at = 0; at + 4 <= SIZE; at += 4) content.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
const changed = Buffer.from(content);
changed[3 * PART + 5] = (changed[3 * PART + 5] ?? 0) ^ 1;

beforeAll(async () => {
  world = await makeSyncerWorld({ inOwnProcess: true });
});
beforeEach(async () => {
  await graph?.stop();
  graph = await startTestGraph({ drives: [{ type: 'business' }] });
  await logIn();
  await writeFile(join(world.dir, 'file'), content);
});
afterAll(async () => {
  await graph.stop();
  await world.remove();
});

/** Writes the remote, with a token that is good now. */
async function logIn(): Promise<void> {
  const keys = Object.entries({ ...graph.section(), graph_url: graph.graphUrl });
  const lines = keys.map(([key, value]) => `${key} = ${value}\n`);
  await writeFile(world.config, `[d]\n${lines.join('')}`);
}

const offsets = () =>
  graph.log.of('putFragment').map(({ contentRange = '' }) => {
    return Number(/^bytes (\d+)-/.exec(contentRange)?.[1]);
  });
const records = () => recordRows(join(world.config, '../home/.local/state/syncer'));

/** How many more fragments may arrive until a run is killed. */
const LATE = 2;

/** Starts the upload, and kills it when the server has seen this many fragments of it, or at most `LATE` more. */
async function killAfter(fragments: number, ms = 0): Promise<void> {
  graph.setFaults(({ operation }, n) =>
    operation === 'putFragment' && n >= fragments + LATE ? { hang: 'before' } : undefined,
  );
  const running = world.start(WORDS);
  const before = offsets().length;
  await Promise.race([waitFor(() => offsets().length >= before + fragments), running.ended]);
  await sleep(ms);
  running.kill('SIGKILL');
  await running.ended;
  graph.setFaults(undefined);
}

async function expectUploaded({ code, stderr }: Ended, bytes: Buffer = content): Promise<void> {
  expect(code, stderr).toBe(0);
  expect(graph.drive.read('to/file')?.equals(bytes)).toBe(true);
  expect(records()).toEqual([]);
}

test.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
  'an upload killed three times is resumed each time (seed %i)',
  async (seed) => {
    const random = randomFrom(seed);
    for (let kill = 0; kill < KILLS; kill++) await killAfter(1 + random(14), random(40));
    const ended = await world.run(WORDS);
    await expectUploaded(ended);
    expect(ended.stderr).toMatch(/Resuming the upload at \d+% \(\d+ of 52 parts verified\)/);
    expect(graph.openSessions()).toEqual([]);
    expect(graph.log.count('createUploadSession')).toBe(1);
    expect(new Set(offsets()).size).toBe(PARTS);
    // What was in transit when a run was killed is sent again, and nothing else.
    expect(offsets().length).toBeLessThanOrEqual(PARTS + KILLS);
  },
);

/** What happens between a killed run and the next, and why the next starts from the beginning. */
interface Restart {
  readonly why: string;
  readonly between?: () => Promise<void>;
  /** The content that arrives. */
  readonly sends?: () => Buffer;
  /** Flags of the next run. */
  readonly more?: readonly string[];
}

const RESTARTS: Readonly<Record<string, Restart>> = {
  'a byte of the source was changed and its time kept': {
    why: 'the source has changed',
    between: async () => {
      const { atime, mtime } = await stat(join(world.dir, 'file'));
      await writeFile(join(world.dir, 'file'), changed);
      await utimes(join(world.dir, 'file'), atime, mtime);
    },
    sends: () => changed,
  },
  'a byte of the source was changed': {
    why: 'the source has changed',
    between: () => writeFile(join(world.dir, 'file'), changed),
    sends: () => changed,
  },
  'the session has expired': {
    why: 'the service no longer has it',
    async between() {
      graph.advance(86_400);
      await logIn();
    },
  },
  'another program has cancelled the session': {
    why: 'the service no longer has it',
    async between() {
      const [{ head = '{}' } = {}] = records() as { head?: string }[];
      const { id } = JSON.parse(head);
      await fetch(id, { method: 'DELETE' });
    },
  },
  'the part size is another one': {
    why: 'the part size is another one',
    more: ['--onedrive-chunk-size', '2560Ki'],
  },
};

test.each(Object.entries(RESTARTS))(
  'a killed upload starts from the beginning: %s',
  async (_what, restart) => {
    await killAfter(10);
    await restart.between?.();
    const ended = await world.run([...WORDS, ...(restart.more ?? [])]);
    await expectUploaded(ended, restart.sends?.());
    expect(ended.stderr).toContain(`Starting the upload from the beginning: ${restart.why}`);
    expect(graph.openSessions()).toEqual([]);
  },
);

test('of two runs that find the same upload one resumes it, and both end well', async () => {
  await killAfter(40);
  const [one, two] = await Promise.all([world.run(WORDS), world.run(WORDS)]);
  expect([one.code, two.code], one.stderr + two.stderr).toEqual([0, 0]);
  await expectUploaded(one);
  expect(`${one.stderr}${two.stderr}`.match(/Resuming the upload/g)).toHaveLength(1);
  expect(graph.openSessions()).toEqual([]);
});
