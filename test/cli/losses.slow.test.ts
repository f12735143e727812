import { appendFile, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../commands/index.ts';
import type { NCDU_FLAGS } from '../../commands/ncdu/command.ts';
import { openBrowser } from '../../commands/ncdu/open-browse.ts';
import type { Command } from '../../src/shell/command-line/command.ts';
import { textKey } from '../../src/terminal/key.ts';
import { startTestGraph, type TestGraph } from '../servers/graph/start-graph.ts';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { inProcessWorld } from '../support/in-process-world.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { waitFor } from '../support/wait-for.ts';

const world = inProcessWorld();

let graph: TestGraph;
beforeAll(async () => {
  graph = await startTestGraph({ drives: [{ type: 'business' }] });
  const keys = {
    ...graph.section(),
    token: JSON.stringify(graph.newToken()),
    graph_url: graph.graphUrl,
  };
  const lines = Object.entries(keys).map(([key, value]) => `${key} = ${value}\n`);
  await chmod(world.env.SYNCER_CONFIG, 0o600);
  await appendFile(world.env.SYNCER_CONFIG, `[d]\n${lines.join('')}`);
});
afterAll(() => graph.stop());

/** A file whose content disappears, unless a flag keeps it. */
const LOST = 'the lost one';

/** A command that makes content disappear. `$` is a directory of its own, `$$` a bucket, `%` a directory of a drive. */
interface Row {
  readonly name: string;
  readonly line: string;
  readonly tree: Tree;
  readonly before?: readonly string[];
  /** Prints a line for the lost content as long as it is there; absent: it is in the tree. */
  readonly shows?: string | ((cell: number) => string);
  /** Files beyond a limit are errors in a list of the screen, and not of the run. */
  readonly onScreen?: true;
}

const OLD = [LOST, 1_500_000_000] as const;
const two: Tree = { 'a/f': 'newer', 'b/f': OLD };
const pair = ['bisync $/a $/b --resync'];
const versions = ['mkdir $$', 'backend versioning $$ Enabled', 'copyto $/b/f $$/f'];

const ROWS: readonly Row[] = [
  {
    name: '`sync`: an extra file',
    line: 'sync $/a $/b',
    tree: { 'a/k': 'k', 'b/k': 'k', 'b/f': OLD },
  },
  { name: '`sync`, `copy`: a replaced file', line: 'copy $/a $/b', tree: two },
  { name: '`move`: a file that a rename replaces', line: 'move $/a $/b', tree: two },
  {
    name: '`move`: the source of a copy',
    line: 'move $/a $$/new',
    tree: { 'a/f': OLD },
    before: ['mkdir $$'],
  },
  {
    name: '`move`: a source that is there already',
    line: 'move $/a $/b',
    tree: { 'a/f': OLD, 'b/f': OLD },
  },
  {
    name: '`bisync`: a file that the other side deleted',
    line: 'bisync $/a $/b --force',
    tree: { 'a/f': OLD, 'a/k': 'k', 'b/f': OLD, 'b/k': 'k' },
    before: [...pair, 'deletefile $/a/f'],
  },
  {
    name: '`bisync`: the loser of a conflict',
    line: 'bisync $/a $/b --conflict-resolve newer --conflict-loser delete',
    tree: { 'a/k': 'k', 'b/k': 'k', 'c/f': ['newer', 1_600_000_000], 'd/f': OLD },
    before: [...pair, 'copy $/c $/a', 'copy $/d $/b'],
  },
  { name: '`delete`', line: 'delete $/b', tree: { 'b/f': OLD } },
  { name: '`deletefile`', line: 'deletefile $/b/f', tree: { 'b/f': OLD } },
  { name: '`purge`', line: 'purge $/b', tree: { 'b/f': OLD } },
  {
    name: '`dedupe`: all but one of equal files',
    line: 'dedupe --by-hash newest $/b',
    tree: { 'b/f': OLD, 'b/g': LOST, 'b/h': [LOST, 1_600_000_000] },
  },
  {
    name: '`undo`: a file that the run created',
    line: 'undo {run}',
    tree: { 'a/f': OLD, 'b/': '' },
    before: ['copy $/a $/b', 'history --json'],
  },
  {
    name: '`trash empty`',
    line: 'trash empty $/b --older-than 0s',
    tree: { 'b/f': OLD },
    before: ['delete $/b --trash'],
  },
  {
    name: '`versions prune`',
    line: 'versions prune $$ --keep 0',
    tree: { 'b/f': OLD, 'b/g': 'newer' },
    before: [...versions, 'copyto $/b/g $$/f'],
    shows: 'versions ls $$',
  },
  {
    name: '`backend cleanup-hidden`',
    line: 'backend cleanup-hidden $$',
    tree: { 'b/f': OLD, 'b/g': 'newer' },
    before: [...versions, 'copyto $/b/g $$/f'],
    shows: 'versions ls $$',
  },
  {
    name: '`cleanup` of a drive: an old version',
    line: 'cleanup %',
    tree: { 'b/f': OLD, 'b/g': 'newer' },
    before: ['copyto $/b/f %/f', 'copyto $/b/g %/f'],
    shows: (cell) => `${graph.drive.item(`cell${cell}/f`).versions.length}`,
  },
  { name: '`ncdu`: what `d` deletes', line: 'ncdu $/b', tree: { 'b/f': OLD }, onScreen: true },
];

/** `ncdu` without its screen: what the keys of a person do who deletes the first entry. */
const browsing: Command<typeof NCDU_FLAGS> = async (invocation) => {
  const { model, finish } = await openBrowser(invocation, async () => []);
  await waitFor(() => !model.isWaiting());
  const list = model.asked();
  model.press(textKey('d'));
  if (!invocation.flags['dry-run']) {
    await waitFor(() => model.asked() !== list);
    model.press(textKey('y'));
    await waitFor(() => !model.isWaiting());
  }
  await model.close();
  await finish(false);
};
const commands = COMMANDS.map((command) =>
  command.name === 'ncdu' ? { ...command, load: async () => browsing as Command } : command,
);

/** As of the world, with that `ncdu` and what it takes for a terminal. */
async function syncer(line: string) {
  const words = line.split(' ').map((word) => word.replace('@', `${world.dir}/`));
  const streams = [process.stdin, process.stdout];
  const were = streams.map(({ isTTY }) => isTTY);
  const isScreen = words[0] === 'ncdu';
  for (const stream of isScreen ? streams : []) stream.isTTY = true;
  try {
    return await runInProcess(words, world.env, { commands });
  } finally {
    for (const [at, stream] of streams.entries()) if (isScreen) stream.isTTY = were[at] === true;
  }
}

const HEAD = ['What loses content', '`--max-delete 0`', '`--dry-run`', '`--trash`'];
const MORE = ['`--backup-dir`', '`--suffix`', 'Log', '`history`'];

const rows: (readonly string[])[] = [];
let cells = 0;

describe('a command that makes content disappear', () => {
  test.each(ROWS.map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const { line, tree, shows, before = [], onScreen } = row;
    /** Runs the line in a place of its own, and says how it ended and where the content is. */
    const play = async (flags: string) => {
      cells++;
      const cell = cells;
      const dir = join(world.dir, `${cell}`);
      const inPlace = (words: string) =>
        words
          .replaceAll('$$', `s:cell${cell}`)
          .replaceAll('$', `@${cell}`)
          .replaceAll('%', `d:cell${cell}`);
      await mkdir(world.dir, { recursive: true });
      await writeTree(dir, tree);
      for (const words of before) {
        const { code, stderr } = await syncer(inPlace(words));
        expect(code, `${words}: ${stderr}`).toBe(0);
      }
      const run = line.includes('{run}') ? await world.lastRun() : '';
      const where = async () => {
        const found = Object.entries((await readTree(dir)) ?? {});
        const at = found.flatMap(([path, file]) => (file.startsWith(`${LOST}@`) ? path : []));
        const shown =
          typeof shows === 'string' ? (await syncer(inPlace(shows))).stdout : shows?.(cell);
        return { at: at.sort(), shown };
      };
      const first = await where();
      const all = [line.replace('{run}', run), flags, '-v'].filter((text) => text !== '');
      const words = inPlace(all.join(' '));
      const { code, stderr } = await syncer(words);
      const last = await where();
      return { code, stderr, first, last };
    };
    const plain = await play('');
    expect(plain.code, plain.stderr).toBe(0);
    // Without a flag it is gone from where it was.
    expect(plain.last).not.toEqual(plain.first);
    const { stdout: history } = await syncer(`history ${await world.lastRun()}`);
    const limited = await play('--max-delete 0');
    const dry = await play('--dry-run');
    expect(dry.last, dry.stderr).toEqual(dry.first);
    const isCounted = isDeepStrictEqual(limited.last, limited.first);
    if (onScreen !== true) expect(limited.code === 7).toBe(isCounted);
    const backedUpBy = async (flags: string, place: RegExp) => {
      const { code, last } = await play(flags);
      return code === 0 && last.at.some((path) => place.test(path)) ? 'kept' : '';
    };
    const word =
      /INFO {2}: \S+( \(\S+\))?: (Deleted|Copied \(replaced[^)]*\)|Moved[^\n]*?)(?=[,:(\n]| \()/;
    rows.push([
      row.name,
      isCounted ? 'counts' : '',
      dry.code === 0 ? 'stays' : '',
      await backedUpBy('--trash', /\.syncer-trash\//),
      await backedUpBy('--backup-dir $/bak', /^bak\//),
      await backedUpBy('--suffix .old', /\.old$/),
      word.exec(plain.stderr)?.[2] ?? /INFO {2}: .*: (.*)\n/.exec(plain.stderr)?.[1] ?? '',
      /\bf\b/.test(history) ? 'listed' : /^delete +\/ /m.test(history) ? 'its directory' : '',
    ]);
  });
});

test('the table of docs/guards.md says what these commands do: SYNCER_RECORD=1 writes it', async () => {
  expect(rows).toHaveLength(ROWS.length);
  const line = (texts: readonly string[]) => `| ${texts.join(' | ')} |`.replaceAll('|  |', '| |');
  const head = [...HEAD, ...MORE];
  const rule = `|${'---|'.repeat(head.length)}`;
  const table = [line(head), rule, ...rows.map(line)].join('\n').replaceAll('|  |', '| |');
  const path = resolve(import.meta.dirname, '../../docs/guards.md');
  const page = await readFile(path, 'utf8');
  const old = /(?<=<!-- losses -->\n).*?(?=\n<!-- end -->)/s;
  if (process.env['SYNCER_RECORD'] === '1')
    await writeFile(
      path,
      page.replace(old, () => table),
    );
  else expect(old.exec(page)?.[0]).toBe(table);
});

test.each([
  ['delete $', 2],
  ['purge $', 2],
  ['purge $ --max-delete 1500', 2],
  ['sync @none $', 2],
])('%s sends one request for a thousand objects', async (line, requests) => {
  const bucket = `many${world.count}`;
  const files = Array.from({ length: 1500 }, (_, n) => [`f${n}`, 'x'] as const);
  await writeTree(join(world.s3.root, bucket), Object.fromEntries(files));
  await writeTree(world.dir, { 'none/': '' });
  const before = world.s3.log.count('DeleteObjects');
  const { code, stderr } = await world.syncer(line.replace('$', `s:${bucket}/`));
  expect(code, stderr).toBe(0);
  expect(world.s3.log.count('DeleteObjects') - before).toBe(requests);
});
