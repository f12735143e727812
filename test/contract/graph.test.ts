import type { TestGraphOptions } from '../servers/graph/graph-settings.ts';
import { IDS_BY_TURNS } from '../servers/graph/odd-ids.ts';
import { startTestGraph } from '../servers/graph/start-graph.ts';
import { ALL } from '../support/in-part.ts';
import { openDrive } from '../support/open-drive.ts';
import { OP } from './contract-world.ts';
import { describeRemote, type Expectations, type OpenedRemote } from './remote-contract.ts';

const EXPECTED: Expectations = {
  lacks: [
    ...(['checksums', 'openedWithDetails', 'listTreePage', 'ownMetadata'] as const),
    'setTier',
    ...(['sortedPages', 'caseSensitive', 'otherTiers'] as const),
    ...(['reservedNames', 'longPaths'] as const),
  ],
  skipped: 18,
};

async function openAt(
  root: string,
  settings: TestGraphOptions,
  options: Record<string, string> = {},
): Promise<OpenedRemote> {
  const graph = await startTestGraph(settings);
  const { remote } = await openDrive(graph, root, { options });
  await remote.makeDir('', OP);
  return { remote, cleanup: () => graph.stop() };
}

describeRemote('a personal drive', () => openAt('', { maxPageSize: 100 }), {
  ...EXPECTED,
  pageSize: 100,
});

if (ALL)
  describeRemote(
    'a personal drive whose ids come in two forms',
    () => openAt('Folder', { oddIds: IDS_BY_TURNS, pageSize: 3, maxPageSize: 3 }),
    { ...EXPECTED, pageSize: 3 },
  );

describeRemote(
  'a business drive below a folder, small pages, empty ones between them, small pieces',
  () =>
    openAt(
      'some/Folder',
      { drives: [{ type: 'business' }], pageSize: 7, maxPageSize: 7, emptyPages: true },
      { chunk_size: '320Ki' },
    ),
  { ...EXPECTED, pageSize: 7 },
);

if (ALL)
  describeRemote(
    'a document library whose drive is not told, with copies that redirect, URLs good for one request, whole downloads only',
    () =>
      openAt(
        '',
        {
          drives: [{ type: 'documentLibrary' }],
          rewritesOffice: 'never',
          copyRedirects: true,
          downloadUses: 1,
          expiredDownloadStatus: 404,
          ignoreRanges: true,
          refuseTokenAt: ['upload', 'download'],
        },
        { drive_type: '' },
      ),
    EXPECTED,
  );
