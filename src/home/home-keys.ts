import type { KeyHint } from '../screen/key-table.ts';

const MOVE: KeyHint = { keys: '↑↓', does: 'move', more: 'move; also j and k, PgUp and PgDn' };
const OPEN: KeyHint = { keys: 'Enter', does: 'open', more: 'open the item at the cursor' };
const BACK: KeyHint = { keys: 'Esc', does: 'back', more: 'go back; also ←' };
const QUIT: KeyHint = { keys: 'q', does: 'quit', more: 'quit; inside a list go back' };
const HELP: KeyHint = { keys: '?', does: 'keys', more: 'show or hide this page' };

/** Keys of the list of remotes and of the last runs. */
export const LIST_KEYS: readonly KeyHint[] = [
  OPEN,
  MOVE,
  QUIT,
  HELP,
  { keys: 'n', does: 'new remote' },
  { keys: 'h', does: 'history' },
  { keys: 'g', does: 'configuration' },
  { keys: '1…9', does: 'go to remote', more: 'go to the remote with that number' },
  BACK,
];

/** Keys of the menu of one remote. */
export const ACTION_KEYS: readonly KeyHint[] = [OPEN, BACK, MOVE, HELP];

/** Keys while texts are asked for. */
export const ASK_KEYS: readonly KeyHint[] = [
  { keys: 'Enter', does: 'next, then run' },
  BACK,
  { keys: 'Tab', does: 'other field' },
];

/** Keys of one run. */
export const RUN_KEYS: readonly KeyHint[] = [
  { keys: 'r', does: 'run again', more: 'run the same command line again, in the same directory' },
  BACK,
  HELP,
];
