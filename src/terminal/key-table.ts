import { ctrlKey, type Key, type KeyName, namedKey, textKey } from './key.ts';
import type { Glyphs, Look } from './look.ts';
import type { Line } from './span.ts';

/** Keys and what they do, as the footer and the help show it. */
export interface KeyHint {
  /** As the help shows them: `d`, `Enter → l`, `↑↓ jk`, `1…9`, `Ctrl-Z`, `any key`. */
  readonly keys: string;
  /** As the footer shows them, where that is shorter; `''`: only the help shows them. */
  readonly short?: string;
  /** In one to three words, for the footer. */
  readonly does: string;
  /** In a sentence, for the help; default: `does`. */
  readonly more?: string;
}

/**
 * A row of a key table: `keys` is what the help shows and what the dispatch reads. Besides keys it may hold `type` (any
 * character), `paste`, or be `any key`; rows with exact keys come before these. A row whose `does` is `''` is not shown.
 */
export interface KeyRule<Run> extends KeyHint {
  /** More keys that do the same; `more` names them. */
  readonly also?: string;
  /** It confirms what is asked: it counts only as `ReadQuestion` says. */
  readonly confirms?: true;
  /**
   * It counts only alone, on a screen that could be read: amid other keys it is text that was typed for the shell.
   * `or-again`: also several times, and as soon as the screen is there.
   */
  readonly alone?: true | 'or-again';
  /** `ActionScreen` opens this over the screen. */
  readonly opens?: 'actions' | 'help';
  /** Of the row that opens the help: what stands there below the keys. */
  readonly below?: (columns: number, look: Pick<Look, 'glyphs'>) => readonly Line[];
  /** It ends the screen as Ctrl-C ends a run. */
  readonly interrupts?: true;
  /** What is typed now is a text and not single keys. */
  readonly types?: true;
  readonly run: Run;
}

/**
 * A key sooner than this after a question or another key, in milliseconds, is part of what was being typed, and no answer
 * to what is on the screen.
 */
export const READ_MS = 200;

/** The keys of rows that leave a screen, or a question without an answer. */
export const QUIT_KEYS: readonly string[] = ['Esc', 'q'];

/** The keys of rows that are No to a question. */
export const NO_KEYS: readonly string[] = ['n', 'any key'];

/** A row of a key table; `more` may be `''`. */
export function row<Run>(
  keys: string,
  does: string,
  more: string,
  run: Run,
  rest: Pick<KeyRule<Run>, 'also' | 'short' | 'confirms' | 'alone'> = {},
): KeyRule<Run> {
  return { keys, does, ...(more === '' ? {} : { more }), run, ...rest };
}

const NAMES: Readonly<Record<Exclude<KeyName, 'text'>, string>> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  'page-up': 'PgUp',
  'page-down': 'PgDn',
  home: 'Home',
  end: 'End',
  enter: 'Enter',
  escape: 'Esc',
  tab: 'Tab',
  backspace: 'Backspace',
  delete: 'Del',
  paste: 'paste',
};

const WORDS: ReadonlySet<string> = new Set([...Object.values(NAMES), 'Space', 'Shift-Tab', 'type']);
const ANY = 'any key';

/** The name of a key in key tables: `Enter`, `Space`, `^L`, `a`. */
export function keyName({ name, text, ctrl, shift }: Key): string {
  if (name !== 'text') return name === 'tab' && shift ? 'Shift-Tab' : NAMES[name];
  if (ctrl) return `^${text.toUpperCase()}`;
  return text === ' ' ? 'Space' : text;
}

/** The key of a name in key tables. */
export function keyNamed(name: string): Key {
  const entry = Object.entries(NAMES).find(([, shown]) => shown === name);
  if (entry !== undefined) return namedKey(entry[0] as Parameters<typeof namedKey>[0]);
  if (name === 'Shift-Tab') return namedKey('tab', true);
  if (name.length > 1 && name.startsWith('^')) return ctrlKey(name.slice(1).toLowerCase());
  return textKey(name === 'Space' ? ' ' : name);
}

