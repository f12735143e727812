import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startServe } from '../../cli/start-serve.ts';
import { hasProgram } from '../../support/has-program.ts';
import { makeSyncerWorld, type SyncerWorld } from '../../support/run-syncer.ts';
import { hasTmux, type TmuxTerminal } from '../../support/tmux-terminal.ts';
import { killChildrenOf, type TuiWorld, terminalModes, tuiWorld } from '../../support/tui-world.ts';

const FILES = 12;
const BYTES = 1_500_000;
const KEYS = /p pause . q stop/;
const SANE = 'echo icanon isig opost';

let world: TuiWorld;
let server: SyncerWorld;
let serving: Awaited<ReturnType<typeof startServe>>;

beforeEach(async () => {
  world = await tuiWorld('progress');
  server = await makeSyncerWorld({ inOwnProcess: true });
  await mkdir(join(server.dir, 'store/bucket'), { recursive: true });
  serving = await startServe(server, ['store']);
  await writeFile(
    join(world.folder, 'syncer.conf'),
    `[s]\ntype = s3\nprovider = Other\nendpoint = ${serving.endpoint}\naccess_key_id = a\nsecret_access_key = b\n`,
  );
  const files: Record<string, number> = {};
  for (let n = 10; n < 10 + FILES; n++) files[`from/dir/file with a long name ${n}.bin`] = BYTES;
  await world.write(files);
});
afterEach(async () => {
  serving.running.kill('SIGTERM');
  await serving.running.ended;
  await Promise.all([server.remove(), world.remove()]);
});

const COPY = 'copy from s:bucket -P --transfers 3 --bwlimit 2M --no-history';

const stored = async () =>
  (await readdir(join(server.dir, 'store/bucket/dir')).catch(() => [])).filter((name) =>
    name.startsWith('file'),
  );

/** How many bytes the view says are through. */
function bytesShown(screen: string): string | undefined {
  return /^(.* of .*?) {2}/m.exec(screen)?.[1];
}

/** Waits until bytes have passed after `since`. */
async function waitForBytes(terminal: TmuxTerminal, since: string): Promise<string> {
  for (;;) {
    const shown = await terminal.waitFor(/ of .*iB/);
    if (bytesShown(shown) !== bytesShown(since)) return shown;
  }
}

