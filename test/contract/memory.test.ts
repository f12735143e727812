import { memoryRemote } from '../../src/backends/memory/memory-remote.ts';
import { describeRemote } from './remote-contract.ts';

const cleanup = async () => undefined;

describeRemote('memory', async () => ({ remote: memoryRemote(), cleanup }), {
  lacks: ['publicLink', 'cleanUp'],
  skipped: 6,
});

describeRemote(
  'memory with small pages below a root',
  async () => ({ remote: memoryRemote({ root: 'some/root', pageSize: 7 }), cleanup }),
  { lacks: ['publicLink', 'cleanUp'], skipped: 6 },
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
    lacks: ['publicLink', 'cleanUp', 'moveFrom', 'moveDirFrom', 'about', 'directories'],
    skipped: 26,
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
      without: ['hash', 'setModTime', 'copyFrom', 'listTreePage', 'removeMany', 'purge'],
    }),
    cleanup,
  }),
  {
    lacks: [
      ...(['publicLink', 'cleanUp', 'sortedPages', 'caseSensitive', 'hashes', 'modTime'] as const),
      'unicodeForms',
      ...(['hash', 'setModTime', 'copyFrom', 'listTreePage', 'removeMany', 'purge'] as const),
    ],
    skipped: 29,
  },
);
