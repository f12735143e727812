import type { Remote } from '../../core/remote.ts';
import { joinPath } from '../../core/remote-path.ts';
import { formatSize } from '../../go/byte-size.ts';
import type { Invocation } from '../command.ts';
import { versionPages } from '../listing/kept-pages.ts';
import { shownId } from './delete-versions.ts';
import { timeOf } from './restore-versions.ts';

const SIZE = 9;
const KIND = 10;

/** `syncer versions ls`: a line for each version and delete marker, as they come. */
export async function listVersions(invocation: Invocation, remote: Remote): Promise<void> {
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
          ...{ Path: path, Kind: kind, Size: file.size, ModTime: timeOf(file) },
          ...{ ID: shownId(file), Tier: file.tier ?? '' },
        };
        text += `${isFirst ? '' : ','}\n${JSON.stringify(record)}`;
        isFirst = false;
        continue;
      }
      const size = (isMarker ? '-' : formatSize(file.size)).padStart(SIZE);
      text += `${size}  ${timeOf(file)}  ${kind.padEnd(KIND)}  ${shownId(file)}  ${path}\n`;
    }
    await out.write(text);
  }
  if (isJson) await out.write(isFirst ? ']\n' : '\n]\n');
}
