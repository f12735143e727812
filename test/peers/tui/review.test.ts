import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasTmux } from '../../support/tmux-terminal.ts';
import { killChildrenOf, type TuiWorld, terminalModes, tuiWorld } from '../../support/tui-world.ts';

let world: TuiWorld;

beforeEach(async () => {
  world = await tuiWorld('review');
  await world.write({
    'from/photos/2024/a.jpg': 3000,
    'from/photos/2024/b.jpg': 2000,
    'from/docs/list.txt': 'a longer list',
    'to/docs/list.txt': 'list',
    'to/old/x': 'x',
    'to/old/deep/y': 'y',
    'to/gone.txt': 'gone',
  });
});
afterEach(() => world.remove());

const filesOf = async (dir: string) => {
  const entries = await readdir(join(world.folder, dir), { recursive: true, withFileTypes: true });
  const prefix = join(world.folder, dir).length + 1;
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(prefix))
    .sort();
};

const OLD = ['docs/list.txt', 'gone.txt', 'old/deep/y', 'old/x'];

describe.skipIf(!hasTmux)('--review', () => {
  test('without UTF-8 there is only ASCII', async () => {
    const env = { LC_ALL: 'C', LANG: 'C' };
    const terminal = await world.start('sync from to --review', { env });
    expect(await terminal.waitFor('8 changes')).toMatch(
      /^syncer sync {2}from -> to[\n\x20-\x7e]*$/,
    );
    await terminal.keys('q');
    await terminal.waitFor('exit=0');
  });

  test('shows the plan as a tree; a dropped branch stays, all else is done', async () => {
    const terminal = await world.start('sync from to --review');
    const shown = await terminal.waitFor(['syncer sync  from → to', '8 changes']);
    expect(shown).toMatch(/▾ photos\/ +4\.8 KiB C2/);
    expect(shown).toMatch(/U list\.txt +13 B size 13 B, at dest 4 B/);
    expect(shown).toMatch(/Deletions.*D gone\.txt +4 B.*Replacements.*Additions/s);
    await terminal.keys('Space');
    await terminal.waitFor(['4 of 8 changes', /▾ old\/ +excluded/]);
    await terminal.keys('a', 'Enter', 'Enter');
    await terminal.keys('a');
    await terminal.waitFor(['Apply 4 changes?', '1 file deleted, 4 B', '1 file replaced, 4 B']);
    await terminal.keys('y');
    await terminal.waitFor('exit=0');
    expect(await filesOf('to')).toEqual([
      'docs/list.txt',
      'old/deep/y',
      'old/x',
      'photos/2024/a.jpg',
      'photos/2024/b.jpg',
    ]);
    expect(await terminalModes(terminal)).toBe('echo icanon isig opost');
  });

  test('what changes between showing and doing is left as it is, and told', async () => {
    const terminal = await world.start('sync from to --review', { columns: 120 });
    await terminal.waitFor('8 changes');
    await writeFile(join(world.folder, 'to/gone.txt'), 'changed in between');
    await writeFile(join(world.folder, 'from/late.txt'), 'new in between');
    await terminal.keys('a', 'Enter', 'Enter');
    await terminal.keys('a');
    await terminal.waitFor(['Apply 8 changes?', '3 files deleted', 'not kept, cannot be undone']);
    await terminal.keys('y');
    const told = await terminal.waitFor('exit=22');
    expect(told).toContain('gone.txt: Skipped: changed since the plan was shown');
    expect(told).not.toContain('late.txt');
    expect(await filesOf('to')).toEqual([
      'docs/list.txt',
      'gone.txt',
      'photos/2024/a.jpg',
      'photos/2024/b.jpg',
    ]);
  });

  test('t keeps what the review deletes and replaces in the trash, and undo brings it back', async () => {
    const terminal = await world.start('sync from to --review', { columns: 120 });
    await terminal.waitFor('8 changes');
    await terminal.keys('a');
    await terminal.waitFor(['3 files deleted, 6 B: not kept', 'y for good', 't to trash']);
    await terminal.keys('t');
    await terminal.waitFor('exit=0');
    expect((await filesOf('to')).filter((path) => !path.startsWith('.'))).toEqual([
      'docs/list.txt',
      'photos/2024/a.jpg',
      'photos/2024/b.jpg',
    ]);
    await terminal.close();
    const [run = ''] = await readdir(join(world.folder, 'to/.syncer-trash'));
    const undo = await world.start(`undo ${run}`);
    await undo.waitFor('exit=0');
    expect((await filesOf('to')).filter((path) => !path.startsWith('.'))).toEqual(OLD);
    expect(await readFile(join(world.folder, 'to/docs/list.txt'), 'utf8')).toBe('list');
  });

  test('the review with --trash keeps files there by y, and deletes for good only by !', async () => {
    const terminal = await world.start('sync from to --review --trash', { columns: 120 });
    await terminal.waitFor('8 changes');
    await terminal.keys('a');
    await terminal.waitFor(['3 files deleted, 6 B: kept in the trash', 'y to trash', '! for good']);
    await terminal.keys('!');
    await terminal.waitFor('exit=0');
    expect(await readdir(join(world.folder, 'to'))).not.toContain('.syncer-trash');
  });

  test('an undo that is left says only that nothing was changed', async () => {
    const sync = await world.start('sync from to');
    await sync.waitFor('exit=0');
    await sync.close();
    const runs = await readdir(join(world.folder, '.local/state/syncer/runs'));
    const undo = await world.start(`undo ${runs[0]} --review`, { columns: 120 });
    await undo.waitFor(['syncer undo', 'not kept']);
    await undo.keys('q');
    const left = await undo.waitFor('exit=');
    expect(left).toMatch(/Nothing was changed\.\nexit=0/);
    expect(left).not.toMatch(/NOTICE|ERROR/);
  });

  test('log lines wait until the screen is left', async () => {
    const first = await world.start('sync from to --review');
    await first.waitFor('8 changes');
    const second = await world.start('sync from to --review');
    await second.waitFor('8 changes');
    // A run looks for others when it has lasted for a while.
    await setTimeout(2000);
    expect(await second.screen()).not.toContain('Not alone');
    await second.keys('q');
    await second.waitFor(['Nothing was changed.', 'Not alone: run ', 'exit=0']);
    await first.keys('q');
    await first.waitFor('exit=0');
  });

  test('a applies only what a filter shows', async () => {
    const terminal = await world.start('sync from to --review');
    await terminal.waitFor('8 changes');
    await terminal.type('/a.jpg');
    await terminal.waitFor('1 of 8 changes');
    await terminal.keys('Enter');
    await terminal.keys('a');
    await terminal.waitFor('exit=0');
    expect(await filesOf('to')).toEqual([...OLD, 'photos/2024/a.jpg'].sort());
  });

  test('d shows only what is deleted; q changes nothing; the screen before is back', async () => {
    const terminal = await world.start('sync from to --review');
    await terminal.waitFor('8 changes');
    await terminal.keys('d');
    await terminal.waitFor('5 of 8 changes');
    expect(await terminal.screen()).not.toContain('photos');
    await terminal.keys('q');
    const after = await terminal.waitFor(['Nothing was changed.', 'exit=0']);
    expect(after).not.toContain('8 changes');
    expect(await filesOf('to')).toEqual(OLD);
  });

  test('in a small terminal, and while it changes its size', async () => {
    const terminal = await world.start('sync from to --review', { columns: 40, rows: 12 });
    expect((await terminal.waitFor('8 changes')).split('\n')).toHaveLength(12);
    await terminal.resize(90, 30);
    expect((await terminal.waitFor('size 13 B, at dest')).split('\n')).toHaveLength(30);
    await terminal.keys('C-c');
    await terminal.waitFor(['Stopped by Ctrl-C', 'exit=130']);
    expect(await filesOf('to')).toEqual(OLD);
  });

  test('delete and purge are reviewed file by file', async () => {
    const terminal = await world.start('delete to --review --include "*.txt"');
    await terminal.waitFor(['syncer delete', '2 changes', 'chosen by the filter']);
    await terminal.keys('End', 'Space');
    await terminal.keys('a');
    await terminal.waitFor('n cancel');
    await terminal.keys('y');
    await terminal.waitFor('exit=0');
    expect(await filesOf('to')).toEqual(['gone.txt', 'old/deep/y', 'old/x']);
    await terminal.close();
    const second = await world.start('purge to --review');
    await second.waitFor(['syncer purge', 'all goes']);
    await second.keys('a');
    await second.waitFor('n cancel');
    await second.keys('y');
    await second.waitFor('exit=0');
    expect(await readdir(world.folder)).not.toContain('to');
  });

  test('a dropped file keeps its folders from a purge', async () => {
    const terminal = await world.start('purge to --review');
    await terminal.waitFor('all goes');
    await terminal.type('/deep/y');
    await terminal.waitFor('1 of');
    await terminal.keys('Enter', 'Space', 'Escape');
    await terminal.keys('a');
    await terminal.waitFor('n cancel');
    await terminal.keys('y');
    await terminal.waitFor('exit=0');
    expect(await filesOf('to')).toEqual(['old/deep/y']);
  });

  test('with -P the review comes first and the view of progress then', async () => {
    const terminal = await world.start('move from to --review -P');
    await terminal.waitFor(['syncer move', '3 changes']);
    await terminal.keys('a');
    await terminal.waitFor('n cancel');
    await terminal.keys('y');
    await terminal.waitFor(['Elapsed time:', 'exit=0']);
    expect(await filesOf('from')).toEqual([]);
    expect(await readFile(join(world.folder, 'to/docs/list.txt'), 'utf8')).toBe('a longer list');
    expect(await terminalModes(terminal)).toBe('echo icanon isig opost');
  });

  test('--dry-run mentions it, and does not wait', async () => {
    for (const keeping of ['', ' --backup-dir kept']) {
      const terminal = await world.start(`copy from to --dry-run${keeping}`);
      await terminal.waitFor([
        'Skipped copy as --dry-run is set',
        'To review these 3 changes, run with --review',
        'exit=0',
      ]);
      expect(await filesOf('to')).toEqual(OLD);
    }
  });

  test('with --dry-run nothing can be applied', async () => {
    const terminal = await world.start('copy from to --review --dry-run');
    await terminal.waitFor('3 changes');
    await terminal.keys('a');
    await terminal.waitFor('nothing is applied with --dry-run');
    await terminal.keys('q');
    await terminal.waitFor('exit=0');
    expect(await filesOf('to')).toEqual(OLD);
  });

  test('plain: lines in, lines out', async () => {
    const terminal = await world.start('sync from to --review', { env: { SYNCER_PLAIN: '1' } });
    /** Types a line, and once more each time that it came before a busy process had shown what it answers. */
    const line = async (text: string, shows: string) => {
      for (let times = 1; ; times++) {
        await terminal.type(text);
        await terminal.keys('Enter');
        const early = `(Press ${text} again[^]*){${times}}`;
        const shown = await terminal.waitFor(new RegExp(`${shows}|${early}`));
        if (shown.includes(shows)) return;
      }
    };
    await terminal.waitFor('8 changes');
    await line('d', '5 of 8 changes');
    await line('a', '3 files deleted, 6 B: not kept');
    await line('y', 'exit=0');
    expect(await filesOf('to')).toEqual(['docs/list.txt']);
  });

  test('a secret in a path is not shown', async () => {
    await world.write({ 'a,token=abcdefgh/x': 'x' });
    const terminal = await world.start('copy ./a,token=abcdefgh to --review');
    expect(await terminal.waitFor('1 change')).toContain('./a,token=REDACTED → to');
    await terminal.keys('q');
    await terminal.waitFor('exit=0');
  });

  test('nothing to do is told without a screen', async () => {
    await rm(join(world.folder, 'to'), { recursive: true });
    await world.write({ 'to/x': 'x' });
    const terminal = await world.start('copy to to2 && echo again');
    await terminal.waitFor('exit=0');
    await terminal.close();
    const second = await world.start('copy to to2 --review');
    await second.waitFor(['Nothing to do', 'exit=0']);
  });

  test('printed where there is no terminal, and nothing is changed', async () => {
    const terminal = await world.start('sync from to --review | cat');
    const text = await terminal.waitFor([/To do: 3 deletions, .*1 update, 2 copies/, 'exit=0']);
    expect(text).toMatch(/^D +4 B gone\.txt: not at the source$/m);
    expect(await filesOf('to')).toEqual(OLD);
  });

  test('a kill while the review is shown leaves the terminal usable', async () => {
    const terminal = await world.start('sync from to --review');
    await terminal.waitFor('8 changes');
    const shell = await terminal.pid();
    killChildrenOf(shell, 'SIGTERM');
    await terminal.waitFor('exit=143');
    expect(await terminalModes(terminal)).toBe('echo icanon isig opost');
    expect(await filesOf('to')).toEqual(OLD);
  });
});
