import { type Key, typed } from '../screen/key.ts';
import { moveCursor } from '../screen/scroll.ts';
import { type EditedText, editByKey, editText } from '../screen/text-edit.ts';
import { lacksEndMark, readPastedToken } from './pasted-token.ts';
import type { Choice, Question } from './step.ts';
import { numbered } from './typed-answer.ts';

/** What is being typed or chosen for a question. */
export interface WizardEntry {
  readonly field: EditedText;
  /** Among `visibleChoices`. */
  readonly cursor: number;
}

/** What a key did to an entry. */
export type Entered =
  | { readonly entry: WizardEntry }
  /** It answers the question. */
  | { readonly answer: string }
  /** It means nothing here. */
  | undefined;

/** How far a page of a list is. */
const PAGE = 10;

/** The entry with which a question begins; `kept` is what was entered there before. */
export function beginEntry(asked: Question, kept: string | undefined): WizardEntry {
  const value = kept ?? asked.preset;
  if (asked.kind === 'text' || asked.kind === 'token') return { field: editText(value), cursor: 0 };
  const wanted = value === '' ? asked.default : value;
  const at = asked.choices.findIndex((choice) => choice.value === wanted);
  if (at >= 0) return { field: editText(''), cursor: at };
  return { field: editText(asked.kind === 'list' ? value : ''), cursor: 0 };
}

/** What would be kept of an entry that was not given as an answer: the value, or a search that has found nothing yet. */
export function keptOf(asked: Question, entry: WizardEntry): string {
  if (asked.kind === 'text' || asked.kind === 'token') return entry.field.text;
  const { text } = entry.field;
  const isSearch = text !== '' && entry.cursor === 0 && !isNumberOf(text, asked.choices.length);
  return isSearch ? text : (visibleChoices(asked, entry)[entry.cursor]?.value ?? text);
}

/** The value that is entered now, for what is shown beside. */
export function enteredValue(asked: Question, entry: WizardEntry): string {
  if (asked.kind === 'text' || asked.kind === 'token') return entry.field.text;
  return visibleChoices(asked, entry)[entry.cursor]?.value ?? entry.field.text;
}

/**
 * The choices that fit what is typed: those that begin with it come first. A text that is none of them can be taken as
 * it is, where that is an answer.
 */
export function visibleChoices(asked: Question, { field }: WizardEntry): readonly Choice[] {
  const { choices, exclusive, kind } = asked;
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
  const own: Choice = { value: text, label: text, help: 'use as typed', isEmpty: true };
  return [...(exclusive || isOne ? [] : [own]), ...begins, ...holds];
}

/** Takes a key. Arrows move, digits move to the item of that number, letters answer or are typed, Enter takes. */
export function enterKey(asked: Question, entry: WizardEntry, key: Key): Entered {
  switch (asked.kind) {
    case 'text':
      return enterText(entry, key);
    case 'token':
      return enterToken(entry, key);
    case 'letters':
      return enterLetter(asked, entry, key);
    case 'list':
      return enterList(asked, entry, key);
  }
}

function enterText(entry: WizardEntry, key: Key): Entered {
  if (key.name === 'enter') return { answer: entry.field.text };
  return edited(entry, withoutLastBreak(key));
}

/** The text may come without marks of a paste: Enter within JSON that is not complete belongs to it. */
function enterToken(entry: WizardEntry, key: Key): Entered {
  if (key.name !== 'enter') return edited(entry, withoutLastBreak(key));
  const { text } = entry.field;
  // Who has left out the end mark presses Enter once more.
  const hasMore = lacksEndMark(text) && !text.endsWith('\n');
  if (!hasMore && readPastedToken(text).state !== 'incomplete') return { answer: text };
  return { entry: { ...entry, field: editText(`${text}\n`) } };
}

function enterLetter(asked: Question, entry: WizardEntry, key: Key): Entered {
  const moved = move(asked, entry, key, true);
  if (moved !== undefined) return moved;
  const chosen = asked.choices[entry.cursor];
  if (key.name === 'enter') return chosen === undefined ? undefined : { answer: chosen.value };
  const letter = typed(key)?.toLowerCase();
  if (letter === undefined) return undefined;
  if (/^\d$/.test(letter)) return byNumber(asked, entry, entry.field.text + letter, letter);
  const choice = asked.choices.find((one) => one.key === letter);
  if (choice === undefined) return undefined;
  const isAboutRemote = chosen?.target !== undefined && /^[ercd]$/.test(letter);
  return { answer: isAboutRemote ? `${letter}:${chosen.target}` : choice.value };
}

function enterList(asked: Question, entry: WizardEntry, key: Key): Entered {
  const isEmpty = entry.field.text === '';
  const moved = move(asked, entry, key, asked.exclusive && isEmpty);
  if (moved !== undefined) return moved;
  if (key.name === 'enter') {
    const chosen = visibleChoices(asked, entry)[entry.cursor];
    return chosen === undefined ? undefined : { answer: chosen.value };
  }
  const field = editByKey(entry.field, withoutLastBreak(key));
  if (field === undefined) return undefined;
  const list = numbered(asked.choices);
  const { text } = field;
  const isNumber = asked.exclusive ? /^\d+$/.test(text) : isNumberOf(text, list.length);
  if (isNumber) return byNumber(asked, entry, text, text.slice(-1));
  if (text === '') return { entry: { field, cursor: beginEntry(asked, undefined).cursor } };
  return { entry: { field, cursor: 0 } };
}

/** A number that no item has begins anew with its last digit. */
function byNumber(asked: Question, entry: WizardEntry, text: string, last: string): Entered {
  const list = numbered(asked.choices);
  const number = isNumberOf(text, list.length) ? text : last;
  const choice = list[Number(number) - 1];
  if (choice === undefined) return { entry };
  return { entry: { field: editText(number), cursor: asked.choices.indexOf(choice) } };
}

function isNumberOf(text: string, count: number): boolean {
  return /^[1-9]\d*$/.test(text) && Number(text) <= count;
}

function move(asked: Question, entry: WizardEntry, key: Key, byLetters: boolean): Entered {
  const total = visibleChoices(asked, entry).length;
  const letter = byLetters ? typed(key) : undefined;
  const to = (cursor: number): Entered => ({
    // A number that was typed is done with when the cursor goes elsewhere.
    entry: { field: isNumberOf(entry.field.text, total) ? editText('') : entry.field, cursor },
  });
  if (key.name === 'up' || letter === 'k') return to(moveCursor(entry.cursor, -1, total));
  if (key.name === 'down' || letter === 'j') return to(moveCursor(entry.cursor, 1, total));
  if (key.name === 'page-up') return to(moveCursor(entry.cursor, -PAGE, total));
  if (key.name === 'page-down') return to(moveCursor(entry.cursor, PAGE, total));
  if (key.name === 'home') return to(0);
  if (key.name === 'end') return to(Math.max(0, total - 1));
  return undefined;
}

function edited(entry: WizardEntry, key: Key): Entered {
  const field = editByKey(entry.field, key);
  return field === undefined ? undefined : { entry: { ...entry, field } };
}

/** A line that is pasted with its end is the line. */
function withoutLastBreak(key: Key): Key {
  return key.name === 'paste' ? { ...key, text: key.text.replace(/\n+$/, '') } : key;
}
