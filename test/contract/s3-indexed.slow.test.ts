import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModTimeIndex, timeObserver } from '../../src/caches/times/mod-time-index.ts';
import { systemClock } from '../../src/core/context.ts';
import { observed } from '../../src/core/observed.ts';
import { Stores } from '../../src/state/stores.ts';
import { startTestS3 } from '../servers/test-s3.ts';
import { openS3 } from '../support/open-s3.ts';
import { OP } from './contract-world.ts';
import { describeRemote, type OpenedRemote } from './remote-contract.ts';

async function openIndexed(): Promise<OpenedRemote> {
  const [s3, folder] = await Promise.all([
    startTestS3(),
    mkdtemp(join(tmpdir(), 'syncer-contract-')),
  ]);
  const { remote } = await openS3(s3, 'bucket', {
    options: { provider: 'Scaleway', list_chunk: '7' },
  });
  await remote.makeDir('', OP);
  const stores = new Stores({ state: undefined, cache: folder }, () => {});
  const index = new ModTimeIndex({
    stores,
    clock: systemClock,
    onTrouble: (error) => {
      throw error;
    },
    mostUnwritten: 3,
  });
  await index.opened();
  return {
    remote: observed(remote, [timeObserver(remote, index)], systemClock),
    cleanup: async () => {
      await index.close();
      await stores.close();
      await s3.stop();
      await rm(folder, { recursive: true });
    },
  };
}

describeRemote('s3 with an index of modification times', openIndexed, {
  lacks: ['moveFrom', 'moveDirFrom', 'setDirModTime', 'about', 'directories', 'tellsMissing'],
  skipped: 28,
  pageSize: 7,
});
