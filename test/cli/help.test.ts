import { afterAll, expect, test } from 'vitest';
import { COMMANDS } from '../../commands/index.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';

const world = await makeSyncerWorld();
afterAll(() => world.remove());

/** What a successful run prints. */
async function printed(...words: string[]): Promise<string> {
  const { stdout, stderr, code } = await world.run(words);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  return stdout.toString();
}

test('the program explains itself on standard output, also without arguments', async () => {
  const help = await printed('help');
  expect(help.split('\n').length).toBeLessThanOrEqual(25);
  const all = (await printed('help', 'commands')).replace(/\n {4,}/g, ' ');
  for (const { name, summary, hidden } of COMMANDS) {
    if (hidden === true) continue;
    expect(help).toMatch(new RegExp(`[ ,]${name}(,|$)`, 'm'));
    expect(all).toMatch(new RegExp(`^  ${name} +${summary.replace(/[(),]/g, '.')}$`, 'm'));
  }
  expect(await printed()).toBe(help);
  expect(await printed('--help')).toBe(help);
  expect(await printed('-h')).toBe(help);
  expect(await printed('-vv')).toBe(help);
});

test('a command explains itself, with its own flags', async () => {
  const help = await printed('check', '--help');
  expect(help).toContain('\nUsage:\n  syncer check source:path dest:path [flags]\n');
  expect(help).toMatch(/^ {6}--one-way {2,}\S/m);
  expect(help).not.toContain('--head');
  expect(await printed('help', 'check')).toBe(help);
  expect(await printed('check', '-h', 'a', 'b')).toBe(help);
});

test('help does not need the arguments the command needs, nor does it run it', async () => {
  expect(await printed('copy', '/nonexistent', '-h')).toContain('syncer copy source:path');
});

test('help on a protocol of serve', async () => {
  expect(await printed('help', 'serve', 's3')).toBe(await printed('serve', 's3', '--help'));
  expect(await printed('serve', '--help')).toMatch(/^ {2}serve http +Serve a remote over HTTP/m);
});

test('flags that all commands have, all of them or some', async () => {
  const all = await printed('help', 'flags');
  expect(all).toMatch(/^ {2}-n, --dry-run {2,}Show what would be done without changing anything$/m);
  expect(all).toMatch(/^ {6}--timeout duration [^-]* \(default 5m0s\)$/m);
  expect(all.replace(/\s+/g, ' ')).toContain(
    '--exclude pattern Exclude files that match (repeatable) ',
  );
  const group = await printed('help', 'flags', 'filter');
  expect(group).toMatch(/^Flags for choosing files:\n {6}--include pattern /);
  expect(group).not.toContain('--dry-run');
  const some = await printed('help', 'flags', '^stats');
  expect(some.match(/--[\w-]+/g)).toEqual(
    all.match(/--[\w-]+/g)?.filter((flag) => flag.startsWith('--stats')),
  );
});

test('kinds of storage, and the options of one', async () => {
  expect(await printed('help', 'backends')).toMatch(/^ {2}s3 +\S/m);
  const s3 = await printed('help', 'backend', 's3');
  expect(s3).toMatch(
    /^ {2}endpoint \(string\)\n( {6}\S.*\n)+ {6}--s3-endpoint, SYNCER_S3_ENDPOINT$/m,
  );
});

test('filters, and commands of a command', async () => {
  expect(await printed('help', 'filter')).toBe(await printed('help', 'filters'));
  expect(await printed('help', 'filters')).toMatch(
    /\n {2}\*\* +any characters\n[\s\S]*\n {6}--include pattern/,
  );
  const create = await printed('help', 'config', 'create');
  expect(create).toContain('\n  syncer config create name type [key=value | key value]… [flags]\n');
  expect(create).toMatch(/^ {6}--no-obscure {2,}\S/m);
  expect(await printed('config', 'create', '-h')).toBe(create);
  expect(await printed('config', '--help')).toMatch(
    /\nCommands:\n {2}config create +Create a remote\n/,
  );
});

test('help on what is not there is an error', async () => {
  for (const words of [
    ['copyy'],
    ['config', 'nosuch'],
    ['backend', 's4'],
    ['flags', '('],
    ['flags', 'nosuch'],
  ]) {
    const { stdout, stderr, code } = await world.run(['help', ...words]);
    expect(code).toBe(1);
    expect(stdout.toString()).toBe('');
    expect(stderr.trimEnd()).toMatch(/^\S+ \S+ ERROR : help: [^\n]+$/);
  }
});

test('an unknown word without a similar one leads to the list of commands', async () => {
  const { stderr } = await world.run(['help', 'zz']);
  expect(stderr).toContain('no help on zz; see "syncer help commands"');
});
