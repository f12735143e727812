import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import { expectError } from '../../../contract/contract-world.ts';
import { failFirstGraph, type GraphFault } from '../../../servers/graph/graph-fault.ts';
import { startTestGraph, type TestGraph } from '../../../servers/graph/start-graph.ts';
import { remoteWith, runOnce } from '../../../support/memory-world.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP, sourceOf } from '../../../support/open-s3.ts';

const UNIT = 320 * 1024;
/** Four fragments and a bit. */
const CONTENT = Buffer.alloc(4 * UNIT + 77, 'content that is not the same everywhere. ');

let graph: TestGraph;
let remote: Remote;
let events: SyncerEvent[];

beforeEach(async () => {
  graph = await startTestGraph({ drives: [{ type: 'business' }] });
  ({ remote, events } = await openDrive(graph, '', { options: { chunk_size: '320Ki' } }));
});
afterEach(async () => {
  await remote.close();
  await graph.stop();
});

async function expectWritten(): Promise<void> {
  const written = await remote.write(sourceOf('dir/file', CONTENT), OP);
  expect(written.size).toBe(CONTENT.length);
  expect(graph.drive.read('dir/file')?.equals(CONTENT)).toBe(true);
  expect(graph.drive.files()).toEqual(['dir/file']);
  expect(graph.drive.item('dir/file').modified).toBe(1_700_000_000_000);
}

async function expectTold(source: Remote) {
  const run = await runOnce('copy', source, remote);
  return { error: run.error?.message, told: run.events };
}

describe('an upload in fragments', () => {
  it.each<[string, GraphFault]>([
    ['the service throttles requests', { status: 429, retryAfter: 1 }],
    ['the service is busy', { status: 503, retryAfter: 1 }],
    ['the service has an internal error', { status: 500 }],
    ['a proxy has a fault', { status: 502, html: true }],
    ['the connection is reset before', { reset: 'before' }],
    ['the connection is reset in mid-fragment', { reset: 'in-upload', afterBytes: 100_000 }],
    ['the answer is lost', { reset: 'after' }],
    ['the service says the session is gone, which it is not', { status: 404 }],
  ])('goes on where %s', async (_name, fault) => {
    graph.setFaults(failFirstGraph('putFragment', 2, fault));
    await expectWritten();
    expect(graph.log.count('createUploadSession')).toBe(1);
  });

  it('goes on ten times, each time from what the service has', async () => {
    graph.setFaults(({ operation }, n) =>
      operation === 'putFragment' && n % 2 === 0
        ? { reset: 'in-upload', afterBytes: 1000 }
        : undefined,
    );
    await expectWritten();
    expect(graph.log.count('createUploadSession')).toBe(1);
  });

  it('finds the file where the answer to the last fragment is lost, and uploads nothing again', async () => {
    graph.setFaults(({ operation, contentRange }) =>
      operation === 'putFragment' && contentRange?.includes(`-${CONTENT.length - 1}/`) === true
        ? { reset: 'after' }
        : undefined,
    );
    await expectWritten();
    expect(graph.log.count('putFragment')).toBe(5);
  });

  it('begins anew where the session has ended', async () => {
    graph.setFaults(({ operation }, n) => {
      if (operation === 'putFragment' && n === 2) graph.advance(1800);
      return undefined;
    });
    await expectWritten();
    expect(graph.log.count('createUploadSession')).toBe(2);
  });

  it('sees that the bytes were changed on the way, and leaves nothing of them', async () => {
    graph.setFaults(failFirstGraph('putFragment', 1, { corruptUpload: true, at: 10 }));
    await expectError(remote.write(sourceOf('file', CONTENT), OP), 'corrupted');
    expect(graph.drive.files()).toEqual([]);
  });

  it('gives up where the drive is full, and the session with it', async () => {
    graph.drive.put('file', 'old');
    graph.drive.inside.quota = 1000;
    const error = await expectError(remote.write(sourceOf('file', CONTENT), OP), 'quota-exceeded');
    expect(error).toMatchObject({ exit: 7, stop: true });
    expect(error.message).toBe('cannot write file: the drive is full (quotaLimitReached)');
    expect(graph.drive.tree()).toEqual({ file: 'old' });
    expect(graph.log.count('deleteSession')).toBe(1);
  });

  it('tells that somebody has the file open', async () => {
    graph.drive.put('file', 'old');
    graph.drive.lock('file');
    const error = await expectError(remote.write(sourceOf('file', CONTENT), OP), 'access-denied');
    expect(error.message).toContain('it is locked');
    expect(graph.drive.tree()).toEqual({ file: 'old' });
  });

  it('is not waited for again and again where no session is known, and counts once', async () => {
    graph.setLie({ lie: 'session-unknown' });
    const { error } = await expectTold(await remoteWith({ file: CONTENT.toString() }));
    expect(error).toBe('cannot write file: the service loses its upload sessions');
    const waits = events.filter((event) => event.type === 'wait');
    expect(waits.map((wait) => wait.ms)).toEqual([5000, 5000]);
    expect(graph.log.count('createUploadSession')).toBe(2);
  });

  it('goes on where no range is named until the end, and looks for the file then', async () => {
    graph.setLie({ lie: 'fragment-none-wanted' });
    await expectWritten();
    expect(graph.log.count('createUploadSession')).toBe(1);
  });

  it('counts no byte twice where a session is lost', async () => {
    graph.setFaults(({ operation }, n) => {
      if (operation === 'putFragment' && n === 2) graph.advance(1800);
      return undefined;
    });
    const { error, told } = await expectTold(await remoteWith({ file: CONTENT.toString() }));
    expect(error).toBeUndefined();
    const bytes = told.reduce((sum, event) => {
      if (event.type === 'transfer-restart') return 0;
      return event.type === 'transfer-bytes' ? sum + event.bytes : sum;
    }, 0);
    expect(bytes).toBe(CONTENT.length);
  });

  it('makes the directory again that somebody removed', async () => {
    await remote.write(sourceOf('dir/one', 'x'), OP);
    graph.drive.remove('dir');
    await expectError(remote.write(sourceOf('dir/file', CONTENT), OP), 'server');
    await expectWritten();
  });
});
