import { writeFile } from 'node:fs/promises';
import { mountedAt } from './mount-table.ts';

/** How far the kernel reads ahead by itself, in bytes. */
const USUAL = 128 * 1024;

/**
 * Lets the kernel read further ahead than it does by itself, which only root may. A wish that cannot be fulfilled is no
 * failure: reads then come in smaller pieces.
 */
export async function raiseReadAhead(mountPoint: string, bytes: number): Promise<void> {
  if (bytes <= USUAL) return;
  const place = await mountedAt(mountPoint);
  if (place === undefined) return;
  try {
    const setting = `/sys/class/bdi/${place.device}/read_ahead_kb`;
    await writeFile(setting, String(Math.floor(bytes / 1024)));
  } catch {
    // Not root, or no /sys.
  }
}
