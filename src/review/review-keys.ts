import type { KeyHint } from '../screen/key-table.ts';

/** The keys of a review, the most important first. */
export const REVIEW_HINTS: readonly KeyHint[] = [
  { keys: 'a', does: 'apply', more: 'apply exactly what is shown and not dropped' },
  {
    keys: 'Space',
    does: 'drop',
    more: 'drop this change or all in this folder; again: take it in',
  },
  { keys: '/', does: 'filter', more: 'show only paths that hold a text; only these are applied' },
  { keys: 'd', does: 'deletes', more: 'show only what is deleted; again: all' },
  { keys: '?', does: 'keys', more: 'this list' },
  { keys: 'q', does: 'leave', more: 'leave; nothing is changed (Ctrl-C does the same)' },
  { keys: '↑↓ jk', does: 'move', more: 'move; PgUp, PgDn, g and G go further' },
  { keys: '→ l', does: 'unfold', more: 'unfold a folder' },
  { keys: '← h', does: 'fold', more: 'fold a folder, or go to the one above' },
  { keys: 'Enter', does: 'fold', more: 'fold or unfold' },
  { keys: '[ ]', does: 'fold all', more: 'fold all, unfold all' },
  { keys: 'Esc', does: 'show all', more: 'show all again' },
];
