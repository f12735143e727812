import type { KeyHint } from '../screen/key-table.ts';
import { MENU_ID } from './menu-script.ts';
import type { WizardState } from './wizard-state.ts';

const SECTION: KeyHint = {
  keys: 'Tab',
  does: 'section',
  more: 'show the section that will be written, and the command that does the same',
};
const REVEAL: KeyHint = { keys: '^R', does: 'secrets', more: 'show or hide secrets' };
const BACK: KeyHint = { keys: 'Esc', does: 'back', more: 'one question back; everything is kept' };
const LEAVE: KeyHint = {
  keys: '^C',
  does: 'leave',
  more: 'leave at once; what was not confirmed is not written',
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
      return [take('take it'), BACK, ...section, ...reveal, keys('^G'), LEAVE];
    case 'token':
      return [
        { keys: 'paste', does: 'the login' },
        take('take it'),
        BACK,
        ...reveal,
        keys('^G'),
        LEAVE,
      ];
    case 'letters':
      return [
        { keys: '↑↓', does: 'move' },
        take('take it'),
        ...(question.id === MENU_ID ? [] : [BACK]),
        ...section,
        keys('?'),
        LEAVE,
      ];
    case 'list':
      return [
        { keys: '↑↓', does: 'move' },
        { keys: 'type', does: question.exclusive ? 'search' : 'a value' },
        take('take it'),
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
  { keys: '0-9', does: 'number', more: 'move to the item of that number' },
  {
    keys: 'a-z',
    does: 'letter',
    more: 'where items have letters, take one; in other lists, search',
  },
  { keys: '/', does: 'search', more: 'search also for what begins with j or k' },
  { keys: 'Enter', does: 'take', more: 'take what the cursor is on, or what was typed' },
  { keys: 'y n', does: 'answer', more: 'answer yes or no at once' },
  BACK,
  SECTION,
  REVEAL,
  {
    keys: '^A ^E ^W ^U',
    does: 'edit',
    more: 'begin, end, delete a word, delete all before the cursor',
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
