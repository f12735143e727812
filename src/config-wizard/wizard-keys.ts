import type { KeyHint } from '../screen/key-table.ts';
import { MENU_ID } from './menu-script.ts';
import type { WizardState } from './wizard-state.ts';

const SECTION: KeyHint = {
  keys: 'Tab',
  does: 'preview',
  more: 'preview the section to be written, and the equivalent command',
};
const REVEAL: KeyHint = { keys: '^R', does: 'secrets', more: 'show or hide secrets' };
const BACK: KeyHint = { keys: 'Esc', does: 'back', more: 'go back one question; answers are kept' };
const LEAVE: KeyHint = {
  keys: '^C',
  does: 'cancel',
  more: 'quit immediately; unconfirmed changes are discarded',
};

/** The keys that work now, the most important first. */
export function keysNow(state: WizardState): readonly KeyHint[] {
  if (state.page === 'keys') return [{ keys: 'any key', does: 'back' }];
  if (state.page === 'section')
    return [{ keys: '↑↓', does: 'scroll' }, REVEAL, { keys: 'Tab', does: 'back' }];
  const { step } = state.conversation;
  if (step.kind !== 'ask') return [{ keys: 'Esc', does: 'cancel' }, LEAVE];
  const { question, draft } = step;
  const section = draft === undefined ? [] : [SECTION];
  const reveal = question.secret || draft !== undefined ? [REVEAL] : [];
  switch (question.kind) {
    case 'text':
      return [take('select'), BACK, ...section, ...reveal, keys('^G'), LEAVE];
    case 'token':
      return [{ keys: 'paste', does: 'token' }, take('select'), BACK, ...reveal, keys('^G'), LEAVE];
    case 'letters':
      return [
        { keys: '↑↓', does: 'move' },
        take('select'),
        ...(question.id === MENU_ID ? [] : [BACK]),
        ...section,
        keys('?'),
        LEAVE,
      ];
    case 'list':
      return [
        { keys: '↑↓', does: 'move' },
        { keys: 'type', does: 'search' },
        take('select'),
        BACK,
        ...section,
        keys('^G'),
        LEAVE,
      ];
  }
}

/** All keys of the wizard. */
export const ALL_KEYS: readonly KeyHint[] = [
  { keys: '↑ ↓ k j', does: 'move', more: 'move in a list; also PgUp, PgDn, Home, End' },
  { keys: '0-9', does: 'number', more: 'move to the item with that number' },
  {
    keys: 'a-z',
    does: 'letter',
    more: 'select the item with that letter; in other lists, search',
  },
  { keys: '/', does: 'search', more: 'search, also for text that starts with j or k' },
  { keys: 'Enter', does: 'select', more: 'accept the item at the cursor, or the typed text' },
  { keys: 'y n', does: 'answer', more: 'answer yes or no' },
  BACK,
  SECTION,
  REVEAL,
  {
    keys: '^A ^E ^W ^U',
    does: 'edit',
    more: 'start, end, delete a word, delete to the start',
  },
  { keys: '? ^G', does: 'keys', more: 'this page' },
  LEAVE,
];

function take(does: string): KeyHint {
  return { keys: 'Enter', does };
}

function keys(shown: string): KeyHint {
  return { keys: shown, does: 'keys' };
}
