import type { KeyHint } from '../screen/key-table.ts';

/** The keys of a review, the most important first. */
export const REVIEW_HINTS: readonly KeyHint[] = [
  { keys: 'a', does: 'apply', more: 'apply everything shown except what is excluded' },
  {
    keys: 'Space',
    does: 'exclude',
    more: 'exclude or include this change or directory',
  },
  {
    keys: '/',
    does: 'filter',
    more: 'show only paths that contain a text; only these are applied',
  },
  { keys: 'd', does: 'deletes', more: 'show deletions only, or all' },
  { keys: '?', does: 'keys', more: 'this list' },
  { keys: 'q', does: 'quit', more: 'quit without changing anything (also Ctrl-C)' },
  { keys: '↑↓ jk', does: 'move', more: 'move; also PgUp, PgDn, g and G' },
  { keys: '→ l', does: 'expand', more: 'expand a directory' },
  { keys: '← h', does: 'collapse', more: 'collapse a directory, or go to its parent' },
  { keys: 'Enter', does: 'expand', more: 'expand or collapse' },
  { keys: '[ ]', does: 'collapse all', more: 'collapse all, expand all' },
  { keys: 'Esc', does: 'show all', more: 'clear the filter' },
];
