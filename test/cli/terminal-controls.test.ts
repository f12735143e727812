import { execFile } from 'node:child_process';
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeTree } from '../support/file-tree.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';
import { waitFor } from '../support/wait-for.ts';

/** What no terminal may get of a name: controls but tab and line feed, and marks that change the direction. */
const OBEYED =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

const BAD = 'x\x1b]0;T\x07\x9b31my\u202egpj\u2066\u200f\x7f\nz';
/** As names are told everywhere: without the controls of ASCII. */
const TOLD = 'x␛]0;T␇\x9b31my\u202egpj\u2066\u200f␡␊z';
const MESSAGE = 'No&#x9b;31m &#x202e;bye &#x85; now';

let world: SyncerWorld;
let env: NodeJS.ProcessEnv;
/** Answers every request with an error whose words are for terminals. */
const store = createServer((_, response) => {
  const code = `Odd&#x9b;Code`;
  response.writeHead(418, { 'content-type': 'application/xml' });
  response.end(`<Error><Code>${code}</Code><Message>${MESSAGE}</Message></Error>`);
});

beforeAll(async () => {
  world = await makeSyncerWorld();
  env = { PATH: process.env['PATH'], HOME: world.dir, SYNCER_CONFIG: world.config, TZ: 'UTC' };
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
  const keys = 'access_key_id = AKIA\nsecret_access_key = odd/secret';
  await appendFile(
    world.config,
    `[odd]\ntype = s3\nprovider = Other\nendpoint = ${endpoint}\n${keys}\nnote = a\x1b[31m\x9b\u202eb\n`,
  );
  await appendFile(world.config, `[alias\u202e\x9b]\ntype = local\ndescription = \x1b]0;T\x07\n`);
  await writeTree(`${world.dir}/src`, { [BAD]: 'same', [`${BAD}2`]: 'same', [`d${BAD}/f`]: 'f' });
  await mkdir(`${world.dir}/dst`);
  await writeFile(`${world.dir}/SUMS`, `00000000000000000000000000000000  ${TOLD}\x1b[2J\n`);
});
afterAll(async () => {
  store.close();
  await world.remove();
});

const inWorld = (words: string) => words.replaceAll('DIR', world.dir).split(' ');

const LISTINGS = [
  'ls DIR/src',
  'lsl DIR/src',
  'lsd DIR/src',
  'lsf -R --format pst DIR/src',
  'lsf -R --csv DIR/src',
  'lsjson -R DIR/src',
  'tree DIR/src',
  'tree --full-path -Q DIR/src',
  'md5sum DIR/src',
  'hashsum crc32 --base64 DIR/src',
  'check --combined - DIR/src DIR/dst',
  'checksum md5 --combined - DIR/SUMS DIR/src',
  'dedupe --by-hash --dedupe-mode list DIR/src',
  'ncdu --output - DIR/src',
  'listremotes --long',
  'config show',
  'config show odd',
  'config dump',
  'config file',
];

