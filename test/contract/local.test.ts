import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { DiskPace } from '../../src/backends/local/local-disk.ts';
import { localRemote } from '../../src/backends/local/local-remote.ts';
import { type LocalSettings, localSettings } from '../../src/backends/local/local-settings.ts';
import { systemClock } from '../../src/core/context.ts';
import { ALL } from '../support/in-part.ts';
import { describeRemote, type OpenedRemote } from './remote-contract.ts';

const context = { signal: new AbortController().signal, clock: systemClock, emit: () => undefined };

/** A local remote in a new folder; at the end nothing temporary may be left there. */
async function openLocal(
  options: Record<string, string> = {},
  more: Partial<LocalSettings> = {},
): Promise<OpenedRemote> {
  const root = await mkdtemp(join(tmpdir(), 'syncer-contract-'));
  const settings = { ...localSettings({ name: '', root, options }), ...more };
  return {
    remote: localRemote(settings, context),
    async cleanup() {
      const left = (await readdir(root, { recursive: true })).filter((path) =>
        path.includes('syncer-partial'),
      );
      await rm(root, { recursive: true });
      expect(left).toEqual([]);
    },
  };
}

const lacks = [
  ...(['checksums', 'openedWithDetails', 'deletesAtOnce', 'listTreePage'] as const),
  ...(['publicLink', 'setTier'] as const),
] as const;

describeRemote('local', () => openLocal(), { lacks, skipped: 12 });

describeRemote('local that writes in parts', () => openLocal({}, { partsFrom: 1, parts: 3 }), {
  lacks,
  skipped: 12,
});

describeRemote('local that follows links', () => openLocal({ copy_links: 'true' }), {
  lacks,
  skipped: 12,
});

if (ALL)
  describeRemote('local that translates links', () => openLocal({ links: 'true' }), {
    lacks,
    skipped: 12,
  });

describe('on a slow disk', () => {
  beforeAll(() => void vi.spyOn(DiskPace.prototype, 'isSlow', 'get').mockReturnValue(true));
  afterAll(() => vi.restoreAllMocks());

  describeRemote('local', () => openLocal(), { lacks, skipped: 12 });

  if (ALL)
    describeRemote('local that follows links', () => openLocal({ copy_links: 'true' }), {
      lacks,
      skipped: 12,
    });
});
