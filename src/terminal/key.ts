/** Keys with a name of their own; all others are `text`. */
export type KeyName =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'enter'
  | 'escape'
  | 'tab'
  | 'backspace'
  | 'delete'
  | 'text'
  | 'paste';

/** One press of a key, or a whole text that was pasted. */
export interface Key {
  readonly name: KeyName;
  /** The character of `text` (with `ctrl`: the letter), the whole text of `paste`, otherwise `''`. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly shift: boolean;
}

/** What the mouse did, at a place counted from 0. */
export interface MouseAct {
  readonly kind: 'click' | 'wheel-up' | 'wheel-down';
  readonly column: number;
  readonly row: number;
}

/** A key with a name. */
export function namedKey(name: Exclude<KeyName, 'text' | 'paste'>, shift = false): Key {
  return { name, text: '', ctrl: false, shift };
}

/** A key that types a character. */
export const textKey = (text: string): Key => ({ name: 'text', text, ctrl: false, shift: false });

/** Ctrl with a letter. */
export function ctrlKey(letter: string): Key {
  return { name: 'text', text: letter, ctrl: true, shift: false };
}

/** A text that the terminal says was pasted. Its ends of lines are `\n`. */
export function pasteKey(text: string): Key {
  return { name: 'paste', text: text.replace(/\r\n?/g, '\n'), ctrl: false, shift: false };
}

/** Whether the key is Ctrl with that letter. */
export const isCtrl = (key: Key, letter: string): boolean => key.ctrl && key.text === letter;

/** The character that was typed; `undefined` for every other key. */
export function typed(key: Key): string | undefined {
  return key.name === 'text' && !key.ctrl ? key.text : undefined;
}

const CONTROL_KEYS: Readonly<Record<string, Key>> = {
  '\r': namedKey('enter'),
  '\r\n': namedKey('enter'),
  '\n': namedKey('enter'),
  '\t': namedKey('tab'),
  '\b': namedKey('backspace'),
  '\x7f': namedKey('backspace'),
  '\x1b': namedKey('escape'),
};

const graphemes = new Intl.Segmenter();

/** The keys in text without escape sequences, as a terminal sends them. Keys pressed quickly arrive together. */
export function keysOfText(text: string): readonly Key[] {
  return Array.from(graphemes.segment(text), ({ segment }) => {
    const code = segment.charCodeAt(0);
    const other = code < 0x20 ? ctrlKey(String.fromCharCode(code + 0x60)) : textKey(segment);
    return CONTROL_KEYS[segment] ?? other;
  });
}
