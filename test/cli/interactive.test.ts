import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readTree, writeTree } from '../support/file-tree.ts';
import { IN_TERMINAL, makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';
import { waitFor } from '../support/wait-for.ts';

let world: SyncerWorld;
let src: string;
let dst: string;
beforeAll(async () => {
  world = await makeSyncerWorld();
});
afterAll(() => world.remove());

let round = 0;
beforeEach(async () => {
  round++;
  src = join(world.dir, `src${round}`);
  dst = join(world.dir, `dst${round}`);
  await writeTree(src, { a: 'a', b: 'bb', 'd/c': 'ccc' });
  await writeTree(dst, { x: 'x' });
});

const names = async (dir: string) => Object.keys((await readTree(dir)) ?? {}).sort();

test('sync -i asks for every change on standard output and obeys', async () => {
  const input = 'y\nn\ny\nn\n';
  const { code, stdout, stderr } = await world.run(['sync', '-i', src, dst, '--transfers', '1'], {
    input,
  });
  expect(code).toBe(0);
  expect(stdout.toString().match(/^(?:\S+> )?syncer: .*$/gm)).toHaveLength(4);
  expect(stdout.toString()).toContain('syncer: delete "x"?');
  expect(stderr).toMatch(/NOTICE: x: Skipped delete as --interactive is set \(size 1\)/);
  expect((await names(dst)).filter((name) => !name.endsWith('/'))).toHaveLength(3);
});

test.each([
  ['sync', 'n\nn\nn\nn\n'],
  ['move', 'n\nn\nn\n'],
])('%s -i does not count what was declined', async (command, input) => {
  const { code, stderr } = await world.run(
    [command, '-i', src, dst, '--error-on-no-transfer', '--stats-one-line', '-v'],
    { input },
  );
  expect(code).toBe(9);
  expect(stderr).toMatch(/0 B \/ 0 B, -/);
  const { stdout } = await world.run(['history']);
  expect(stdout.toString().split('\n')[0]).not.toMatch(/transferred|deleted/);
});

test('q ends the run with exit code 0 and changes nothing more', async () => {
  const { code, stderr } = await world.run(['delete', '-i', src], { input: 'q\n' });
  expect(code).toBe(0);
  expect(stderr).toContain('NOTICE: Quitting syncer now');
  expect(stderr).not.toContain('ERROR');
  expect(await names(src)).toHaveLength(4);
});

test.each([['sync'], ['move'], ['copy']])(
  '%s -i without anybody to ask changes nothing and fails',
  async (command) => {
    const before = [await names(src), await names(dst)];
    const { code, stderr } = await world.run([command, '-i', src, dst, '--retries', '1']);
    expect(code).toBe(1);
    expect(stderr).toContain('cannot ask whether');
    expect([await names(src), await names(dst)]).toEqual(before);
  },
);

test('rcat -i takes no line of its input for an answer', async () => {
  const { code } = await world.run(['rcat', '-i', `${dst}/new`], { input: 'y\ny\ny\n' });
  expect(code).toBe(1);
  expect(await names(dst)).toEqual(['x']);
});

test('purge, mkdir, rmdir and deletefile ask', async () => {
  const ask = (input: string, ...args: string[]) => world.run([...args, '-i'], { input });
  await ask('n\n', 'purge', src);
  await ask('n\n', 'deletefile', `${src}/a`);
  await ask('n\n', 'mkdir', `${src}/new`);
  await ask('n\n', 'rmdir', `${src}/d`);
  expect(await names(src)).toHaveLength(4);
  await ask('y\n', 'purge', src);
  await ask('y\n', 'mkdir', src);
  expect(await names(src)).toEqual([]);
});

test('an undo with declined changes leaves the times of directories, and nothing counts as undone', async () => {
  await world.run(['copy', src, dst]);
  const [listed = '{}'] = `${(await world.run(['history', '--json'])).stdout}`.split('\n');
  const { id } = JSON.parse(listed) as { readonly id: string };
  const before = (await stat(dst)).mtimeMs;
  const declined = await world.run(['undo', id, '-i'], { input: 'n\n'.repeat(9) });
  expect(`${declined.stdout}`).toContain('0 files restored, 0 files deleted');
  expect((await stat(dst)).mtimeMs).toBe(before);
  await world.run(['undo', id, '-vi'], { input: `y\n${'n\n'.repeat(9)}` });
  const { stdout, stderr } = await world.run(['undo', id]);
  expect(`${stdout}`).toMatch(/[1-9] files? deleted/);
  expect(stderr).not.toContain('Already undone');
});

test('the view of -P comes back after a question', async () => {
  await world.run(['purge', src, '--trash']);
  const through = IN_TERMINAL;
  const run = world.start(['trash', 'empty', src, '-P'], { through, input: { open: true } });
  const question = 'Type 3 to delete them: ';
  for (let asked = 1; ; asked++) {
    const isAsked = () => run.seen.stdout.split(question).length > asked;
    await waitFor(isAsked, run.ended);
    if (!isAsked()) break;
    // A line typed before the question can be read does not count.
    await sleep(500);
    run.write('3\n');
  }
  const { code, stdout } = await run.ended;
  expect(code).toBe(0);
  // Keys are read again.
  expect(stdout.toString().split(question).at(-1)).toContain('\x1b[?2004h');
  expect(await names(src)).toEqual([]);
});
