import { plainRemoteSpec } from '../../src/config/remote-spec.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { splitFileSpec } from '../../src/run/remotes/file-or-directory.ts';
import { openDestination } from '../../src/run/transfer/transfer.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { parseHttpUrl } from '../../src/shell/url-request.ts';
import type { COPYURL_FLAGS } from './command.ts';
import { copyUrl, type UrlTarget, writeUrl } from './copy-url.ts';
import { openUrlReader } from './open-url.ts';

/** `syncer copyurl https://example.com dest:path` */
export async function copyurlCommand(invocation: Invocation<typeof COPYURL_FLAGS>): Promise<void> {
  const { args, flags } = invocation;
  const [from = '', to] = args;
  if (to === undefined && !flags.stdout) {
    throw new SyncerError('usage', 'copyurl takes 2 arguments unless --stdout is given');
  }
  if (flags.urls) {
    const { copyUrls } = await import('./copy-urls.ts');
    return copyUrls(invocation, from, to ?? '-');
  }
  const url = parseHttpUrl(from);
  const target = flags.stdout || to === '-' ? undefined : await openTarget(invocation, to ?? '');
  const reader = await openUrlReader(invocation);
  try {
    if (target === undefined) await writeUrl(invocation, reader, url);
    else await copyUrl(invocation, reader, url, target);
  } finally {
    reader.http.close();
  }
}

async function openTarget(
  invocation: Invocation<typeof COPYURL_FLAGS>,
  spec: string,
): Promise<UrlTarget> {
  const isDir = invocation.flags['auto-filename'];
  const { dir, leaf } = isDir ? { dir: spec, leaf: undefined } : splitFileSpec(spec);
  const open = isDir ? openDestination(invocation, dir) : invocation.remotes.openDir(dir);
  const target = { remote: await open, name: leaf };
  invocation.context.emit({ type: 'sides', dest: plainRemoteSpec(dir) });
  return target;
}
