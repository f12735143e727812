import { type Key, keysOfText, namedKey, pasteKey } from './key.ts';
import { TerminalInput } from './terminal-input.ts';

const SEQUENCE =
  /\x1b(?:\[200~([\s\S]*?)(?:\x1b\[201~|$)|\[(\[.|[235678]\$|[0-?]*[ -/]*[@-~])|O([\d;]*[@-~]))/g;

const NAMED: Readonly<Record<string, Key>> = {
  A: namedKey('up'),
  B: namedKey('down'),
  C: namedKey('right'),
  D: namedKey('left'),
  H: namedKey('home'),
  F: namedKey('end'),
  '1~': namedKey('home'),
  '4~': namedKey('end'),
  '3~': namedKey('delete'),
  '5~': namedKey('page-up'),
  '6~': namedKey('page-down'),
};

/** What was typed in a line that a terminal gave whole: without its answers to other programs, arrows and the like, with Escape. */
export function withoutSequences(line: string): string {
  const input = new TerminalInput(0, () => 0);
  const whole = input.push(line).filter((part) => typeof part === 'string');
  return [...whole, input.flush()].join('').replace(SEQUENCE, (_, pasted: string = '') => pasted);
}

/** The keys in one piece of raw input from a terminal. Sequences that stand for no key known here are left out. */
export function keysOfInput(input: string): readonly Key[] {
  const keys: Key[] = [];
  let from = 0;
  for (const match of input.matchAll(SEQUENCE)) {
    const [whole, pasted, control, application] = match;
    keys.push(...keysOfText(input.slice(from, match.index)));
    from = match.index + whole.length;
    const named = NAMED[control ?? application ?? ''];
    if (pasted !== undefined) keys.push(pasteKey(pasted));
    else if (named !== undefined) keys.push(named);
  }
  return [...keys, ...keysOfText(input.slice(from))];
}
