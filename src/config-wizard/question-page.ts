import { harmless } from '../core/harmless.ts';
import { cellWidth, cut, fill } from '../screen/cells.ts';
import { cursorList } from '../screen/cursor-list.ts';
import { fieldLine } from '../screen/field-line.ts';
import type { Glyphs } from '../screen/look.ts';
import type { FrameLine, ScreenFrame } from '../screen/screen-frame.ts';
import type { Size } from '../screen/screen-model.ts';
import { type Line, span } from '../screen/span.ts';
import { isMasked, visibleChoices, type WizardEntry } from './entry.ts';
import { headLines, remarkLines, textLines } from './question-lines.ts';
import type { Choice, Question } from './step.ts';
import { numbered } from './typed-answer.ts';
import type { WizardState } from './wizard-state.ts';
import type { Work } from './work.ts';

/** What a page shows, besides its keys. */
export type WizardPage = Pick<ScreenFrame, 'lines' | 'pane' | 'box' | 'boxList' | 'asked'>;

/** All that a page is drawn from. */
export interface Drawing {
  readonly state: WizardState;
  readonly glyphs: Glyphs;
  /** The room of the list, and of the pane beside it; 0 columns: there is none. */
  readonly room: Size;
  readonly pane: Size;
}

/** Lines without a cursor. */
export function plainPage(lines: readonly Line[], rows: number): WizardPage {
  return { lines: lines.slice(0, Math.max(0, rows)).map((line) => ({ line })) };
}

/** A question with the place for its answer. */
export function questionPage(
  asked: Question,
  state: WizardState,
  { columns, rows }: Size,
  glyphs: Glyphs,
): readonly FrameLine[] {
  const { entry } = state;
  const isText = asked.kind === 'text' || asked.kind === 'token';
  const choices = isText ? [] : visibleChoices(asked, entry);
  const remarks = remarkLines(asked, state, columns);
  const field = asked.kind === 'letters' ? [] : [answerLine(asked, state, columns, glyphs)];
  // Something of every part is seen even on the smallest screen.
  const least = Math.min(choices.length, 4) + remarks.length + field.length;
  const head = headLines(asked, state, columns, rows - least);
  const left = rows - head.length - field.length - remarks.length;
  return [
    ...[...head, ...field, ...remarks].map((line) => ({ line })),
    ...choiceLines(asked, choices, entry, { columns, rows: Math.max(1, left) }, glyphs),
  ];
}

/** What of a question has to be seen before a key confirms it; a list in it is cut in large windows too. */
export function askedLines(
  asked: Question,
  state: WizardState,
  columns: number,
  glyphs: Glyphs,
): readonly Line[] {
  const page = questionPage(asked, state, { columns, rows: ENOUGH_ROWS }, glyphs);
  return page.map(({ line }) => line);
}

const ENOUGH_ROWS = 16;

/** The question as the lines of a box: as many rows as it needs, at most as many as there are. */
export function questionBox(
  asked: Question,
  state: WizardState,
  { columns, rows }: Size,
  glyphs: Glyphs,
): readonly FrameLine[] {
  const page = questionPage(asked, state, { columns, rows }, glyphs);
  return page.map(({ line, ...place }): FrameLine => {
    if (place.selected !== true) return { line, ...place };
    const width = line.reduce((sum, { text }) => sum + cellWidth(text), 0);
    const rest = span(' '.repeat(Math.max(0, columns - width)));
    return { line: [...line, rest].map((one) => ({ ...one, tone: 'cursor' })), ...place };
  });
}

/** The line where the answer to a question is typed. */
export function answerLine(
  asked: Question,
  { entry, reveals }: WizardState,
  columns: number,
  glyphs: Glyphs,
  label = asked.kind === 'list' ? 'search or enter:' : `${asked.title}:`,
): Line {
  const placeholder = asked.kind === 'list' ? '' : asked.default;
  const masked = isMasked(asked, entry, reveals);
  return fieldLine({ label, edited: entry.field, placeholder, masked }, columns, glyphs);
}

function choiceLines(
  asked: Question,
  choices: readonly Choice[],
  { cursor }: WizardEntry,
  size: Size,
  glyphs: Glyphs,
): readonly FrameLine[] {
  const list = numbered(asked.choices);
  const keyOf = (choice: Choice) => {
    const number = list.indexOf(choice) + 1;
    return choice.key ?? (number > 0 ? String(number) : '');
  };
  const keyWidth = Math.max(0, ...choices.map((choice) => cellWidth(keyOf(choice))));
  const widest = Math.max(0, ...choices.map(({ label }) => cellWidth(harmless(label))));
  const labelWidth = Math.min(widest, Math.max(8, Math.floor(size.columns / 2)));
  return cursorList(choices, cursor, size, glyphs, (choice, selected) => {
    const note = noteOf(choice, asked);
    const label = harmless(choice.label);
    const key = keyWidth === 0 ? '' : `${keyOf(choice).padStart(keyWidth)}  `;
    return [
      span(key, 'accent'),
      span(note === '' ? label : fill(label, labelWidth, glyphs.ellipsis), 'plain', selected),
      span(note === '' ? '' : `  ${cut(note, size.columns, glyphs.ellipsis)}`, 'dim'),
    ];
  });
}

function noteOf({ help = '', needsKey, key, value }: Choice, asked: Question): string {
  const press = needsKey === true ? ` (press ${key})` : '';
  const isDefault = value !== '' && value === asked.default;
  return harmless(`${help}${press}${isDefault ? ' (default)' : ''}`.trim());
}

const DOING: Readonly<Record<Work['type'], string>> = {
  login: 'Logging in',
  'set-up': 'Contacting the service',
  'read-import': "Reading rclone's configuration",
};

/** The running work and its messages: the link of a login, the code for another device. */
export function workLines(
  { conversation: { step }, told }: Pick<WizardState, 'conversation' | 'told'>,
  { columns, rows }: Size,
  { ellipsis }: Glyphs,
): readonly Line[] {
  const doing = step.kind === 'work' ? DOING[step.work.type] : 'Writing the configuration';
  const head = textLines(`${doing}${ellipsis}`, columns, 'section');
  const all = told.flatMap((line) => lineOf(line, columns));
  // The pattern to photograph must not be broken up: where it does not fit, the link stands alone.
  const widest = Math.max(0, ...told.filter(isPattern).map((line) => line.length));
  const fits = head.length + all.length <= rows && widest <= columns;
  const shown = fits
    ? all
    : told.filter((line) => !isPattern(line)).flatMap((line) => lineOf(line, columns));
  return [...head, ...shown];
}

function lineOf(line: string, columns: number): readonly Line[] {
  return isPattern(line) ? [[span(line)]] : textLines(line, columns);
}

/** A row of a QR code. */
function isPattern(line: string): boolean {
  return /[▀▄█]/.test(line);
}
