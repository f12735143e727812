import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TokenPlace } from '../../../../src/backends/auth/oauth-token.ts';
import type { HttpTrace } from '../../../../src/backends/http/network-options.ts';
import { collectBody } from '../../../../src/core/body.ts';
import { systemClock } from '../../../../src/core/context.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { deleteOne, listDir } from '../../../../src/core/remote-calls.ts';
import { expectError } from '../../../contract/contract-world.ts';
import { failFirstGraph, type GraphFault } from '../../../servers/graph/graph-fault.ts';
import { startTestGraph, type TestGraph } from '../../../servers/graph/start-graph.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP, sourceOf } from '../../../support/open-s3.ts';

const NAMES = Array.from({ length: 25 }, (_, i) => `file${String(i).padStart(2, '0')}`);
const LARGE = Buffer.alloc(600_000, 'not the same everywhere; ');

let graph: TestGraph;
let remote: Remote;
let events: SyncerEvent[];

beforeEach(async () => {
  graph = await startTestGraph({ drives: [{ type: 'business' }], pageSize: 5, maxPageSize: 5 });
  ({ remote, events } = await openDrive(graph));
});
afterEach(async () => {
  await remote.close();
  await graph.stop();
});

async function names(): Promise<string[]> {
  const all: string[] = [];
  const raise = ({ error }: { error: Error }) => {
    throw error;
  };
  for await (const page of listDir(remote, '', OP, raise))
    all.push(...page.map(({ path }) => path));
  return all;
}

async function fileAt(path: string): Promise<FileEntry> {
  const entry = await remote.stat(path, OP);
  if (entry?.kind !== 'file') throw new Error(`no file at ${path}`);
  return entry;
}

const notices = () => events.filter((event) => event.type === 'log' && event.level === 'notice');

describe('a listing', () => {
  beforeEach(() => {
    for (const name of NAMES) graph.drive.put(name, name);
  });

  it.each<[string, GraphFault]>([
    ['the service throttles requests', { status: 429, retryAfter: 3 }],
    ['the service is busy', { status: 503, retryAfter: 3 }],
    ['a proxy has a fault', { status: 502, html: true }],
    ['the connection is reset', { reset: 'before' }],
    ['an answer breaks off', { truncate: true, afterBytes: 100 }],
  ])('is whole where %s', async (_name, fault) => {
    graph.setFaults(failFirstGraph('listChildren', 3, fault));
    expect(await names()).toEqual(NAMES);
  });

  it('goes on where the token ends in the middle, by one renewal', async () => {
    graph.setFaults(({ operation }, n) => {
      if (operation === 'listChildren' && n === 2) graph.expireAccessTokens();
      return undefined;
    });
    expect(await names()).toEqual(NAMES);
    expect(graph.log.count('token')).toBe(1);
  });

  it('fails and does not count as empty where the service fails for good', async () => {
    graph.setFaults(({ operation }, n) =>
      operation === 'listChildren' && n > 1 ? { status: 500 } : undefined,
    );
    await expectError(names(), 'server');
  });

  it('waits once for all requests, and says so once', async () => {
    graph.setFaults(failFirstGraph('getItem', 8, { status: 429, retryAfter: 2 }));
    const found = await Promise.all(NAMES.slice(0, 8).map((name) => remote.stat(name, OP)));
    expect(found.map((entry) => entry?.path)).toEqual(NAMES.slice(0, 8));
    expect(notices()).toEqual([
      {
        type: 'log',
        level: 'notice',
        code: 'store-throttles',
        fields: { account: 'test', seconds: 2 },
      },
    ]);
  });
});

describe('reading', () => {
  it('asks for a new URL where the one of the listing has ended', async () => {
    graph.drive.put('file', LARGE);
    graph.settings.downloadSeconds = 60;
    const file = await fileAt('file');
    graph.advance(120);
    const body = await collectBody(await remote.read(file, undefined, OP), OP.signal);
    expect(body.equals(LARGE)).toBe(true);
    expect(graph.log.count('getContent')).toBe(1);
  });

  it('needs one request for a file that was listed', async () => {
    graph.drive.put('file', 'content');
    const page = await remote.listPage('', undefined, OP);
    graph.log.clear();
    await collectBody(await remote.read(page.entries[0] as FileEntry, undefined, OP), OP.signal);
    expect(graph.log.counts()).toEqual({ download: 1 });
  });

  it('tells that a body broke off, so that it can be taken up again', async () => {
    graph.drive.put('file', LARGE);
    graph.setFaults(failFirstGraph('download', 1, { truncate: true, afterBytes: 300_000 }));
    const file = await fileAt('file');
    const reading = async () => collectBody(await remote.read(file, undefined, OP), OP.signal);
    await expectError(reading(), 'body-cut');
    const rest = await remote.read(file, { offset: 300_000 }, OP);
    expect((await collectBody(rest, OP.signal)).equals(LARGE.subarray(300_000))).toBe(true);
  });

  it('never gives an error answer for the content', async () => {
    graph.drive.put('file', 'content');
    const file = await fileAt('file');
    graph.setFaults(({ operation }) =>
      operation === 'download' ? { status: 403, code: 'malwareDetected' } : undefined,
    );
    await expectError(remote.read(file, undefined, OP), 'access-denied');
  });
});

