/**
 * The form in which names that differ only in case are equal: each letter in lower case by itself, as in rclone.
 * `String.prototype.toLowerCase` alone makes of a Σ something else at the end of a word than within it.
 */
export function foldName(name: string): string {
  return name.replaceAll('\u03a3', '\u03c3').toLowerCase();
}
