import { type Key as InkKey, useInput, usePaste } from 'ink';
import {
  ctrlKey,
  type Key,
  type KeyName,
  keysOfText,
  namedKey,
  pasteKey,
} from '../../src/terminal/key.ts';

/** Calls `press` with every key and every pasted text, in the order they came. */
export function useKeys(press: (key: Key) => void): void {
  useInput((input, key) => {
    for (const pressed of keysOf(input, key)) press(pressed);
  });
  usePaste((text) => press(pasteKey(text)));
}

const NAMED: readonly (readonly [keyof InkKey, Exclude<KeyName, 'text' | 'paste'>])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'page-up'],
  ['pageDown', 'page-down'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
];

/** What Ink says of one chunk of input, as keys. Escape and a key that follow quickly come as one with `meta`. */
export function keysOf(input: string, key: InkKey): readonly Key[] {
  for (const [property, name] of NAMED) {
    if (key[property] !== true) continue;
    const pressed = namedKey(name, key.shift);
    // Pressed twice quickly, Escape comes as one as well.
    return name === 'escape' && key.meta ? [pressed, pressed] : [pressed];
  }
  if (key.ctrl) return input === '' ? [] : [ctrlKey(input.toLowerCase())];
  const keys = keysOfText(input);
  return key.meta && keys.length > 0 ? [namedKey('escape'), ...keys] : keys;
}
