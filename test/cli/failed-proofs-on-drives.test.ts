import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GraphFaultRule, GraphOperation } from '../servers/graph/graph-fault.ts';
import { type GraphLie, strangerAnswer } from '../servers/graph/lies/graph-lie.ts';
import { GRAPH_LIES } from '../servers/graph/lies/graph-lies.ts';
import { startTestGraph, type TestGraph } from '../servers/graph/start-graph.ts';
import { COMPILED_CACHE } from '../support/compiled-cache.ts';
import { someOf } from '../support/in-part.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { PROGRAM } from '../support/run-syncer.ts';
import { proofNotes } from '../support/state-rows.ts';

// What an upload or a copy to a drive left that went wrong does not stay under its name, or is known to be wrong.

const RIGHT = 'the right bytes';
/** As long as the right ones. */
const OLD = 'the old content';
const TIME = new Date('2024-05-06T07:08:09Z');
const TAKING_BACK: readonly GraphOperation[] = [
  'deleteItem',
  'permanentDelete',
  'listVersions',
  'restoreVersion',
];

let base: string;
let graph: TestGraph;

async function start(type: 'business' | 'personal'): Promise<void> {
  base = await mkdtemp(join(tmpdir(), 'syncer-test-proofs-'));
  graph = await startTestGraph({ drives: [{ type }] });
  const section = Object.entries({ ...graph.section(), graph_url: graph.graphUrl });
  const lines = section.map(([key, value]) => `${key} = ${value}\n`);
  await writeFile(join(base, 'syncer.conf'), `[d]\n${lines.join('')}`);
  await fill({ file: RIGHT });
}
beforeEach(() => start('business'));
afterEach(async () => {
  await graph.stop();
  await rm(base, { recursive: true, force: true });
});

async function fill(files: Readonly<Record<string, string>>): Promise<void> {
  await rm(join(base, 'src'), { recursive: true, force: true });
  await mkdir(join(base, 'src'));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(base, 'src', name), text);
    await utimes(join(base, 'src', name), TIME, TIME);
  }
}

/** A file that was there long before. */
function putOld(path = 'dst/file', text = OLD): void {
  const item = graph.drive.put(path, text, new Date('2023-01-01'));
  item.serverModified = Date.parse('2023-02-02');
}

const run = ([command = '', ...args]: readonly string[], input?: string) =>
  runInProcess(
    [command, '--retries=1', '--low-level-retries=1', '--retries-sleep=0', ...args],
    { HOME: base, SYNCER_CONFIG: join(base, 'syncer.conf'), TZ: 'UTC', LC_ALL: 'C.UTF-8' },
    input === undefined ? {} : { input },
  );
const copy = () => run(['copy', join(base, 'src'), 'd:dst']);
const notes = () => proofNotes(join(base, '.local/state/syncer'));
const texts = () =>
  Object.fromEntries(Object.entries(graph.drive.tree()).filter(([path]) => !path.endsWith('/')));
const refuse =
  (operations: readonly GraphOperation[], status: number): GraphFaultRule =>
  ({ operation }) =>
    operations.includes(operation) ? { status } : undefined;

/** Other bytes are kept, and the answer to the last of them gets lost. */
const LOST: GraphLie = {
  about: 'other bytes are kept, and no answer comes',
  of: ['putFragment'],
  tell(call) {
    GRAPH_LIES['bytes-changed']?.tell(call);
    return strangerAnswer(502);
  },
};

describe.each(someOf(['business', 'personal'] as const, 1))('on a %s drive', (type) => {
  beforeEach(async () => {
    await graph.stop();
    await rm(base, { recursive: true, force: true });
    await start(type);
  });

  it('what is wrong is noted first, and then deleted', async () => {
    const noted: number[] = [];
    graph.setFaults(({ operation }) => {
      if (operation === 'deleteItem') noted.push(notes().length);
      return undefined;
    });
    graph.setLie({ lie: 'bytes-changed' });
    expect(await copy()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('corrupted on transfer'),
    });
    expect(noted).toEqual([1]);
    expect(texts()).toEqual({});
    expect(notes()).toEqual([]);
  });

  it('the version before is put back, with its time', async () => {
    putOld();
    graph.setLie({ lie: 'bytes-changed' });
    expect((await copy()).code).toBe(1);
    graph.setLie(undefined);
    expect(texts()).toEqual({ 'dst/file': OLD });
    expect(graph.drive.item('dst/file').modified).toBe(Date.parse('2023-02-02'));
    expect(notes()).toEqual([]);
    expect((await copy()).code).toBe(0);
    expect(texts()).toEqual({ 'dst/file': RIGHT });
  });

  it('an empty file that is none gives way, too', async () => {
    await fill({ file: '' });
    putOld();
    graph.setLie({ lie: 'put-other-content' });
    expect((await copy()).code).toBe(1);
    expect(texts()).toEqual({ 'dst/file': OLD });
    expect(notes()).toEqual([]);
  });

  it('a copy of other bytes is deleted, and its source stays', async () => {
    graph.drive.put('from/file', RIGHT, TIME);
    graph.setLie({ lie: 'copy-changed' });
    expect((await run(['move', '--disable=Move,DirMove', 'd:from', 'd:dst'])).code).toBe(6);
    expect(texts()).toEqual({ 'from/file': RIGHT });
    expect(notes()).toEqual([]);
  });
});

