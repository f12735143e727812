import type { KeyHint } from '../../screen/key-table.ts';
import type { HooksState } from './hooks-state.ts';

const MOVE: KeyHint = {
  keys: '↑↓',
  does: 'move',
  more: 'move; also j and k, PgUp and PgDn, Home and End',
};
const OPEN: KeyHint = {
  keys: 'Enter',
  does: 'open',
  more: 'open the item at the cursor; also → and l',
};
const AGAIN: KeyHint = {
  keys: 'r',
  does: 'run again',
  more: 'run the command again with the same request (asks first)',
};
const BACK: KeyHint = { keys: 'Esc', does: 'back', more: 'go back; also ← and h' };
const HELP: KeyHint = { keys: '?', does: 'keys', more: 'show or hide this page' };
const ALL: KeyHint = { keys: 'a', does: 'all runs', more: 'show the runs of all hooks' };
const QUIT: KeyHint = { keys: 'q', does: 'quit', more: 'quit; elsewhere go back' };
const FOLLOW: KeyHint = { keys: 'f', does: 'follow', more: 'follow the output' };
const SCROLL: KeyHint = { ...MOVE, does: 'scroll' };

/** The keys that work now, the most important first. */
export function hooksKeys({ page, before, asked }: HooksState): readonly KeyHint[] {
  if (asked !== undefined) {
    return [
      { keys: 'y', does: 'run again' },
      { keys: 'n', does: 'cancel' },
    ];
  }
  switch (page === 'keys' ? before : page) {
    case 'hooks':
      return [OPEN, MOVE, QUIT, HELP, AGAIN, ALL];
    case 'runs':
      return [OPEN, MOVE, BACK, HELP, AGAIN, ALL];
    case 'run':
      return [SCROLL, FOLLOW, AGAIN, BACK, HELP];
  }
}
