import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, utimesSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { someOf } from '../support/in-part.ts';
import { makeSyncerWorld, PROGRAM, type SyncerWorld } from '../support/run-syncer.ts';
import { waitFor } from '../support/wait-for.ts';
import { startWebhook } from '../support/webhook-beside.ts';

const INSTALLER = join(import.meta.dirname, '../../installer/main.ts');

let world: SyncerWorld;
beforeEach(async () => {
  world = await makeSyncerWorld();
  await writeFile(world.config, '');
});
afterEach(() => world.remove());

test.each([
  ['SIGINT', 130, 'Stopped by Ctrl-C'],
  ['SIGTERM', 143, 'Stopped by SIGTERM'],
] as const)('%s ends a run with %i, in order', async (signal, code, reason) => {
  const running = world.start(['rcat', 'dir/file', '-vv'], { input: { open: true } });
  while (!running.seen.stderr.includes('starting with parameters')) await wait(10);
  await wait(200);
  running.kill(signal);
  const ended = await running.ended;
  expect(ended.code).toBe(code);
  expect(ended.stderr).toContain(`NOTICE: ${reason}\n`);
  expect(ended.stderr).not.toContain('ERROR');
  expect(await readdir(world.dir, { recursive: true })).not.toContain('dir/file');
});

test('SIGUSR2 switches the limit of a running copy off, and the copy goes well', async () => {
  await mkdir(join(world.dir, 'src'));
  await writeFile(join(world.dir, 'src/large'), Buffer.alloc(4 * 1024 * 1024));
  const running = world.start(['copy', 'src', 'dst', '--bwlimit', '1', '-v']);
  while (!running.seen.stderr.includes('Bandwidth is limited')) await wait(10);
  running.kill('SIGUSR1');
  running.kill('SIGUSR2');
  const { code, stderr } = await running.ended;
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('NOTICE: Bandwidth limit disabled by user (now off)\n');
  expect(stderr).not.toContain('ebugger');
});

test.each([
  ['SIGUSR1', ''],
  ['SIGUSR2', 'DEBUG : SIGUSR2 is ignored: no bandwidth limit is set\n'],
] as const)('%s does not end a run without a limit', async (signal, told) => {
  const running = world.start(['rcat', 'file', '-vv'], { input: { open: true } });
  while (!running.seen.stderr.includes('starting with parameters')) await wait(10);
  running.kill(signal);
  while (!running.seen.stderr.includes(told)) await wait(10);
  running.write('all of it');
  running.end();
  const { code, stderr } = await running.ended;
  expect(code, stderr).toBe(0);
  expect(stderr).not.toContain('ebugger');
  expect(await readFile(join(world.dir, 'file'), 'utf8')).toBe('all of it');
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends the wait for the lock of the configuration', async (signal, code) => {
  const lock = `${world.config}.lock`;
  await mkdir(lock);
  // Its holder is alive.
  const alive = setInterval(() => utimesSync(lock, new Date(), new Date()), 500);
  const running = world.start(['config', 'create', 'new', 'local', '-vv']);
  while (!running.seen.stderr.includes('starting with parameters')) await wait(10);
  await wait(300);
  running.kill(signal);
  const ended = await running.ended;
  clearInterval(alive);
  expect(ended.code).toBe(code);
  expect(await readFile(world.config, 'utf8')).toBe('');
});

test.each([
  ['nohup in bash', ['bash', '-c', 'nohup "$@"; exit $?', '-']],
  ['a script that ignores it', ['sh', '-c', 'trap "" HUP; "$@"; exit $?', '-']],
])('SIGHUP does not end what was started by %s', async (_, through) => {
  const running = world.start(['rcat', 'dir/file', '-vv'], { input: { open: true }, through });
  while (!running.seen.stderr.includes('starting with parameters')) await wait(10);
  process.kill(childOf(running.pid), 'SIGHUP');
  running.write('all of it');
  running.end();
  expect((await running.ended).code).toBe(0);
  expect(await readFile(join(world.dir, 'dir/file'), 'utf8')).toBe('all of it');
});

type Program = 'syncer' | 'webhook' | 'webhook-installer';

/** The table of signals in the documentation. */
const TABLE = readFileSync(join(import.meta.dirname, '../../docs/interrupted-runs.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| [A-Z]+\d?[ |]/.test(line))
  .map((line) => {
    const [, name = '', syncer = '', , webhook = '', installer = ''] = line.split('|');
    const cells: Record<Program, string> = { syncer, webhook, 'webhook-installer': installer };
    return { signal: `SIG${name.trim().split(' ')[0]}` as NodeJS.Signals, cells };
  });

/** Starts a program that waits, sends it a signal, and then lets it go on. */
async function endAfter(program: Program, signal: NodeJS.Signals, goesOn: boolean) {
  if (program === 'webhook') {
    await writeFile(join(world.dir, 'hooks.json'), '[{"id": "a", "execute-command": "true"}]');
    const server = await startWebhook('ours', { cwd: world.dir, args: [] });
    server.kill(signal);
    const isAlive = goesOn && /^HTTP/.test(await server.exchange('GET /hooks/a HTTP/1.0\r\n\r\n'));
    if (goesOn) server.kill('SIGTERM');
    const code = await server.ended;
    return isAlive ? 'continues' : code;
  }
  const words = program === 'syncer' ? ['rcat', 'file', '-vv'] : [];
  const path = program === 'syncer' ? PROGRAM : INSTALLER;
  const child = spawn(process.execPath, [path, ...words], {
    cwd: world.dir,
    env: { ...process.env, SYNCER_CONFIG: world.config },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += chunk;
    });
  const ended = once(child, 'close');
  await waitFor(() => /starting with parameters|uninstall/i.test(text), ended);
  child.kill(signal);
  if (goesOn) child.stdin.end('neither 1 nor 2\n');
  const [code] = await ended;
  const own = program === 'syncer' ? 0 : 1;
  return goesOn && code === own ? 'continues' : code;
}

const CELLS = TABLE.filter(({ signal }) => !/TSTP|PIPE/.test(signal)).flatMap(({ signal, cells }) =>
  Object.entries(cells).map(([program, cell]) => ({ signal, program: program as Program, cell })),
);

test.each(someOf(CELLS, 6))(
  '$signal does in $program what the documentation says:$cell',
  async ({ signal, program, cell }) => {
    const goesOn = /^ continues/.test(cell);
    const wanted = goesOn ? 'continues' : Number(/\((\d+)\)/.exec(cell)?.[1] ?? Number.NaN);
    const end = await endAfter(program, signal, goesOn);
    expect(end).toBe(Number.isNaN(wanted) ? null : wanted);
  },
);

/** The only process that this one has started. */
function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
}

test('a reader that goes away ends the program without a word', async () => {
  await mkdir(join(world.dir, 'many'));
  const name = 'x'.repeat(200);
  await Promise.all(
    Array.from({ length: 3000 }, (_, i) => writeFile(join(world.dir, 'many', `${name}${i}`), '')),
  );
  const child = spawn(process.execPath, [PROGRAM, 'ls', 'many'], {
    cwd: world.dir,
    env: { ...process.env, SYNCER_CONFIG: world.config },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const [code, signal] = await once(child, 'close');
  expect({ code, signal, stderr }).toEqual({ code: null, signal: 'SIGPIPE', stderr: '' });
});
