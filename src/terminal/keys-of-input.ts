import { type Key, keysOfText, namedKey, pasteKey, textKey } from './key.ts';
import { TerminalInput } from './terminal-input.ts';

const SEQUENCE =
  /\x1b(?:\[200~([\s\S]*?)(?:\x1b\[201~|$)|\[(\[\d~|\[.|[235678]\$|[0-?]*[ -/]*[@-~])|O([\d;]*[@-~]))/g;

const NAMED: Readonly<Record<string, Key>> = {
  A: namedKey('up'),
  B: namedKey('down'),
  C: namedKey('right'),
  D: namedKey('left'),
  H: namedKey('home'),
  F: namedKey('end'),
  Z: namedKey('tab', true),
  '1~': namedKey('home'),
  '4~': namedKey('end'),
  '7~': namedKey('home'),
  '8~': namedKey('end'),
  '3~': namedKey('delete'),
  '5~': namedKey('page-up'),
  '6~': namedKey('page-down'),
};

/** The characters of the keypad in application mode, by the ends of its sequences, from `j` on. */
const KEYPAD = '*+,-./0123456789';

/** The key of the keypad in application mode that the end of `ESC O` stands for. */
function keypadKey(end: string): Key | undefined {
  if (end === 'M') return namedKey('enter');
  if (end === 'I') return namedKey('tab');
  const character = end === 'X' ? '=' : KEYPAD[end.charCodeAt(0) - 0x6a];
  return character === undefined ? undefined : textKey(character);
}

/** What was typed in a line that a terminal gave whole: without its answers to other programs, arrows and the like, with Escape. */
export function withoutSequences(line: string): string {
  const input = new TerminalInput(0, () => 0);
  const whole = input.push(line).filter((part) => typeof part === 'string');
  const text = [...whole, input.flush()].join('');
  return text.replace(SEQUENCE, (_, pasted?: string, _control?: string, application?: string) => {
    return pasted ?? keypadKey(application?.at(-1) ?? '')?.text ?? '';
  });
}

/**
 * The keys in one piece of raw input from a terminal. Sequences that stand for no key known here are left out; Alt with
 * Enter, Tab or Backspace is that key.
 */
export function keysOfInput(raw: string): readonly Key[] {
  const input = raw.replace(/\x1b(?=[\b\t\r\x7f])/g, '');
  const keys: Key[] = [];
  let from = 0;
  for (const match of input.matchAll(SEQUENCE)) {
    const [whole, pasted, control, application] = match;
    for (const key of keysOfText(input.slice(from, match.index))) keys.push(key);
    from = match.index + whole.length;
    // Without its modifiers: Ctrl with an arrow is the arrow. Some terminals write them as its end.
    const plain = (control ?? application ?? '')
      .replace(/^\[(?=\d)|^1?;\d+(?=[A-Z])|;\d+(?=~)/, '')
      .replace(/[\^$]$/, '~')
      .replace(/^[a-d]$/, (arrow) => arrow.toUpperCase());
    const keypad = application === undefined ? undefined : keypadKey(application.at(-1) ?? '');
    const named = keypad ?? NAMED[plain];
    if (pasted !== undefined) keys.push(pasteKey(pasted));
    else if (named !== undefined) keys.push(named);
  }
  return [...keys, ...keysOfText(input.slice(from))];
}