describe.skipIf(!hasTmux)('-P on a terminal', () => {
  test('shows bytes, files, speed and a row for each transfer, and leaves the sums', async () => {
    const terminal = await world.start(COPY.replace('2M', '6M'));
    const shown = await terminal.waitFor([KEYS, /files \d+ of 12/, /MiB\/s/]);
    expect(shown).toMatch(/^ {2}dir\/file with .*\d+\.bin .* \d+%/m);
    expect(shown).toContain('3 in parallel');
    const after = await terminal.waitFor(['Transferred:           12 / 12, 100%', 'exit=0']);
    expect(after).not.toMatch(KEYS);
    expect(after).toContain('Elapsed time:');
    expect(await stored()).toHaveLength(FILES);
    expect(await terminalModes(terminal)).toBe(SANE);
  });

  test('lines of the log scroll above the view', async () => {
    const terminal = await world.start(`${COPY.replace('2M', '4M')} -v`, { columns: 100 });
    const shown = await terminal.waitFor([KEYS, /INFO {2}: dir\/file .*: Copied \(new\)/]);
    const lines = shown.split('\n');
    const log = lines.findLastIndex((line) => line.includes('INFO'));
    const view = lines.findIndex((line) => KEYS.test(line));
    expect(log).toBeLessThan(view);
    expect(lines.filter((line) => KEYS.test(line))).toHaveLength(1);
    await terminal.keys('C-c', 'C-c');
    await terminal.waitFor('exit=130');
  });

  test('p stops the bytes and goes on, + widens, b sets a limit', async () => {
    const terminal = await world.start(COPY);
    await terminal.waitFor([KEYS, /\d%/]);
    await terminal.keys('p');
    const paused = await terminal.waitFor(['paused', 'p resume']);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(bytesShown(await terminal.screen())).toBe(bytesShown(paused));
    await terminal.keys('+', '+');
    await terminal.waitFor('5 in parallel');
    await terminal.keys('-');
    await terminal.waitFor('4 in parallel');
    await terminal.type('b');
    await terminal.waitFor(/^limit: .*500k, 10M, off/m);
    await terminal.type('x');
    await terminal.keys('Enter');
    await terminal.waitFor('Not a rate');
    await terminal.keys('BSpace');
    await terminal.type('off');
    await terminal.keys('Enter', 'p');
    await terminal.waitFor(['12 / 12, 100%', 'exit=0']);
    expect(await stored()).toHaveLength(FILES);
  });

  test('q finishes what is being transferred and stops', async () => {
    const terminal = await world.start(COPY);
    await terminal.waitFor([KEYS, /[1-9]\d?%/]);
    await terminal.keys('q');
    await terminal.waitFor(['stopping', 'Ctrl-C stops now']);
    const after = await terminal.waitFor('exit=130');
    expect(after).toContain('Stopped by the user before completion');
    const done = /Transferred: +(\d+) \/ 12/.exec(after)?.[1];
    expect(await stored()).toHaveLength(Number(done));
    expect(Number(done)).toBeGreaterThanOrEqual(3);
    expect(Number(done)).toBeLessThan(FILES);
    expect(await terminalModes(terminal)).toBe(SANE);
  });

  test('pasted text, and a command typed for the shell, do not stop it', async () => {
    const terminal = await world.start(COPY.replace('2M', '6M'));
    await terminal.waitFor([KEYS, /[1-9]\d?%/]);
    await terminal.paste('quick question\n');
    await terminal.type('cp -p q y');
    await terminal.waitFor(['12 / 12, 100%', 'exit=0']);
    expect(await stored()).toHaveLength(FILES);
  });

  test('Ctrl-C twice ends at once, and leaves nothing half', async () => {
    const terminal = await world.start(COPY.replace('2M', '200k'));
    await terminal.waitFor([KEYS, / {2}dir\/file with .*%/]);
    await terminal.keys('C-c');
    await terminal.waitFor('Ctrl-C stops now');
    await terminal.keys('C-c');
    await terminal.waitFor(['Stopped by Ctrl-C', 'exit=130']);
    expect(await terminalModes(terminal)).toBe(SANE);
  });

  test('? shows the keys and hides them', async () => {
    const terminal = await world.start(COPY);
    await terminal.waitFor(KEYS);
    await terminal.keys('?');
    await terminal.waitFor(['limit the bandwidth: 500k', 'fg resumes']);
    await terminal.keys('?');
    await terminal.waitUntilGone('fg resumes');
    await terminal.keys('C-c', 'C-c');
    await terminal.waitFor('exit=130');
  });

  test('follows the size of the terminal', async () => {
    const terminal = await world.start(COPY);
    await terminal.waitFor([KEYS, 'ETA']);
    await terminal.resize(40, 12);
    const small = await terminal.waitFor(/^p pause . q stop . b limit . \? keys$/m);
    expect(small.split('\n').filter((line) => KEYS.test(line))).toHaveLength(1);
    await terminal.resize(110, 30);
    const large = await terminal.waitFor([
      '+ - 3 in parallel',
      / {2}dir\/file with a long name \d+\.bin /,
    ]);
    expect(large.split('\n').filter((line) => line.includes('+ - 3 in parallel'))).toHaveLength(1);
    await terminal.keys('C-c', 'C-c');
    await terminal.waitFor('exit=130');
  });

  test('without colour there is none, without UTF-8 only ASCII', async () => {
    const env = { NO_COLOR: '1', LC_ALL: 'C', LANG: 'C' };
    const terminal = await world.start(COPY, { env });
    await terminal.waitFor([/p pause \| q stop/, /files \d+ of 12/]);
    const shown = await terminal.screen(true);
    expect(shown).not.toMatch(/\x1b\[(3[0-7]|9[0-7])m/);
    expect(shown.replace(/\x1b\[[\d;]*m/g, '')).toMatch(/^[\n\x20-\x7e]*$/);
    await terminal.keys('C-c', 'C-c');
    await terminal.waitFor('exit=130');
  });

  test('Ctrl-Z gives the terminal to the shell; bg goes on in silence, fg brings the view back', async () => {
    const terminal = await world.start(COPY.replace('2M', '1M'));
    await terminal.waitFor(KEYS);
    await terminal.keys('C-z');
    await terminal.waitFor('Stopped');
    expect(await terminalModes(terminal)).toBe(SANE);
    await terminal.type('clear; bg');
    await terminal.keys('Enter');
    await terminal.type('echo typed in the shell');
    await terminal.keys('Enter');
    const shell = await terminal.waitFor(/^typed in the shell$/m);
    expect(shell).not.toMatch(KEYS);
    // The shell alone is told of the new size.
    await terminal.resize(40, 12);
    await terminal.type('fg');
    await terminal.keys('Enter');
    await terminal.waitFor(/^p pause . q stop . b limit . \? keys$/m);
    await terminal.resize(100, 24);
    const shown = await terminal.waitFor(KEYS);
    await waitForBytes(terminal, shown);
    await terminal.keys('C-c', 'C-c');
    await terminal.waitFor('Stopped by Ctrl-C');
    expect(await terminalModes(terminal)).toBe(SANE);
  });

  test.each(['C-z', 'kill -STOP'])('after %s and bg it comes to its end', async (how) => {
    const terminal = await world.start(COPY.replace('2M', '6M'));
    await terminal.waitFor(KEYS);
    if (how === 'C-z') await terminal.keys('C-z');
    else killChildrenOf(await terminal.pid(), 'SIGSTOP');
    await terminal.waitFor('Stopped');
    await terminal.type('clear; bg');
    await terminal.keys('Enter');
    await terminal.waitFor(/12 \/ 12, 100%/);
    await terminal.type('clear; wait; jobs; echo no more');
    await terminal.keys('Enter');
    const shown = await terminal.waitFor(/^no more$/m);
    expect(shown).not.toContain('Stopped');
    expect(await stored()).toHaveLength(FILES);
    expect(await terminalModes(terminal)).toBe(SANE);
  });

  test('started in the background it does not touch the terminal, and comes to its end', async () => {
    const terminal = await world.start(`${COPY.replace('2M', '6M')} & sleep 0.2`);
    await terminal.type('echo typed in the shell');
    await terminal.keys('Enter');
    await terminal.waitFor(/^typed in the shell$/m);
    await terminal.waitFor('12 / 12, 100%');
    expect(await terminal.screen()).not.toMatch(KEYS);
    expect(await stored()).toHaveLength(FILES);
  });

  test.each([
    ['SIGTERM', 'exit=143'],
    ['SIGHUP', 'exit=143'],
    ['SIGINT', 'exit=130'],
  ] as const)('%s in mid-run leaves the terminal as it was', async (signal, exit) => {
    const terminal = await world.start(COPY);
    await terminal.waitFor(KEYS);
    killChildrenOf(await terminal.pid(), signal);
    await terminal.waitFor(exit);
    expect(await terminalModes(terminal)).toBe(SANE);
  });

  test('plain: statistics at every interval, and no cursor movement', async () => {
    const env = { SYNCER_PLAIN: '1' };
    const terminal = await world.start(`${COPY} --stats 500ms --stats-one-line`, { env });
    await terminal.waitFor(/NOTICE: .* MiB, \d+%, .*\n(.*\n)*?.*NOTICE: .* MiB, \d+%/);
    expect(await terminal.screen()).not.toMatch(KEYS);
    await terminal.keys('C-c');
    await terminal.waitFor('exit=130');
  });

  test('keys are left to a command that reads standard input', async () => {
    const terminal = await world.start(`${COPY} --files-from -`);
    await terminal.type('dir/file with a long name 10.bin');
    await terminal.keys('Enter', 'C-d');
    const after = await terminal.waitFor(['1 / 1, 100%', 'exit=0']);
    expect(after).not.toMatch(KEYS);
    expect(await stored()).toEqual(['file with a long name 10.bin']);
    expect(await terminalModes(terminal)).toBe(SANE);
  });
});

test.skipIf(!hasProgram('script'))(
  '--progress-terminal-title shows the time left as the title',
  async () => {
    // A terminal for the words that follow.
    const through = ['sh', '-c', 'exec script -qec "$*" /dev/null', 'sh'];
    await writeFile(server.config, '');
    await writeFile(join(server.dir, 'file'), 'hello');
    const seen = async (...flags: readonly string[]) =>
      (await server.run(['copy', 'file', 'to', '-P', ...flags], { through })).stdout.toString();
    expect(await seen('--progress-terminal-title')).toContain('\x1b]0;ETA: ');
    expect(await seen()).not.toContain('\x1b]0;');
  },
);
