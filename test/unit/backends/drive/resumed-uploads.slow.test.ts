import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileEntry, WriteSource } from '../../../../src/core/remote.ts';
import { messageOf } from '../../../../src/shell/log/words.ts';
import { startTestGraph, type TestGraph } from '../../../servers/graph/start-graph.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP, sourceOf } from '../../../support/open-s3.ts';
import { randomFrom } from '../../../support/random-from.ts';
import { stateRows } from '../../../support/state-rows.ts';
import { recordRows, uploadRecordsIn } from '../../../support/upload-records-in.ts';

const UNIT = 320 * 1024;
const PARTS = 12;
const random = randomFrom(1);
const CONTENT = Buffer.from(Array.from({ length: PARTS * UNIT - 77 }, () => random(256)));

let graph: TestGraph;
let folder: string;
beforeEach(async () => {
  graph = await startTestGraph({ drives: [{ type: 'business' }] });
  folder = join(await mkdtemp(join(tmpdir(), 'syncer-test-')), 'uploads');
});
afterEach(async () => {
  await graph.stop();
  await rm(join(folder, '..'), { recursive: true, force: true });
});

const fileOf = (bytes: Buffer = CONTENT, fingerprint = 'as it was'): WriteSource => ({
  ...sourceOf('dir/file', bytes),
  fingerprint: () => fingerprint,
});

/** One run; it is stopped when `stopAt` fragments are there. What it logged, and how it ended. */
async function write(file = fileOf(), stopAt?: number, chunk = '320Ki') {
  const stop = new AbortController();
  graph.setFaults(({ operation }, n) => {
    if (operation !== 'putFragment' || stopAt === undefined || n < stopAt) return undefined;
    stop.abort(new Error('stopped by the test'));
    return { hang: 'before' };
  });
  graph.log.clear();
  const uploads = uploadRecordsIn(folder, { from: 3 * UNIT });
  const options = { chunk_size: chunk };
  const { remote, events } = await openDrive(graph, '', { options, params: { uploads } });
  const error: unknown = await remote.write(file, { signal: stop.signal }).then(
    () => undefined,
    (thrown) => thrown,
  );
  await remote.close();
  const logs = events.flatMap((event) =>
    event.type === 'log' ? [`${event.level} ${messageOf(event)}`] : [],
  );
  return { error, logs };
}

async function expectDone(bytes: Buffer = CONTENT): Promise<void> {
  expect(graph.drive.read('dir/file')?.equals(bytes)).toBe(true);
  expect(recordRows(folder)).toEqual([]);
}

describe('an interrupted upload', () => {
  it.each([3, 7, 11])('is resumed after %i fragments', async (sent) => {
    const first = await write(fileOf(), sent);
    expect(first.error).toBeDefined();
    expect(first.logs).toEqual([expect.stringMatching(/^notice Interrupted: .* test:dir\/file$/)]);
    const { error, logs } = await write();
    expect(error).toBeUndefined();
    const percent = Math.floor((100 * sent * UNIT) / CONTENT.length);
    expect(logs).toEqual([
      `info Resuming the upload at ${percent}% (${sent} of ${PARTS} parts verified)`,
    ]);
    expect(graph.log.count('createUploadSession')).toBe(0);
    expect(graph.log.count('putFragment')).toBe(PARTS - sent);
    await expectDone();
  });

  it('of which little is stored is cancelled', async () => {
    await write(fileOf(), 2);
    expect(recordRows(folder)).toEqual([]);
    await write();
    expect(graph.log.count('putFragment')).toBe(PARTS);
    await expectDone();
  });

  it('has the URL of its session in a file that only the user can read, and in no log', async () => {
    const { logs } = await write(fileOf(), 5);
    const [{ head = '{}' } = {}] = recordRows(folder) as { head?: string }[];
    const { id } = JSON.parse(head);
    expect(id).toMatch(/^https?:/);
    expect((await stat(join(folder, 'state.db'))).mode & 0o777).toBe(0o600);
    const again = await write();
    expect([...logs, ...again.logs].join('\n')).not.toContain(id);
  });

  it('is listed, and can be cancelled', async () => {
    await write(fileOf(), 5);
    const uploads = uploadRecordsIn(folder, { from: 3 * UNIT });
    const { remote } = await openDrive(graph, 'dir', { params: { uploads } });
    const { listUploads, deleteKept } = remote.can;
    const list = async (path: string) => {
      const found: FileEntry[] = [];
      for await (const page of listUploads?.(path, OP) ?? []) found.push(...page);
      return found;
    };
    const found = await list('');
    expect(found).toMatchObject([{ path: 'file', kept: { kind: 'upload', parts: 6 } }]);
    expect(JSON.stringify(found.map(({ kept }) => kept))).not.toContain('http');
    expect(await list('other')).toEqual([]);
    expect(await deleteKept?.(found, OP)).toEqual(new Map());
    await remote.close();
    expect(recordRows(folder)).toEqual([]);
    await write();
    expect(graph.log.count('putFragment')).toBe(PARTS);
    await expectDone();
  });

  it('whose last fragment was in transit is resumed in its middle', async () => {
    await write(fileOf(), 5);
    // The service got a part of the next one.
    graph.setFaults(undefined);
    expect(stateRows(folder, 'SELECT * FROM upload_parts')).toHaveLength(5 + 1);
    const { error } = await write();
    expect(error).toBeUndefined();
    await expectDone();
  });
});

describe('an upload starts from the beginning', () => {
  async function expectRestart(why: string, file = fileOf(), chunk?: string): Promise<void> {
    const { error, logs } = await write(file, undefined, chunk);
    expect(error).toBeUndefined();
    if (why !== '') expect(logs).toContain(`info Starting the upload from the beginning: ${why}`);
    expect(graph.log.count('createUploadSession')).toBe(1);
    await expectDone((await file.open(undefined, OP)) as Buffer);
  }

  it('if the source has another time', async () => {
    await write(fileOf(), 5);
    await expectRestart('the source has changed', fileOf(CONTENT, 'another time'));
  });

  it('if a byte was changed under an unchanged time', async () => {
    await write(fileOf(), 5);
    const changed = Buffer.from(CONTENT);
    changed[UNIT + 5] = (changed[UNIT + 5] ?? 0) ^ 1;
    await expectRestart(
      'part 2 of the source is not what an earlier run has sent',
      fileOf(changed),
    );
  });

  it('with another part size', async () => {
    await write(fileOf(), 5);
    await expectRestart('the part size is another one', fileOf(), '640Ki');
  });

  it('if the session has expired', async () => {
    await write(fileOf(), 5);
    graph.advance(10 * 86_400);
    await expectRestart('the service no longer has it');
  });
});
