import type { FileEntry } from '../core/remote.ts';
import { formatDateTimeNs } from './time-format.ts';

/** Files of one hash as `dedupe` lists them, numbered from 1; `now` replaces unknown times. */
export function duplicatesText(hash: string, files: readonly FileEntry[], now: bigint): string {
  const lines = files.map(({ path, size, modTime = now }, i) => {
    const bytes = String(size).padStart(12);
    return `  ${i + 1}: ${bytes} bytes, ${formatDateTimeNs(modTime)}, ${path}\n`;
  });
  return `${hash}: ${files.length} duplicates\n${lines.join('')}`;
}
