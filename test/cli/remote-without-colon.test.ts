import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeSyncerWorld } from '../support/run-syncer.ts';

// The process matters: names count in its working directory.
const world = await makeSyncerWorld();
afterAll(() => world.remove());

const noticeOf = (name: string) =>
  `NOTICE: "${name}" refers to a local folder, use "${name}:" to refer to your remote or "./${name}" to hide this warning\n`;

beforeAll(async () => {
  await mkdir(join(world.dir, 'there'));
  await mkdir(join(world.dir, 'docs'));
  await mkdir(join(world.dir, 'shelf'));
  await writeFile(join(world.dir, 'docs/a'), '1');
});
beforeEach(() =>
  writeFile(
    world.config,
    `[shelf]\ntype = alias\nremote = ${world.dir}/there\n[docs]\ntype = local\n[al]\ntype = alias\nremote = shelf\n[my disk]\ntype = local\n[new]\ntype = local\n`,
    { mode: 0o600 },
  ),
);
const run = (...words: string[]) => world.run(words, { cwd: world.dir });

test.each([
  ['a destination that does not exist', ['copy', './docs', 'new'], 0, ['new']],
  ['both sides, each once', ['sync', 'docs', 'shelf'], 0, ['docs', 'shelf']],
  ['a source that exists', ['check', 'docs', './docs'], 0, ['docs']],
  ['a source that is missing', ['ls', 'my disk'], 3, ['my disk']],
  ['a directory to be created', ['mkdir', 'shelf'], 0, ['shelf']],
  ['the target of an alias', ['lsf', 'al:'], 0, ['shelf']],
  ['a flag', ['copy', './docs', './to', '--compare-dest', 'shelf'], 0, ['shelf']],
  ['a directory to be purged', ['purge', 'shelf'], 0, ['shelf']],
])('a local path with the name of a remote is noticed: %s', async (_, words, code, names) => {
  const ended = await run(...words);
  expect(ended.code, ended.stderr.toString()).toBe(code);
  const lines = ended.stderr.toString().match(/NOTICE: ".*" refers to .*\n/g) ?? [];
  expect(lines).toEqual(names.map(noticeOf));
});

test.each([['./docs'], ['docs/'], ['docs/a'], ['Docs'], ['docs:']])(
  'the path %s is not noticed, as in rclone',
  async (path) => {
    expect((await run('lsf', path)).stderr.toString()).not.toContain('refers to a local folder');
  },
);
