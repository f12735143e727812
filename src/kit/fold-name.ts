/**
 * Equal for names that differ only in case: each letter in lower case by itself, as in rclone. `toLowerCase` of a
 * whole word changes a final Σ.
 */
export function foldName(name: string): string {
  return name.replaceAll('\u03a3', '\u03c3').toLowerCase();
}
