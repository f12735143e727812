import { readdir, writeFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { makeSyncerWorld } from '../support/run-syncer.ts';

const world = await makeSyncerWorld();
afterAll(() => world.remove());

test.each<[words: string[], line: string, exit?: number]>([
  [['nosuchcommand'], 'Error: unknown command: nosuchcommand; see "syncer help"'],
  [['copyy', 'a', 'b'], 'Error: unknown command: copyy (did you mean copy?)'],
  [['--nosuch'], 'Error: unknown flag: --nosuch; see "syncer help"'],
  [['copy', '--dryrun', 'a', 'b'], 'Error: unknown flag: --dryrun (did you mean --dry-run?)'],
  [['copy', '-Z', 'a', 'b'], 'Error: unknown flag: -Z; see "syncer help"'],
  [['ls', '--one-way', 'a'], 'Error: unknown flag: --one-way (it is a flag of check, checksum)'],
  [
    ['copy', 'a', 'b', '--s3-endpont=x'],
    'Error: unknown flag: --s3-endpont (did you mean --s3-endpoint?)',
  ],
  [
    ['copy', 'a'],
    'Error: copy takes 2 arguments, not 1: syncer copy source:path dest:path [flags]',
  ],
  [
    ['copy', 'a', 'b', 'c'],
    'Error: copy takes 2 arguments, not 3: syncer copy source:path dest:path [flags]',
  ],
  [['version', 'x'], 'Error: version takes no arguments, not 1: syncer version [flags]'],
  [
    ['copy', 'a', 'b', '--transfers'],
    'Error: flag needs an argument: --transfers; see "syncer help"',
  ],
  [
    ['copy', 'a', 'b', '--transfers', 'x'],
    'Error: invalid value for flag --transfers: not a whole number: "x"; see "syncer help"',
  ],
  [['copy', 'a', 'b', '-vq'], 'Error: Can\'t set -v and -q; see "syncer help"', 1],
  [
    ['copy', 'a', 'b', '--log-file', '/nonexistent/log'],
    'Error: cannot open the log file /nonexistent/log: no such file or directory; see "syncer help"',
    1,
  ],
  [
    ['copy', 'a', 'b', '--bwlimit', '10Q'],
    'Error: invalid value for flag --bwlimit: not a size: "10Q" (examples: 500B, 10k, 1.5M, 2Gi, off); see "syncer help"',
  ],
])('%j is told in one line and does nothing', async (words, line, exit = 2) => {
  const { stdout, stderr, code } = await world.run(words);
  expect({ stdout: stdout.toString(), stderr, code }).toEqual({
    stdout: '',
    stderr: `${line}\n`,
    code: exit,
  });
  expect(await readdir(world.dir)).toEqual([]);
});

test('secrets on the command line are not repeated', async () => {
  const words = ['copy', 'a', 'b', '--s3-secret-access-keys=hidden1'];
  expect((await world.run(words)).stderr).not.toContain('hidden1');
  await writeFile(world.config, '');
  const path = ':s3,secret_access_key=hidden2,nosuch=1:b';
  const { stderr, code } = await world.run(['ls', path, '-vv']);
  expect(code).toBe(1);
  expect(stderr).not.toContain('hidden2');
  expect(stderr).toContain('secret_access_key=REDACTED');
});
