import { isCtrl, type Key, typed } from './key.ts';

/** A text being typed, and where the cursor stands: before the UTF-16 unit `cursor`. */
export interface EditedText {
  readonly text: string;
  readonly cursor: number;
}

const graphemes = new Intl.Segmenter();

/** A text with the cursor at its end. */
export const editText = (text: string): EditedText => ({ text, cursor: text.length });

/** What all the texts begin with. */
export function commonStart([first = '', ...rest]: readonly string[]): string {
  let common = first;
  for (const text of rest) while (!text.startsWith(common)) common = common.slice(0, -1);
  return common;
}

/** The text after a key of readline: arrows, Home, End, Ctrl-A, E, B, F, U, K, W, D, H; `undefined` after any other. */
export function editByKey(edited: EditedText, key: Key): EditedText | undefined {
  const { text, cursor } = edited;
  const character = key.name === 'paste' ? key.text : typed(key);
  if (character !== undefined) {
    const added = text.slice(0, cursor) + character + text.slice(cursor);
    return { text: added, cursor: cursor + character.length };
  }
  if (key.name === 'left' || isCtrl(key, 'b')) return { text, cursor: before(text, cursor) };
  if (key.name === 'right' || isCtrl(key, 'f')) return { text, cursor: after(text, cursor) };
  if (key.name === 'home' || isCtrl(key, 'a')) return { text, cursor: 0 };
  if (key.name === 'end' || isCtrl(key, 'e')) return { text, cursor: text.length };
  if (key.name === 'backspace' || isCtrl(key, 'h'))
    return remove(text, before(text, cursor), cursor);
  if (key.name === 'delete' || isCtrl(key, 'd')) return remove(text, cursor, after(text, cursor));
  if (isCtrl(key, 'u')) return remove(text, 0, cursor);
  if (isCtrl(key, 'k')) return remove(text, cursor, text.length);
  if (!isCtrl(key, 'w')) return undefined;
  const wordStart = text.slice(0, cursor).replace(/\S*\s*$/, '').length;
  return remove(text, wordStart, cursor);
}

function remove(text: string, from: number, to: number): EditedText {
  return { text: text.slice(0, from) + text.slice(to), cursor: from };
}

function before(text: string, cursor: number): number {
  let start = 0;
  for (const { index } of graphemes.segment(text)) if (index < cursor) start = index;
  return start;
}

function after(text: string, cursor: number): number {
  const [next] = graphemes.segment(text.slice(cursor));
  return cursor + (next?.segment.length ?? 0);
}
