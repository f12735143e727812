import { SyncerError } from '../core/errors.ts';
import type { FileEntry } from '../core/remote.ts';
import type { FileWork } from './file-work.ts';

/**
 * Moves a file to a name that its remote treats as the same: only by a server-side move, as a copy would be written
 * onto the file, and deleting the old name would delete both. Errors are counted.
 */
export async function renameCase(work: FileWork, file: FileEntry, path: string): Promise<void> {
  const { run, source, dest } = work;
  try {
    const change = { action: 'move', about: file.path, size: file.size, dest: file, to: path };
    if (!(await run.mayChange(change))) return;
    const moved = await dest.can.moveFrom?.(source, file, path, run.op);
    if (moved === undefined) {
      const text = `can't rename "${file.path}" to "${path}": they are the same file, and the store cannot rename it`;
      throw new SyncerError('unsupported', text, { path: file.path });
    }
    run.context.emit({ type: 'renamed', files: 1 });
    run.log('info', file.path, 'moved', { to: path });
  } catch (thrown) {
    run.fail(thrown, file.path, 'move');
  }
}
