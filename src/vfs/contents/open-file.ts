import { SyncerError } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import type { ContentAccess, OpenContent } from './file-contents.ts';
import type { OpenNode } from './open-node.ts';

/** One handle on a node; `released` is called when it is closed. */
export function openFile(
  node: OpenNode,
  access: ContentAccess,
  noSeek: boolean,
  released: (op: Op) => Promise<void>,
): OpenContent {
  let nextRead = 0;
  const mayWrite = () => {
    if (!access.write) throw new SyncerError('access-denied', 'the file is not open for writing');
  };
  return {
    size: () => node.size(),
    modTime: () => node.modTime(),
    async read(offset, length, op) {
      if (noSeek && offset !== nextRead) {
        throw new SyncerError('unsupported', 'reading out of order is forbidden by --no-seek');
      }
      const bytes = await node.read(offset, length, op);
      nextRead = offset + bytes.length;
      return bytes;
    },
    async write(at, data, op) {
      mayWrite();
      await (at === 'end' ? node.append(data, op) : node.write(at, data, op));
    },
    async truncate(size) {
      mayWrite();
      await node.truncate(size);
    },
    setModTime: (modTime) => node.setModTime(modTime),
    flush: (op) => node.flush(op),
    sync: (op) => node.sync(op),
    release: released,
  };
}