it('what is there when the process is killed is taken back by the next run', async () => {
  putOld();
  graph.setLie({ lie: 'bytes-changed' });
  const child = spawn(process.execPath, [PROGRAM, 'copy', join(base, 'src'), 'd:dst'], {
    env: { HOME: base, SYNCER_CONFIG: join(base, 'syncer.conf'), ...COMPILED_CACHE },
    stdio: 'ignore',
  });
  graph.setFaults(({ operation }) => {
    if (!TAKING_BACK.includes(operation)) return undefined;
    child.kill('SIGKILL');
    return { status: 503 };
  });
  await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  expect(notes()).toHaveLength(1);
  expect(texts()['dst/file']).not.toBe(OLD);
  graph.setLie(undefined);
  graph.setFaults(() => undefined);
  await fill({ another: 'x' });
  expect((await copy()).code).toBe(0);
  expect(texts()).toEqual({ 'dst/file': OLD, 'dst/another': 'x' });
  expect(notes()).toEqual([]);
});

it('what rcat left is deleted', async () => {
  graph.setLie({ lie: 'bytes-changed' });
  expect((await run(['rcat', 'd:dst/file'], 'by rcat')).code).toBe(1);
  expect(texts()).toEqual({});
});

it('is not deleted with the version before where the service puts none back', async () => {
  putOld();
  graph.setFaults(refuse(['restoreVersion'], 501));
  graph.setLie({ lie: 'bytes-changed' });
  expect((await copy()).code).toBe(1);
  const { versions, modified } = graph.drive.item('dst/file');
  expect(versions.map(({ content }) => Buffer.concat(content.pieces).toString())).toContain(OLD);
  expect(modified).toBe(Date.parse('1980-01-01'));
  expect(notes()).toHaveLength(1);
  graph.setLie(undefined);
  expect((await run(['check', '--size-only', join(base, 'src'), 'd:dst'])).code).toBe(1);
  expect((await copy()).code).toBe(0);
  expect(texts()).toEqual({ 'dst/file': RIGHT });
  expect(notes()).toEqual([]);
});

describe('what cannot be taken back', () => {
  const leave = async (lie: string | GraphLie = 'bytes-changed', work = copy) => {
    graph.setLie({ lie });
    graph.setFaults(refuse(TAKING_BACK, 503));
    const ended = await work();
    graph.setLie(undefined);
    graph.setFaults(() => undefined);
    // 5: the response was lost, as in rclone.
    expect([1, 5]).toContain(ended.code);
    expect(notes()).toHaveLength(1);
    expect(Object.keys(texts())).toContain('dst/file');
    expect(Object.values(texts())).not.toContain(RIGHT);
  };

  it('is taken back by the next run that writes', async () => {
    putOld();
    await leave();
    await fill({ another: 'x' });
    expect((await copy()).code).toBe(0);
    expect(texts()).toEqual({ 'dst/file': OLD, 'dst/another': 'x' });
    expect(notes()).toEqual([]);
  });

  it('differs for check, and is transferred once more by copy', async () => {
    await leave();
    for (const by of [[], ['--size-only'], ['--checksum'], ['--fast-list']]) {
      expect((await run(['check', ...by, join(base, 'src'), 'd:dst'])).code).toBe(1);
    }
    expect((await copy()).code).toBe(0);
    expect(texts()).toEqual({ 'dst/file': RIGHT });
    expect(notes()).toEqual([]);
  });

  it('does not let move delete the source', async () => {
    await leave();
    graph.setLie({ lie: 'bytes-changed' });
    expect((await run(['move', join(base, 'src'), 'd:dst'])).code).toBe(1);
    expect(await readFile(join(base, 'src/file'), 'utf8')).toBe(RIGHT);
    graph.setLie(undefined);
    expect((await run(['move', join(base, 'src'), 'd:dst'])).code).toBe(0);
    expect(texts()).toEqual({ 'dst/file': RIGHT });
  });

  it('is not what is put back of a second one', async () => {
    putOld();
    await leave();
    await fill({ file: 'the third bytes' });
    graph.setLie({ lie: 'bytes-changed' });
    // The first is settled too late: while the second is being written.
    let refused = 0;
    graph.setFaults(({ operation }) =>
      TAKING_BACK.includes(operation) && refused++ === 0 ? { status: 503 } : undefined,
    );
    expect((await copy()).code).toBe(1);
    expect(texts()).toEqual({ 'dst/file': OLD });
  });

  it('is known where the response was lost, too', async () => {
    await leave(LOST);
    expect((await run(['check', join(base, 'src'), 'd:dst'])).code).toBe(1);
    expect((await run(['move', join(base, 'src'), 'd:dst'])).code).toBe(0);
    expect(texts()).toEqual({ 'dst/file': RIGHT });
    expect(notes()).toEqual([]);
  });

  it('is not forgotten where the version put back has the time of the wrong one still', async () => {
    putOld();
    graph.setLie({ lie: 'bytes-changed' });
    graph.setFaults(refuse(['patchItem'], 503));
    expect((await copy()).code).toBe(1);
    graph.setLie(undefined);
    graph.setFaults(() => undefined);
    expect(texts()).toEqual({ 'dst/file': OLD });
    expect((await run(['check', join(base, 'src'), 'd:dst'])).code).toBe(1);
    expect((await run(['move', join(base, 'src'), 'd:dst'])).code).toBe(0);
    expect(texts()).toEqual({ 'dst/file': RIGHT });
    expect(notes()).toEqual([]);
  });

  it('stays known where its directory is moved', async () => {
    await leave();
    graph.setFaults(refuse(TAKING_BACK, 503));
    await run(['moveto', 'd:dst', 'd:there']);
    graph.setFaults(() => undefined);
    expect((await run(['check', join(base, 'src'), 'd:there'])).code).toBe(1);
  });
});
