import { harmlessLine } from '../../src/core/harmless.ts';
import { modTimeToMs } from '../../src/core/mod-time.ts';
import type { Remote } from '../../src/core/remote.ts';
import { joinPath, leafName } from '../../src/core/remote-path.ts';
import { formatSize } from '../../src/go/byte-size.ts';
import { versionPages } from '../../src/run/listing/kept-pages.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { localTime } from '../../src/terminal/time-texts.ts';
import type { VERSIONS_FLAGS } from './command.ts';
import { shownId } from './delete-versions.ts';
import { timeOf } from './restore-versions.ts';

const SIZE = 9;
const KIND = 10;
const TIME = '2026-11-20 13:54:57'.length;

/** `syncer versions ls`: a line for each version and delete marker, as they come. */
export async function listVersions(
  invocation: Invocation<typeof VERSIONS_FLAGS>,
  remote: Remote,
): Promise<void> {
  const { flags, out, context } = invocation;
  const isJson = flags['versions-json'];
  let isFirst = true;
  if (isJson) await out.write('[');
  for await (const page of versionPages(remote, await invocation.filter(), context)) {
    let text = '';
    for (const file of page) {
      const path = joinPath(remote.root, file.path);
      const { kind = 'current' } = file.kept ?? {};
      const isMarker = kind.endsWith('marker');
      if (isJson) {
        const record = {
          Path: path,
          Kind: kind,
          Size: file.size,
          ModTime: timeOf(file),
          ID: shownId(file),
          Tier: file.tier ?? '',
        };
        text += `${isFirst ? '' : ','}\n${JSON.stringify(record)}`;
        isFirst = false;
        continue;
      }
      const size = (isMarker ? '-' : formatSize(file.size)).padStart(SIZE);
      const { modTime } = file;
      const at = modTime === undefined ? '-'.padEnd(TIME) : localTime(modTimeToMs(modTime));
      // The remote may be the file itself.
      const name = harmlessLine(file.path === '' ? leafName(path) : file.path);
      text += `${size}  ${at}  ${kind.padEnd(KIND)}  ${shownId(file)}  ${name}\n`;
    }
    await out.write(text);
  }
  if (isJson) await out.write(isFirst ? ']\n' : '\n]\n');
}