it('shows no URL that needs no login to a dump of requests', async () => {
  const heads: string[] = [];
  const trace: HttpTrace = {
    showsSecrets: false,
    wantsRequestBodies: false,
    wantsAnswerBodies: false,
    request: (_id, head) => heads.push(head.split('\r\n', 1)[0] ?? ''),
    answer: () => {},
    failure: () => {},
  };
  const opened = await openDrive(graph, '', { transport: { http: { trace } } });
  const file = await opened.remote.write(sourceOf('file', 'content'), OP);
  await collectBody(await opened.remote.read(file, undefined, OP), OP.signal);
  await opened.remote.can.copyFrom?.(opened.remote, file, 'copy', OP);
  await opened.remote.close();
  const open = ['putFragment', 'download', 'monitor'] as const;
  const paths = open.flatMap((operation) => graph.log.of(operation).map(({ path }) => path));
  expect(paths.length).toBeGreaterThanOrEqual(3);
  for (const path of paths) expect(heads.join()).not.toContain(path);
  expect(heads.filter((head) => head.includes(' /REDACTED '))).toHaveLength(paths.length);
});

describe('changes', () => {
  it('makes a directory once where the answer is lost', async () => {
    graph.setFaults(failFirstGraph('createFolder', 1, { reset: 'after' }));
    await remote.makeDir('a/b', OP);
    expect(graph.drive.tree()).toEqual({ 'a/': '', 'a/b/': '' });
  });

  it('does not set the time of a file that somebody else wrote meanwhile', async () => {
    graph.drive.put('file', 'one');
    const file = await fileAt('file');
    graph.drive.put('file', 'two');
    const { setModTime } = remote.can;
    await expectError(setModTime?.(file, 0n, OP) ?? Promise.resolve(), 'precondition-failed');
    expect(graph.drive.item('file').modified).not.toBe(0);
  });

  it('sets the time of a file that only got another tag', async () => {
    graph.drive.put('file', 'one');
    const file = await fileAt('file');
    graph.drive.inside.touched(graph.drive.item('file'));
    await remote.can.setModTime?.(file, 0n, OP);
    expect(graph.drive.item('file').modified).toBe(0);
  });

  it('does not delete a file that somebody else wrote meanwhile', async () => {
    graph.drive.put('file', 'one');
    const file = await fileAt('file');
    graph.drive.put('file', 'two');
    await expectError(deleteOne(remote, file, OP), 'precondition-failed');
    expect(graph.drive.tree()).toEqual({ file: 'two' });
  });

  it('keeps the old file where a copy onto it fails', async () => {
    graph.drive.put('source', 'new');
    graph.drive.put('target', 'old');
    const file = await fileAt('source');
    graph.setFaults(({ operation }) => (operation === 'patchItem' ? { status: 423 } : undefined));
    const copying = remote.can.copyFrom?.(remote, file, 'target', OP) ?? Promise.resolve();
    await expectError(copying, 'access-denied');
    expect(graph.drive.tree()).toEqual({ source: 'new', target: 'old' });
  });

  it('moves a directory once where the answer is lost', async () => {
    graph.drive.put('from/a/file', 'x');
    await remote.listPage('from/a', undefined, OP);
    graph.setFaults(failFirstGraph('patchItem', 2, { reset: 'after' }));
    expect(await remote.can.moveDirFrom?.(remote, 'from', 'to/sub', OP)).toBe(true);
    expect(graph.drive.files()).toEqual(['to/sub/a/file']);
    await expectError(remote.listPage('from/a', undefined, OP), 'directory-not-found');
  });

  it('does not know a directory any more that it may have moved', async () => {
    graph.drive.put('from/a/file', 'x');
    await remote.listPage('from', undefined, OP);
    graph.setFaults(failFirstGraph('patchItem', 99, { reset: 'after' }));
    await expectError(remote.can.moveDirFrom?.(remote, 'from', 'to', OP) ?? Promise.resolve());
    await expectError(remote.listPage('from/a', undefined, OP), 'directory-not-found');
    expect(graph.drive.files()).toEqual(['to/a/file']);
  });

  it('deletes a file whose first deletion worked without an answer', async () => {
    graph.drive.put('file', 'x');
    const file = await fileAt('file');
    graph.setFaults(failFirstGraph('deleteItem', 1, { reset: 'after' }));
    await deleteOne(remote, file, OP);
    expect(graph.drive.files()).toEqual([]);
  });

  it('knows that a path is free where that answer broke off at first', async () => {
    graph.setFaults(failFirstGraph('getItem', 1, { truncate: true, afterBytes: 20 }));
    expect(await remote.stat('file', OP)).toBeUndefined();
  });

  it.each<GraphFault>([
    { status: 429, retryAfter: 0 },
    { status: 503 },
    { status: 502, html: true },
    { unauthenticated: true },
    { reset: 'before' },
    { reset: 'after' },
  ])('removes a directory where the answer is lost, and the next is %j', async (fault) => {
    graph.drive.mkdir('dir');
    graph.setFaults(({ operation }, n) => {
      if (operation !== 'deleteItem' || n > 1) return undefined;
      return n === 0 ? { reset: 'after' } : fault;
    });
    await remote.deleteDir('dir', OP);
    expect(graph.drive.tree()).toEqual({});
  });

  it.each(['copy', 'patchItem', 'deleteItem', 'monitor'] as const)(
    'copies onto a file once where the answer to %s is lost',
    async (operation) => {
      graph.drive.put('source', 'new');
      graph.drive.put('target', 'old');
      const file = await fileAt('source');
      graph.setFaults((request, n) =>
        request.operation === operation && n % 2 === (operation === 'copy' ? 1 : 0)
          ? { reset: 'after' }
          : undefined,
      );
      // The service takes a while for a copy that nobody asks about.
      const { remote: patient } = await openDrive(graph, '', { waits: true });
      await patient.can.copyFrom?.(patient, file, 'target', OP);
      expect(graph.drive.tree()).toEqual({ source: 'new', target: 'new' });
      await patient.close();
    },
  );

  it.each<GraphFault>([{ status: 423 }, { status: 404, html: true }])(
    'keeps what was put in place where the old file cannot be deleted: %j',
    async (fault) => {
      graph.drive.put('source', 'new');
      graph.drive.put('target', 'old');
      const file = await fileAt('source');
      graph.setFaults(failFirstGraph('deleteItem', 9, fault));
      await remote.can.copyFrom?.(remote, file, 'target', OP);
      expect(graph.drive.read('target')?.toString()).toBe('new');
      const code = 'old-content-kept';
      expect(events.at(-1)).toMatchObject({ type: 'log', level: 'error', code });
    },
  );

  it('does not remove a directory with a notebook in it that is not shown', async () => {
    graph.drive.addPackage('dir/Notes');
    expect((await remote.listPage('dir', undefined, OP)).entries).toEqual([]);
    await expectError(remote.deleteDir('dir', OP), 'not-empty');
  });

  it('names the root of the remote by its title, as it has no name', async () => {
    graph.drive.put('dir/file', 'x');
    const message = (root: string) => `cannot remove OneDrive root '${root}': it is`;
    const { remote: dir } = await openDrive(graph, 'dir');
    const notEmpty = await expectError(dir.deleteDir('', OP), 'not-empty');
    expect(notEmpty.message).toContain(message('dir'));
    const { remote: file } = await openDrive(graph, 'dir/file');
    const notDir = await expectError(file.deleteDir('', OP), 'not-a-directory');
    expect(notDir.message).toContain(message('dir/file'));
    await Promise.all([dir.close(), file.close()]);
  });

  it('tells that the login is over, and what to do', async () => {
    graph.expireAccessTokens();
    graph.revokeRefreshTokens();
    const error = await expectError(remote.write(sourceOf('file', 'x'), OP), 'sign-in-needed');
    expect(error.exit).toBe(20);
    expect(error.message).toMatch(
      /^test: the login expired because it was not used.*syncer authorize/,
    );
  });

  it('asks a login server that is busy only as often as all requests are tried', async () => {
    graph.expireAccessTokens();
    graph.setFaults(failFirstGraph('token', 99, { status: 503 }));
    await expectError(remote.write(sourceOf('file', 'x'), OP), 'server');
    expect(graph.log.count('token')).toBe(5);
  });

  it('stores the login that is being renewed when the run is broken off, before it ends', async () => {
    const run = new AbortController();
    let kept = '';
    const { token = '' } = graph.section();
    const tokenPlace: TokenPlace = {
      read: async () => token,
      write: async (text) => {
        kept = text;
      },
      alone: (work) => work(),
    };
    const context = { signal: run.signal, clock: systemClock, emit: () => {} };
    const params = { tokenPlace, context };
    const opened = await openDrive(graph, '', { options: { token }, params });
    graph.expireAccessTokens();
    graph.setFaults(({ operation }) => {
      if (operation !== 'token') return undefined;
      run.abort(new Error('broken off'));
      return { latencyMs: 20 };
    });
    await expect(opened.remote.stat('file', run)).rejects.toThrow('broken off');
    await opened.remote.close();
    expect(kept).toMatch(/refresh_token/);
  });
});
