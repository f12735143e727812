import { localRemote } from '../../../../src/backends/local/local-remote.ts';
import { localSettings } from '../../../../src/backends/local/local-settings.ts';
import { systemClock } from '../../../../src/core/context.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import type { FileContents } from '../../../../src/vfs/contents/contents.ts';
import { openContents } from '../../../../src/vfs/contents/open-contents.ts';
import { VFS_DEFAULTS } from '../../../support/vfs-defaults.ts';

export const op = { signal: new AbortController().signal };

const context = { signal: op.signal, clock: systemClock, emit: () => {} };

/** The remote that is a folder. */
export function remoteOf(root: string): Remote {
  return localRemote(localSettings({ name: 'folder', root, options: {} }), context);
}

/** Contents above a folder, with cache mode `full`. */
export function openOverFolder(
  root: string,
  cacheDir: string,
  writeBack: number,
): Promise<FileContents> {
  const options = { ...VFS_DEFAULTS, cacheDir, cacheMode: 'full', writeBack } as const;
  return openContents(remoteOf(root), options, cacheDir, context);
}
