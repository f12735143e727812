import { memoryRemote } from '../../src/backends/memory/memory-remote.ts';
import { describeRemote } from './remote-contract.ts';

const cleanup = async () => undefined;

const LACKS = ['publicLink', 'cleanUp', 'checksums', 'setDirModTime'] as const;

describeRemote('memory', async () => ({ remote: memoryRemote(), cleanup }), {
  lacks: LACKS,
  skipped: 8,
});

describeRemote(
  'memory with small pages below a root',
  async () => ({ remote: memoryRemote({ root: 'some/root', pageSize: 7 }), cleanup }),
  { lacks: LACKS, skipped: 8, pageSize: 7 },
);

describeRemote(
  'memory that is like an object store',
  async () => ({
    remote: memoryRemote({
      emptyDirs: false,
      slowModTime: true,
      hashes: ['md5'],
      without: ['moveFrom', 'moveDirFrom', 'about'],
    }),
    cleanup,
  }),
  {
    lacks: [...LACKS, 'moveFrom', 'moveDirFrom', 'about', 'directories'],
    skipped: 30,
  },
);

describeRemote(
  'memory that is like a poor store',
  async () => ({
    remote: memoryRemote({
      sorted: false,
      caseInsensitive: true,
      hashes: [],
      modTimePrecision: undefined,
      without: ['hash', 'setModTime', 'copyFrom', 'listTreePage', 'deletesAtOnce', 'purge'],
    }),
    cleanup,
  }),
  {
    lacks: [
      ...LACKS,
      ...(['sortedPages', 'caseSensitive', 'hashes', 'modTime'] as const),
      'unicodeForms',
      ...(['hash', 'setModTime', 'copyFrom', 'listTreePage', 'deletesAtOnce', 'purge'] as const),
    ],
    skipped: 34,
  },
);
