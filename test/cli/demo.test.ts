import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { COMPILED_CACHE } from '../support/compiled-cache.ts';
import { ALL, testOfAll } from '../support/in-part.ts';

const root = resolve(import.meta.dirname, '../..');
/** The built program; the demo builds it again if it has its usual name. */
const built = `${root}/./dist/syncer.js`;

/** A folder that holds the demo's temporary files, its home, and the config a user already has. */
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syncer-demo-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Demo {
  readonly child: ChildProcess;
  /** What it wrote so far. */
  text(): string;
  /** Resolves once this was written. */
  sees(pattern: RegExp): Promise<void>;
}

function startDemo(...args: string[]): Demo {
  const child = spawn(join(root, 'scripts/demo.sh'), args, {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      TMPDIR: folder,
      SYNCER_TRANSFERS: 'nonsense',
      ...COMPILED_CACHE,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const append = (chunk: Buffer) => {
    text += chunk;
  };
  child.stdout.on('data', append);
  child.stderr.on('data', append);
  const sees = async (pattern: RegExp) => {
    while (!pattern.test(text)) {
      if (child.exitCode !== null) throw new Error(`the demo ended early: ${text}`);
      await sleep(20);
    }
  };
  return { child, text: () => text, sees };
}

async function exitCode({ child }: Demo): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'close');
  return child.exitCode;
}

/** Nothing that the demo made is there, and its server does not answer. */
async function expectNothingLeft(demo: Demo, kept: string[] = []): Promise<void> {
  expect(await readdir(folder)).toEqual(kept);
  const port = Number(/endpoint = http:\/\/127\.0\.0\.1:(\d+)/.exec(demo.text())?.[1]);
  if (Number.isNaN(port)) return;
  const socket = connect(port, '127.0.0.1');
  await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED');
}

describe('npm run demo', () => {
  test('does what it says, and leaves nothing behind', async () => {
    const demo = ALL ? startDemo() : startDemo(built);
    expect({ code: await exitCode(demo), text: demo.text() }).toMatchObject({ code: 0 });
    const text = demo.text();
    const steps = [
      '$ syncer serve s3 store',
      '$ syncer sync holiday demo:bucket -P',
      '$ syncer check holiday demo:bucket --checksum',
      '$ syncer ls demo:bucket',
      '     1200 read me.txt',
      '$ syncer tree demo:bucket',
      '22 files',
      '$ syncer sync holiday demo:bucket -v',
      'ok: 0 copied, 0 deleted',
      'changed holiday/read me.txt, deleted holiday/photos/img_0002.jpg',
      'ok: 1 copied, 1 deleted',
      '$ syncer help',
    ];
    const places = steps.map((step, i) =>
      text.indexOf(step, i === 0 ? 0 : text.indexOf(steps[i - 1] ?? '')),
    );
    expect(steps.filter((_, i) => (places[i] ?? -1) < 0)).toEqual([]);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(text).not.toContain('\x1b');
    await expectNothingLeft(demo);
  });

  const ends = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const;
  test.each(ALL ? ends : [])('cleans up on %s', async (signal, code) => {
    const demo = startDemo(built);
    await demo.sees(/\$ syncer sync holiday/);
    demo.child.kill(signal);
    expect(await exitCode(demo)).toBe(code);
    await expectNothingLeft(demo);
  });

  testOfAll('a planted fault is found: a sync that copies nothing', async () => {
    const program = join(folder, 'false-syncer.mjs');
    const real = JSON.stringify(built);
    await writeFile(program, `if (process.argv[2] !== 'sync') await import(${real});\n`);
    const demo = startDemo(program);
    expect(await exitCode(demo)).toBe(1);
    expect(demo.text()).toMatch(/demo: that step failed \(exit 1\)\n$/);
    await expectNothingLeft(demo, ['false-syncer.mjs']);
  });
});