describe('what a terminal gets', () => {
  test.each([
    ...LISTINGS,
    'tree --color always DIR/src',
    'size DIR/src',
    'copy --dry-run DIR/src DIR/dst',
    'copy --interactive DIR/src DIR/dst',
    'copy -vv --dry-run DIR/src DIR/dst',
    'sync -vv DIR/src DIR/dst2',
    'sync --review -vv DIR/src DIR/dst3',
    'dedupe --by-hash --dedupe-mode interactive DIR/src',
    'delete --dry-run DIR/src',
    `lsf DIR/none${BAD.replaceAll(/\s/g, '')}`,
    `${BAD.replaceAll(/\s/g, '')} DIR`,
    `ls --no-such${BAD.replaceAll(/\s/g, '')} DIR`,
    `ls DIR --include {${BAD.replaceAll(/\s/g, '')}`,
    'lsf odd:bucket --retries 1 --low-level-retries 1',
    'lsf odd:bucket -vv --retries 1 --low-level-retries 1 --dump bodies',
  ])('is nothing that it would obey: %s', async (words) => {
    const { stdout, stderr } = await runInProcess(inWorld(words), env, { isTerminal: true });
    const text = (stdout + stderr).replaceAll(/\x1b\[[\d;]*m/g, (code) =>
      words.startsWith('tree') ? '' : code,
    );
    expect(text).not.toBe('');
    expect(text.split('\n').filter((line) => OBEYED.test(line))).toEqual([]);
    for (const line of text.split('\n')) expect(line).not.toMatch(/^z/);
  });

  test('and of the built program in a real one neither', async () => {
    const { stdout } = await inTerminal(`lsf -R -vv '${world.dir}/src'`);
    expect(stdout).toContain('x␛]0;T␇�31my�gpj��␡␊z');
    expect(stdout.replaceAll('\r\n', '\n')).not.toMatch(OBEYED);
  });
});

describe('what a pipe gets is every byte', () => {
  test.each(LISTINGS)('%s', async (words) => {
    const { stdout } = await runInProcess(inWorld(words), env);
    const hasRaw = /[\x80-\x9f]|\u202e/.test(stdout);
    expect([words, hasRaw]).toEqual([words, !/^config file/.test(words)]);
    if (words.startsWith('lsf -R --format')) expect(stdout).toContain(`${TOLD};4;`);
  });

  test('and so does a log in JSON by its escapes', async () => {
    const log = `${world.dir}/log.json`;
    await runInProcess(
      inWorld(`copy -v --dry-run --use-json-log --log-file ${log} DIR/src DIR/dst`),
      env,
    );
    const text = await readFile(log, 'utf8');
    expect(text).not.toMatch(OBEYED);
    const objects = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).object);
    expect(objects).toContain(TOLD);
    await rm(log);
  });
});

test('a log file holds nothing that a terminal would obey', async () => {
  const log = `${world.dir}/log`;
  const failed = 'lsf odd:bucket --retries 1 --low-level-retries 1';
  for (const words of ['copy -vv --dry-run DIR/src DIR/dst', failed]) {
    await runInProcess(inWorld(`${words} --log-file ${log}`), env);
  }
  const text = await readFile(log, 'utf8');
  expect(text).toContain('x␛]0;T␇�31my�gpj��␡␊z');
  expect(text).toContain('(Odd�Code: No�31m �bye � now)');
  expect(text).not.toMatch(OBEYED);
});

test('what an editor that was killed leaves to the terminal ends when the screen comes back', async () => {
  const editor = `${world.dir}/editor`;
  const left = '\x1b[5;10r\x1b[?1h\x1b=\x1b[4h\x1b[?7l\x1b(0\x0e';
  await writeFile(editor, `#!/bin/sh\nprintf '${left}'\nkill -9 $$\n`, { mode: 0o755 });
  await writeTree(`${world.dir}/edited`, { alone: '1' });
  const running = inTerminal(`ncdu '${world.dir}/edited'`, { EDITOR: editor, TERM: 'xterm' });
  const { child } = running;
  let seen = '';
  child.stdout?.on('data', (text) => {
    seen += text;
  });
  await waitFor(() => seen.includes('alone'), running);
  child.stdin?.write('O');
  const after = () => seen.split(left)[1] ?? '';
  await waitFor(() => after().includes('alone'), running);
  const [before] = after().split('alone');
  const resets = ['\x1b[r', '\x1b[?1l', '\x1b>', '\x1b[4l', '\x1b[?7h', '\x1b(B', '\x0f'];
  for (const reset of resets) expect(before).toContain(reset);
  child.stdin?.write('q');
  await running;
});

/** Runs the built program in a terminal of its own; all that it writes there. */
function inTerminal(words: string, more: NodeJS.ProcessEnv = {}) {
  const program = `${process.execPath} ${import.meta.dirname}/../../dist/syncer.js`;
  const options = { env: { ...env, LC_ALL: 'C.UTF-8', ...more } };
  return promisify(execFile)('script', ['-qec', `${program} ${words}`, '/dev/null'], options);
}
