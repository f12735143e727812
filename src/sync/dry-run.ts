import { formatSize } from '../core/byte-size.ts';

/** The line that says what `--dry-run` left undone, as rclone words it; `size` in bytes where there is one. */
export function skippedMessage(action: string, size?: number): string {
  const suffix = size === undefined || size < 0 ? '' : ` (size ${formatSize(size)})`;
  return `Skipped ${action} as --dry-run is set${suffix}`;
}