/** The names of the keys in `keys` or `also` of a row, each once. */
export function keysIn(shown: string): readonly string[] {
  if (shown === ANY) return [ANY];
  const names = shown.split(' ').flatMap((word) => {
    if (WORDS.has(word)) return [word];
    const ctrl = /^(?:\^|Ctrl-)(.)$/.exec(word)?.[1];
    if (ctrl !== undefined) return [`^${ctrl}`];
    const [, first, last] = /^([\da-z])[…-]([\da-z])$/.exec(word) ?? [];
    if (first === undefined || last === undefined) return [...word];
    const from = first.charCodeAt(0);
    return Array.from({ length: last.charCodeAt(0) - from + 1 }, (_, at) =>
      String.fromCharCode(from + at),
    );
  });
  return [...new Set(names)];
}

/** The row that takes a key. */
export function ruleOf<Rule extends KeyRule<unknown>>(
  table: readonly Rule[],
  key: Key,
): Rule | undefined {
  const has = (wanted: string) =>
    table.find(({ keys, also = '' }) => [keys, also].some((all) => keysIn(all).includes(wanted)));
  const isTyped = key.name === 'text' && !key.ctrl;
  return has(keyName(key)) ?? (isTyped ? has('type') : undefined) ?? has(ANY);
}

/** What the footer shows of a table: keys in short, and what they do. */
export function footerKeys(table: readonly KeyHint[]): readonly KeyHint[] {
  return table
    .filter(({ short, does }) => short !== '' && does !== '')
    .map(({ keys, short = keys, does }) => ({ keys: short, does }));
}

/** What the help shows of a table: keys, and what they do in a sentence. */
export function helpKeys(table: readonly KeyHint[]): readonly KeyHint[] {
  return table
    .filter(({ does }) => does !== '')
    .map(({ keys, does, more = does }) => ({ keys, does: more }));
}

/** The keys of a table whose names have the typed words, in the order of the table. */
export function actionsIn(table: readonly KeyHint[], typed: string) {
  const words = typed.toLowerCase().split(' ');
  return table.flatMap(({ keys, does, more = does }) => {
    const [key = '', second] = keysIn(keys);
    // Several keys are directions or numbers: one of them alone says nothing.
    if (
      does === '' ||
      second !== undefined ||
      key === 'any key' ||
      [':', '^C', '^\\'].includes(key)
    )
      return [];
    const name = more.replace(/; also .*$/, '');
    const text = `${name} ${does}`.toLowerCase();
    return words.every((word) => text.includes(word)) ? [{ key, name }] : [];
  });
}

/** A text of ours as this terminal can show it: arrows by name and `…` as dots where it has no characters for them. */
export function spelled(text: string, { up, down }: Pick<Glyphs, 'up' | 'down'>): string {
  if (up === '↑' && down === '↓') return text;
  return text
    .replace(/([↑↓←→])(?=[↑↓←→])/g, '$1/')
    .replace(/[↑↓←→]/g, (arrow) => ['Up', 'Down', 'Left', 'Right']['↑↓←→'.indexOf(arrow)] ?? arrow)
    .replaceAll('…', '...');
}

/** The row of a text that is typed: of all keys that no other row takes. */
export function typing<Run>(run: Run): KeyRule<Run> {
  return { keys: 'any key', does: '', types: true, run };
}

const nothing = (() => undefined) as never;

/** The row for Ctrl-C, where it does no more than end the screen. */
export const CTRL_C: KeyRule<never> = {
  ...row('Ctrl-C', 'quit', 'quit immediately', nothing, { short: '' }),
  interrupts: true,
};

/** The row of `:` in the tables of lists and forms; a question has none, as what is asked must stay in sight. */
export const ACTIONS: KeyRule<never> = {
  ...row(':', 'actions', 'find an action by its name', nothing),
  opens: 'actions',
};

/** The row for what all keys do. */
export const HELP: KeyRule<never> = {
  ...row('?', 'keys', 'show or hide this page', nothing),
  opens: 'help',
};
