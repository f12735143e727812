import { MASK } from '../../src/config/dialogue/option-question.ts';
import { lacksEndMark, readPastedToken } from '../../src/config/dialogue/pasted-token.ts';
import { type Choice, numbered, type Question } from '../../src/config/dialogue/step.ts';
import { isReference } from '../../src/system/secret-reference.ts';
import { moveCursor } from '../../src/terminal/cursor-list.ts';
import type { Key } from '../../src/terminal/key.ts';
import { type KeyRule, row, typing } from '../../src/terminal/key-table.ts';
import { type Filtered, filterKeys, shownOf } from '../../src/terminal/list-filter.ts';
import { stepOf } from '../../src/terminal/list-keys.ts';
import { type EditedText, editByKey, editText } from '../../src/terminal/text-edit.ts';

/** What is being typed or chosen for a question. */
export interface WizardEntry extends Filtered {
  readonly field: EditedText;
  /** Among `visibleChoices`. */
  readonly cursor: number;
  /** The values of the choices that have a tick. */
  readonly ticked?: ReadonlySet<string>;
  /** The secret that the field began with. */
  readonly secret?: string;
}

/** What a key did to an entry. */
export type Entered =
  | { readonly entry: WizardEntry }
  /** It answers the question. */
  | { readonly answer: string }
  /** It means nothing here. */
  | undefined;

/** A key that answers a question, or changes what is entered. */
export type EntryRule = KeyRule<(name: string, key: Key) => Entered>;

/** The entry with which a question begins; `kept` is what was entered there before. */
export function beginEntry(asked: Question, kept: string | undefined): WizardEntry {
  const value = kept ?? asked.preset;
  if (asked.kind === 'text' || asked.kind === 'token') {
    const secret = asked.secret && value !== '' ? { secret: value } : {};
    return { field: editText(value), cursor: 0, ...secret };
  }
  if (asked.kind === 'ticks') {
    const ticked = new Set(value === '' ? [] : value.split('\n'));
    return { field: editText(''), cursor: 0, ticked };
  }
  const wanted = value === '' ? asked.default : value;
  // What was chosen by a letter about a remote comes back to the remote.
  const isChosen = ({ value: one, target }: Choice) =>
    one === wanted || (target !== undefined && wanted.slice(1) === `:${target}`);
  const at = asked.choices.findIndex(isChosen);
  if (at >= 0) return { field: editText(''), cursor: at };
  const field = editText(asked.kind === 'list' ? value : '');
  // A value that no choice has is the last one, to use as typed.
  const last = visibleChoices(asked, { field, cursor: 0 }).length - 1;
  return { field, cursor: value === '' ? 0 : Math.max(0, last) };
}

/** The value that is entered now, or a search that has found nothing yet. */
export function enteredValue(asked: Question, entry: WizardEntry): string {
  if (asked.kind === 'text' || asked.kind === 'token') return entry.field.text;
  if (asked.kind === 'ticks') {
    const isTicked = ({ value }: Choice) => entry.ticked?.has(value) === true;
    const ticked = asked.choices.filter(isTicked);
    return ticked.map(({ value }) => value).join('\n');
  }
  return visibleChoices(asked, entry)[entry.cursor]?.value ?? entry.field.text;
}

/** Whether what is entered is shown as dots; a reference to a secret is none. */
export function isMasked(asked: Question, { field }: WizardEntry, reveals: boolean): boolean {
  return asked.secret && !reveals && !isReference(field.text);
}

/** Whether the field shows a secret as dots, and nothing was typed yet: what is typed replaces it. */
export function isReplaced(asked: Question, entry: WizardEntry, reveals: boolean): boolean {
  return entry.secret === entry.field.text && isMasked(asked, entry, reveals);
}

