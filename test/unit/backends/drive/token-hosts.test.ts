import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Remote } from '../../../../src/core/remote.ts';
import { expectError } from '../../../contract/contract-world.ts';
import { type GraphLie, withJson, withValue } from '../../../servers/graph/lies/graph-lie.ts';
import { startTestGraph, type TestGraph } from '../../../servers/graph/start-graph.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP, sourceOf } from '../../../support/open-s3.ts';

let graph: TestGraph;
let other: TestGraph;
let remote: Remote;

beforeEach(async () => {
  [graph, other] = await Promise.all([startTestGraph(), startTestGraph()]);
  graph.drive.put('dir/file', 'x');
  ({ remote } = await openDrive(graph));
});
afterEach(async () => {
  await remote.close();
  await Promise.all([graph.stop(), other.stop()]);
});

/** Answers of an operation lead to the other server. */
function leading(
  of: GraphLie['of'],
  change: (answer: ReturnType<GraphLie['tell']> & object) => ReturnType<GraphLie['tell']>,
): void {
  graph.setLie({ lie: { about: 'leads elsewhere', of, tell: ({ ask }) => change(ask()) } });
}

it.each<[string, GraphLie['of'][number], string, () => Promise<unknown> | undefined]>([
  [
    'a listing',
    'listChildren',
    '@odata.nextLink',
    async () => {
      const { cursor } = await remote.listPage('dir', undefined, OP);
      return remote.listPage('dir', cursor, OP);
    },
  ],
  ['the whole drive', 'delta', '@odata.nextLink', () => remote.can.listDirs?.(OP)],
  [
    'what changed',
    'delta',
    '@odata.deltaLink',
    async () => {
      const changes = await remote.can.changes?.(undefined, OP);
      return remote.can.changes?.(changes?.token, OP);
    },
  ],
  [
    'the links to a file',
    'listPermissions',
    '@odata.nextLink',
    async () => {
      const file = await remote.stat('dir/file', OP);
      return file && remote.can.deleteLink?.(file, OP);
    },
  ],
])('the login stays with the service where %s leads elsewhere', async (_, of, link, work) => {
  leading([of], (answer) => withJson(answer, { [link]: `${other.graphUrl}/me/drive/root/delta` }));
  const error = await expectError(Promise.resolve(work()), 'bad-answer');
  expect(error.message).toContain('the service redirects to another host');
  expect(other.log.requests).toEqual([]);
});

it('the login stays with the service where a copy was made elsewhere', async () => {
  const place = `${other.graphUrl}/drives/x/items/y`;
  leading(['monitor'], () => ({ status: 303, headers: { location: place } }));
  const file = await remote.stat('dir/file', OP);
  if (file?.kind !== 'file') throw new Error('no file');
  await remote.can.copyFrom?.(remote, file, 'copy', OP).catch(() => {});
  expect(other.log.requests).toEqual([]);
});

it('what needs no login is asked for by TLS only where the service is', async () => {
  const options = { graph_url: `${graph.secureUrl}/v1.0` };
  const { remote: safe } = await openDrive(graph, '', {
    options,
    transport: { insecureTls: true },
  });
  const change = {
    '@microsoft.graph.downloadUrl': `${other.url}/download/x`,
    uploadUrl: `${other.url}/upload/x`,
  };
  leading(['listChildren', 'createUploadSession'], (answer) =>
    withJson(
      withValue(answer, (items) => items.map((item) => ({ ...item, ...change }))),
      change,
    ),
  );
  const page = await safe.listPage('dir', undefined, OP);
  const [file] = page.entries;
  if (file?.kind !== 'file') throw new Error('no file');
  const read = await expectError(safe.read(file, undefined, OP), 'bad-answer');
  expect(read.message).toContain('without TLS');
  await expectError(safe.write(sourceOf('dir/new', 'x'), OP), 'bad-answer');
  expect(other.log.requests).toEqual([]);
  await safe.close();
});
