import type { Flags } from './flag-table.ts';

/** Whether standard input is read as a list of files or filters (`--files-from -`). */
export function readsInput(flags: Flags): boolean {
  return Object.values(flags).some((value) => Array.isArray(value) && value.includes('-'));
}
