import { type Key, keysOfText, namedKey, pasteKey } from './key.ts';

const SEQUENCE = /\x1b(?:\[200~([\s\S]*?)(?:\x1b\[201~|$)|\[([0-9;?]*[ -/]*[@-~])|O([A-Z]))/g;

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

/** The start of a paste that has not ended yet, or the beginning of its mark. */
const OPEN_PASTE = /\x1b\[200~(?![\s\S]*\x1b\[201~)|\x1b\[20{0,2}$/;
const CTRL_C = '\x03';

/** Joins pastes that come in several pieces of input. */
export class WholePastes {
  #held = '';

  /** The input without a paste that has no end yet. A paste whose end was lost must not swallow Ctrl-C, which drops it. */
  push(input: string): string {
    const joined = this.#held + input;
    const open = joined.search(OPEN_PASTE);
    this.#held = '';
    if (open < 0) return joined;
    const ctrlC = joined.lastIndexOf(CTRL_C);
    if (ctrlC > open) return joined.slice(0, open) + this.push(joined.slice(ctrlC));
    this.#held = joined.slice(open);
    return joined.slice(0, open);
  }
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
