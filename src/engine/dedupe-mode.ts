import { SyncerError } from '../core/errors.ts';

/** What to do with files of the same content. */
export const DEDUPE_MODES = [
  'interactive',
  'skip',
  'first',
  'newest',
  'oldest',
  'largest',
  'smallest',
  'rename',
  'list',
] as const;

/** One of `DEDUPE_MODES`. */
export type DedupeMode = (typeof DEDUPE_MODES)[number];

/** Parses a mode, in any case. Throws `usage` for other words. */
export function parseDedupeMode(text: string): DedupeMode {
  const found = DEDUPE_MODES.find((mode) => mode === text.toLowerCase());
  if (found !== undefined) return found;
  const known = DEDUPE_MODES.join(', ');
  throw new SyncerError('usage', `unknown mode for dedupe "${text}" (known are ${known})`);
}
