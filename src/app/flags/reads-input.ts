import type { Flags } from './flag-table.ts';

/** Whether a list of files or filters comes by standard input (`--files-from -`), which then is for nothing else. */
export function readsInput(flags: Flags): boolean {
  return Object.values(flags).some((value) => Array.isArray(value) && value.includes('-'));
}