/** The choices that match filter or text: first those that start with it, last the text itself if it is an answer. */
export function visibleChoices(asked: Question, entry: WizardEntry): readonly Choice[] {
  const { choices, exclusive, kind } = asked;
  const { field } = entry;
  if (hasFilter(asked))
    return shownOf(choices, entry, ({ label, help = '' }) => `${label} ${help}`);
  const text = exclusive ? field.text.replace(/^\//, '') : field.text.trim();
  const list = numbered(choices);
  if (kind !== 'list' || text === '' || isNumberOf(text, list.length)) return choices;
  const wanted = text.toLowerCase();
  const words = ({ value, label, aliases = [] }: Choice) =>
    [value, label, ...aliases].map((word) => word.toLowerCase());
  const begins = list.filter((choice) => words(choice).some((word) => word.startsWith(wanted)));
  const holds = list.filter(
    (choice) =>
      !begins.includes(choice) &&
      [...words(choice), (choice.help ?? '').toLowerCase()].some((word) => word.includes(wanted)),
  );
  const isOne = list.some((choice) => words(choice).includes(wanted));
  begins.sort((a, b) => Number(words(b).includes(wanted)) - Number(words(a).includes(wanted)));
  // The field masks a secret: its choice must not show it.
  const label = asked.secret && !isReference(text) ? MASK : text;
  const own: Choice = { value: text, label, help: 'use as typed', isEmpty: true };
  return [...begins, ...holds, ...(exclusive || isOne ? [] : [own])];
}

/** Whether `/` filters the choices: those of the menu and those with ticks; in a list what is typed searches. */
function hasFilter({ kind, choices }: Question): boolean {
  return kind === 'ticks' || choices.some(({ target }) => target !== undefined);
}

function filterRows(asked: Question, entry: WizardEntry): readonly EntryRule[] {
  if (!hasFilter(asked)) return [];
  const rowAt = (list: WizardEntry) => visibleChoices(asked, list)[list.cursor]?.value;
  const goTo = (list: WizardEntry, row: string | undefined): WizardEntry => {
    const at = visibleChoices(asked, list).findIndex(({ value }) => value === row);
    return { ...list, cursor: Math.max(0, at) };
  };
  return filterKeys(entry, { rowAt, goTo }, (changed) => ({ entry: changed }));
}

/** The keys that answer a question: arrows move, digits move to the item of that number, letters answer or search. */
export function entryKeys(
  asked: Question,
  entry: WizardEntry,
  reveals: boolean,
): readonly EntryRule[] {
  const edit = (key: Key): Entered => {
    const change = withoutLastBreak(key);
    const field = editByKey(entry.field, change);
    if (field === undefined) return undefined;
    const isWhole = isReplaced(asked, entry, reveals) && field.text !== entry.field.text;
    const whole = isWhole ? (editByKey(editText(''), change) ?? field) : field;
    return { entry: { ...entry, field: whole } };
  };
  if (entry.isFiltering) return filterRows(asked, entry);
  switch (asked.kind) {
    case 'text':
      return [
        row('Enter', 'next', 'take the text', () => ({ answer: entry.field.text })),
        ...editKeys(edit),
      ];
    case 'token': {
      const paste: EntryRule = row('paste', 'token', '', (_, key) => edit(key));
      const take = (): Entered => {
        const { text } = entry.field;
        // The text may come without marks of a paste: Enter within JSON that is not complete belongs
        // to it. Who has left out the end mark presses Enter once more.
        const hasMore = lacksEndMark(text) && !text.endsWith('\n');
        if (!hasMore && readPastedToken(text).state !== 'incomplete') return { answer: text };
        return { entry: { ...entry, field: editText(`${text}\n`) } };
      };
      return [paste, select(take), ...editKeys(edit)];
    }
    case 'letters':
      return letterKeys(asked, entry);
    case 'list':
      return listKeys(asked, entry);
    case 'ticks':
      return tickKeys(asked, entry);
  }
}

function tickKeys(asked: Question, entry: WizardEntry): readonly EntryRule[] {
  const { ticked = new Set(), cursor } = entry;
  if (asked.choices.length === 0) return [];
  const choices = visibleChoices(asked, entry);
  const tick = (): Entered => {
    const { value } = choices[cursor] ?? {};
    if (value === undefined) return undefined;
    const others = new Set(ticked);
    if (!others.delete(value)) others.add(value);
    return { entry: { ...entry, ticked: others, cursor: moveCursor(cursor, 1, choices.length) } };
  };
  const tickAll = (): Entered => {
    const shown = choices.map((choice) => choice.value);
    const isAll = shown.every((value) => ticked.has(value));
    const others = [...ticked].filter((value) => !shown.includes(value));
    return { entry: { ...entry, ticked: new Set(isAll ? others : [...others, ...shown]) } };
  };
  const take = (): Entered => ({ answer: enteredValue(asked, entry) });
  const y = row('y', `import ${ticked.size}`, 'take all that have a tick', take, {
    confirms: true,
  });
  return [
    // With a filter there are ticks that are not shown.
    ...(entry.filter === undefined ? [y] : []),
    row('Space', 'mark', 'set or clear the tick at the cursor', tick),
    row('a', 'all', 'set all ticks that are shown, or clear them', tickAll),
    moveKeys(asked, entry, ' k j'),
    ...filterRows(asked, entry),
  ];
}

function select(take: () => Entered): EntryRule {
  const more = 'accept the item at the cursor, or the typed text';
  return row('Enter', 'select', more, take);
}

/** @param isText not where letters of a list may be typed as well */
function editKeys(edit: (key: Key) => Entered, isText = true): readonly EntryRule[] {
  const run: EntryRule['run'] = (_, key) => edit(key);
  const more = 'start, end, delete a word, delete to the start';
  const others = isText ? typing(run) : row('any key', '', '', run);
  return [row('^A ^E ^W ^U', 'edit', more, run, { short: '' }), others];
}

/** Whether the answers are so few that the keys of a page scroll the question instead. */
export function isShortList({ kind, choices }: Question): boolean {
  return kind === 'letters' && choices.length <= 5;
}

function moveKeys(asked: Question, entry: WizardEntry, letters: string): EntryRule {
  const total = visibleChoices(asked, entry).length;
  const isShort = isShortList(asked);
  // A number that was typed is done with when the cursor goes elsewhere.
  const field = isNumberOf(entry.field.text, total) ? editText('') : entry.field;
  return row(
    `↑ ↓${letters}`,
    'move',
    `move in a list; also ${isShort ? '' : 'PgUp, PgDn, '}Home, End`,
    (name) => ({
      entry: { ...entry, field, cursor: moveCursor(entry.cursor, stepOf(name, 10), total) },
    }),
    { also: `${isShort ? '' : 'PgUp PgDn '}Home End`, short: '↑↓' },
  );
}

const NUMBER = {
  keys: '0-9',
  short: '',
  does: 'number',
  more: 'move to the item with that number',
};

function letterKeys(asked: Question, entry: WizardEntry): readonly EntryRule[] {
  const shown = { ...asked, choices: visibleChoices(asked, entry) };
  const chosen = shown.choices[entry.cursor];
  const letter = (name: string): Entered => {
    const choice = asked.choices.find(({ key }) => key === name.toLowerCase());
    if (choice === undefined) return undefined;
    const isAboutRemote = chosen?.target !== undefined && /^[ercd]$/.test(choice.key ?? '');
    return { answer: isAboutRemote ? `${choice.key}:${chosen.target}` : choice.value };
  };
  const digit = (name: string) => byNumber(shown, entry, entry.field.text + name, name);
  const hasNumbers = numbered(shown.choices).length > 0;
  return [
    moveKeys(asked, entry, ' k j'),
    select(() => {
      if (chosen?.needsKey === true) return undefined;
      return chosen === undefined ? undefined : { answer: chosen.value };
    }),
    ...(hasNumbers ? [{ ...NUMBER, run: digit }] : []),
    ...filterRows(asked, entry),
    ...asked.choices.flatMap(({ key, label, needsKey }) => {
      if (key === undefined) return [];
      const confirms = needsKey === true ? { confirms: true as const } : {};
      // In the menu they may be far below the remotes.
      const [word = ''] = hasFilter(asked) ? label.toLowerCase().split(' ') : [];
      const short = /^(new|delete|rename|copy|import|undo|quit)$/.test(word) ? key : '';
      const does = short === '' ? label : word;
      return [row(key, does, label, letter, { also: key.toUpperCase(), short, ...confirms })];
    }),
  ];
}

function listKeys(asked: Question, entry: WizardEntry): readonly EntryRule[] {
  const isFirst = asked.exclusive && entry.field.text === '';
  const search = (key: Key): Entered => {
    const field = editByKey(entry.field, withoutLastBreak(key));
    if (field === undefined) return undefined;
    const { text } = field;
    const count = numbered(asked.choices).length;
    const isNumber = asked.exclusive ? /^\d+$/.test(text) : isNumberOf(text, count);
    if (isNumber) return byNumber(asked, entry, text, text.slice(-1));
    return { entry: { field, cursor: text === '' ? beginEntry(asked, undefined).cursor : 0 } };
  };
  const run: EntryRule['run'] = (_, key) => search(key);
  const slash = 'search, also for text that starts with j or k';
  return [
    moveKeys(asked, entry, isFirst ? ' k j' : ''),
    row('type', 'search', 'search for the typed text', run),
    select(() => {
      const chosen = visibleChoices(asked, entry)[entry.cursor];
      return chosen === undefined ? undefined : { answer: chosen.value };
    }),
    { ...NUMBER, run },
    ...(isFirst ? [row('/', 'search', slash, run, { short: '' })] : []),
    ...editKeys(search, !isFirst),
  ];
}

/** A number that no item has starts again with its last digit. */
function byNumber(asked: Question, entry: WizardEntry, text: string, last: string): Entered {
  const list = numbered(asked.choices);
  const number = isNumberOf(text, list.length) ? text : last;
  const choice = list[Number(number) - 1];
  if (choice === undefined) return { entry };
  return { entry: { ...entry, field: editText(number), cursor: asked.choices.indexOf(choice) } };
}

function isNumberOf(text: string, count: number): boolean {
  return /^[1-9]\d*$/.test(text) && Number(text) <= count;
}

/** A line that is pasted with its end is the line. */
function withoutLastBreak(key: Key): Key {
  return key.name === 'paste' ? { ...key, text: key.text.replace(/\n+$/, '') } : key;
}
