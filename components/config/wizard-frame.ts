import { isConfirm } from '../../src/config/dialogue/confirm-question.ts';
import {
  begin,
  countAnswers,
  isInForm,
  questionsAhead,
} from '../../src/config/dialogue/conversation.ts';
import type { Draft } from '../../src/config/dialogue/draft.ts';
import {
  beginEntry,
  isMasked,
  visibleChoices,
  type WizardEntry,
} from '../../src/config/dialogue/entry.ts';
import { MENU_ID } from '../../src/config/dialogue/menu-script.ts';
import { optionQuestion } from '../../src/config/dialogue/option-question.ts';
import type { Choice, Question } from '../../src/config/dialogue/step.ts';
import { numbered } from '../../src/config/dialogue/typed-answer.ts';
import type { Work } from '../../src/config/dialogue/work.ts';
import { harmless } from '../../src/core/harmless.ts';
import { cellWidth, cut, fill, fitLine } from '../../src/terminal/cells.ts';
import { cursorList } from '../../src/terminal/cursor-list.ts';
import { fieldLine } from '../../src/terminal/field-line.ts';
import { helpPage, scrolled } from '../../src/terminal/help-lines.ts';
import type { Glyphs, Look } from '../../src/terminal/look.ts';
import type { FrameLine, ScreenFrame } from '../../src/terminal/screen-frame.ts';
import { contentRows, layoutOf } from '../../src/terminal/screen-layout.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, span, type Tone } from '../../src/terminal/span.ts';
import type { FormField } from './form-fields.ts';
import { shownForm } from './form-keys.ts';
import { headLines, remarkLines, sectionLines, testLines, textLines } from './question-lines.ts';
import { wizardHelp, wizardKeys } from './wizard-keys.ts';
import type { WizardState } from './wizard-state.ts';

/** What a page shows, besides its keys. */
type WizardPage = Pick<ScreenFrame, 'lines' | 'pane' | 'box' | 'boxList' | 'asked'>;

/** All that a page is drawn from. */
interface Drawing {
  readonly state: WizardState;
  readonly glyphs: Glyphs;
  /** The room of the list, and of the pane beside it; 0 columns: there is none. */
  readonly room: Size;
  readonly pane: Size;
}

/** Lines without a cursor. */
function plainPage(lines: readonly Line[], rows: number): WizardPage {
  return { lines: lines.slice(0, Math.max(0, rows)).map((line) => ({ line })) };
}

/** A question with the place for its answer. */
function questionPage(
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
function askedLines(
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
function questionBox(
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
function answerLine(
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
function workLines(
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

/** From this height on the section stands below a question that has no pane beside it. */
const BELOW_ROWS = 18;

/** How much of a screen without a pane the details take. */
const BELOW_SHARE = 0.45;

/** How wide the box of a question is, at most. */
const BOX_COLUMNS = 70;

/** The form, or over it the question whether to save or to leave. */
function formFrame(drawing: Drawing, question: Question, draft: Draft): WizardPage {
  const { state, room, pane } = drawing;
  const { page } = state;
  const form = fieldsFrame(drawing, draft);
  if (page !== 'save' && page !== 'leave') return form;
  const columns = pane.columns > 0 ? Math.min(BOX_COLUMNS, room.columns - 6) : room.columns;
  const what = draft.original === undefined ? 'the new remote' : 'the changes to';
  const asked =
    page === 'leave'
      ? textLines(`Discard ${what} "${draft.name}"?`, columns, 'warn')
      : [
          ...textLines(question.about, columns),
          ...(question.warning === '' ? [] : textLines(question.warning, columns, 'warn')),
        ];
  const shown = pane.columns > 0 ? { ...form, box: asked } : plainPage(asked, room.rows);
  return { ...shown, asked };
}

/** The fields with their details beside or below; `edited` is the question that a field answers in its line. */
function fieldsFrame(
  { state, glyphs, room, pane }: Drawing,
  draft: Draft,
  edited?: Question,
): WizardPage {
  if (pane.columns > 0) {
    const details = formDetails(draft, state, pane, glyphs, edited);
    return {
      lines: formLines(draft, state, room, glyphs, edited),
      pane: details.map((line) => fitLine(line, pane.columns, glyphs.ellipsis)),
    };
  }
  const least = Math.max(3, Math.floor(room.rows * BELOW_SHARE));
  const all = formLines(draft, state, { ...room, rows: Infinity }, glyphs, edited);
  const rows = Math.min(all.length, room.rows - least);
  const lines = formLines(draft, state, { ...room, rows }, glyphs, edited);
  const below = { columns: room.columns, rows: room.rows - lines.length - 1 };
  const rule: FrameLine = { line: [span(glyphs.rule.repeat(room.columns), 'dim')] };
  const details = formDetails(draft, state, below, glyphs, edited);
  return { lines: [...lines, rule, ...plainPage(details, below.rows).lines] };
}

/** What the field at the cursor, or the one that is edited, is; what the test found; and the section to be written. */
function formDetails(
  draft: Draft,
  state: WizardState,
  { columns, rows }: Size,
  glyphs: Glyphs,
  edited?: Question,
): readonly Line[] {
  const { conversation, test } = state;
  const { fields, field } = shownForm(draft, state);
  const shown = edited === undefined ? field : fields.find(({ name }) => name === edited.title);
  const trouble = conversation.problem;
  const about = shown === undefined ? [] : aboutLines(shown, draft, columns);
  const found = [
    ...(trouble === '' ? [] : textLines(trouble, columns, 'bad')),
    ...testLines(test, columns, glyphs),
  ];
  const remarks = edited === undefined ? [] : remarkLines(edited, state, columns);
  const section = sectionLines(state, columns, glyphs);
  const parts = [found, remarks, about, section].filter((lines) => lines.length > 0);
  const all = parts.flatMap((lines, at) => (at === 0 ? lines : [BLANK, ...lines]));
  return all.length <= rows ? all : parts.flat();
}

const BLANK: Line = [span(' ')];

function aboutLines({ option, change }: FormField, draft: Draft, columns: number): readonly Line[] {
  const { about, example } = optionQuestion(option, '', draft.values.get('provider') ?? '');
  const required = option.required === true ? ' Required.' : '';
  const unset =
    option.default === undefined || option.default === '' ? '' : ` Default: ${option.default}.`;
  return [
    [span(option.name, 'section')],
    ...textLines(`${about}${required}${unset}`, columns),
    ...(example === '' ? [] : textLines(`Example: ${example}`, columns, 'dim')),
    ...(change === '' ? [] : textLines(`${CHANGES[change]} by saving.`, columns, 'accent')),
  ];
}

const CHANGES = { new: 'Stored', changed: 'Replaced', deleted: 'Deleted' } as const;

/** The fields of a remote, one a line, the one that is edited as the text that is typed. */
function formLines(
  draft: Draft,
  state: WizardState,
  { columns, rows }: Size,
  glyphs: Glyphs,
  edited?: Question,
): readonly FrameLine[] {
  const { fields, folded, cursor } = shownForm(draft, state);
  if (fields.length === 0) return [{ line: [span('This remote has no settings.', 'dim')] }];
  const at = edited === undefined ? cursor : fields.findIndex(({ name }) => name === edited.title);
  const width = Math.max(...fields.map(({ name }) => cellWidth(name)));
  const more = folded === 0 ? [] : [fitLine(foldedLine(folded, glyphs), columns, glyphs.ellipsis)];
  const size = { columns, rows: Math.max(1, rows - more.length) };
  const lines = cursorList(fields, at, size, glyphs, (field) =>
    fieldSpans(field, state, width, glyphs),
  );
  const typed = lines.map((line): FrameLine => {
    if (line.selected !== true || edited === undefined) return line;
    const label = `${glyphs.pointer}   ${fill(edited.title, width + 1)}`;
    return { line: answerLine(edited, state, columns, glyphs, label) };
  });
  return [...typed, ...more.map((line) => ({ line }))];
}

function foldedLine(folded: number, glyphs: Glyphs): Line {
  return [span(`  ${glyphs.folded} ${folded} advanced, without a value (a shows them)`, 'dim')];
}

function fieldSpans(
  field: FormField,
  { reveals, test }: WizardState,
  width: number,
  glyphs: Glyphs,
): Line {
  const { name, value, isHidden, option } = field;
  const isBad = test.is === 'bad' && test.diagnosis.field === name;
  const [mark, tone, note] = markOf(field, isBad ? test.diagnosis.what : '', glyphs);
  const masked = isHidden && !reveals ? glyphs.bullet.repeat(8) : harmless(value);
  const unset = option.default === undefined ? '' : `(default ${option.default})`;
  return [
    span(fill(mark, 2, ''), tone, true),
    span(`${fill(name, width, glyphs.ellipsis)}  `),
    value === '' ? span(harmless(unset), 'dim') : span(cut(masked, 60, glyphs.ellipsis)),
    span(note === '' ? '' : `  ${harmless(note)}`, tone === 'plain' ? 'dim' : tone),
  ];
}

/** What is to be seen of a field first. */
function markOf(
  { wrong, change, isUnneeded, option, value }: FormField,
  reason: string,
  { cross, mark }: Glyphs,
): readonly [string, Tone, string] {
  if (reason !== '') return [cross, 'bad', reason];
  if (wrong !== '') return ['!', 'warn', wrong];
  if (change !== '') return [mark, 'accent', change];
  if (isUnneeded) return ['', 'plain', 'kept, used first'];
  return ['', 'plain', option.required === true && value === '' ? 'required' : ''];
}

/** The wizard: a question or the form of a remote, and what comes of it beside or below where there is room. */
export function wizardFrame(state: WizardState, size: Size, look: Look): ScreenFrame {
  const { glyphs } = look;
  const { notice, page, conversation } = state;
  const common = {
    ...{ subject: subjectOf(state), aside: asideOf(state) },
    hints: wizardKeys(state),
    opens: canOpen(state),
  };
  if (page === 'keys') {
    const room = { columns: size.columns, rows: contentRows(layoutOf(size, false).inner) };
    return { ...common, lines: helpPage(wizardHelp(state), state.first, room, look) };
  }
  const hasPane = conversation.step.kind === 'ask' && page !== 'section';
  const { inner, pane } = layoutOf(size, hasPane);
  const said = notice
    ? textLines(notice.text, inner.columns, notice.isBad ? 'bad' : 'good')
    : ([] as const);
  const rows = contentRows(inner, said.length);
  const drawing = {
    ...{ state, glyphs },
    room: { columns: inner.columns, rows },
    pane: { columns: pane, rows },
  };
  const shown = pageFrame(drawing);
  if (said.length < 2) return { ...common, ...shown, status: said[0] };
  // The line above the keys has no room for a long notice.
  return { ...common, ...shown, lines: [...said.map((line) => ({ line })), ...shown.lines] };
}

function pageFrame(drawing: Drawing): WizardPage {
  const { state, glyphs, room, pane } = drawing;
  const { step } = state.conversation;
  if (state.page === 'section') {
    const lines = sectionLines(state, room.columns, glyphs);
    const none = textLines('Nothing will be written yet.', room.columns, 'dim');
    const all = lines.length === 0 ? none : lines;
    return plainPage(scrolled(all, state.first, room.rows), room.rows);
  }
  if (step.kind !== 'ask') return plainPage(workLines(state, room, glyphs), room.rows);
  const { question, draft } = step;
  if (draft !== undefined && isConfirm(question)) return formFrame(drawing, question, draft);
  if (draft !== undefined && isInForm(state.conversation)) {
    if (question.kind === 'text' && draft.kind.options.some(({ name }) => name === question.title))
      return fieldsFrame(drawing, draft, question);
    if (pane.columns > 0) return boxed(fieldsFrame(drawing, draft), drawing, question);
  }
  const menu = pane.columns === 0 ? undefined : menuBelow(state, question);
  if (menu !== undefined)
    return boxed(questionFrame({ ...drawing, state: menu }), drawing, question);
  return questionFrame(drawing);
}

/** A question in a box over what it is about. */
function boxed(
  below: WizardPage,
  { state, glyphs, room }: Drawing,
  question: Question,
): WizardPage {
  const columns = Math.min(BOX_COLUMNS, room.columns - 6);
  const rows = Math.max(1, Math.floor(room.rows * 0.8) - 2);
  const boxList = questionBox(question, state, { columns, rows }, glyphs);
  const asked = askedLines(question, state, columns, glyphs);
  return { ...below, box: boxList.map(({ line }) => line), boxList, asked };
}

/** The state of the menu that a question comes from; not for questions about a new remote. */
function menuBelow(state: WizardState, { id }: Question): WizardState | undefined {
  const { script, given } = state.conversation;
  const [first] = given;
  if (first?.kind !== 'answer' || first.id !== MENU_ID || first.text === 'n') return undefined;
  if (id.startsWith('new/') || id.startsWith('import/confirm')) return undefined;
  const conversation = begin(script);
  const { step } = conversation;
  if (step.kind !== 'ask') return undefined;
  return { ...state, conversation, entry: beginEntry(step.question, first.text) };
}

/** A question, and the section that comes of it beside or below. */
function questionFrame({ state, glyphs, room, pane }: Drawing): WizardPage {
  const { step } = state.conversation;
  if (step.kind !== 'ask') return { lines: [] };
  const { question } = step;
  const asked = askedLines(question, state, room.columns, glyphs);
  if (pane.columns > 0) {
    const section = sectionLines(state, pane.columns, glyphs);
    return { lines: questionPage(question, state, room, glyphs), pane: section, asked };
  }
  const section = question.id === MENU_ID ? [] : sectionLines(state, room.columns, glyphs);
  const hasBelow = room.rows >= BELOW_ROWS && section.length > 0;
  const below = hasBelow ? Math.min(section.length + 1, Math.floor(room.rows * BELOW_SHARE)) : 0;
  const above = room.rows - below;
  const lines = questionPage(question, state, { ...room, rows: above }, glyphs);
  if (below === 0) return { lines, asked };
  const gap = Array.from({ length: Math.max(0, above - lines.length) }, () => ({
    line: [span(' ')],
  }));
  const rule: FrameLine = { line: [span(glyphs.rule.repeat(room.columns), 'dim')] };
  return { lines: [...lines, ...gap, rule, ...plainPage(section, below - 1).lines], asked };
}

/** Enter opens a field of the form, or takes an item of a list that is no question of yes and no. */
function canOpen({ page, conversation: { step } }: WizardState): boolean {
  if (page !== 'question' || step.kind !== 'ask') return false;
  const { question, draft } = step;
  if (isConfirm(question)) return draft !== undefined;
  return question.kind === 'list' || question.id === MENU_ID;
}

function subjectOf({ conversation, world }: WizardState): string {
  const { step } = conversation;
  const draft = step.kind === 'end' ? undefined : step.draft;
  if (draft === undefined) return harmless(world.configPath ?? 'in memory only');
  const what = draft.original === undefined ? 'new remote' : 'edit';
  return harmless(`${what} ${draft.name} (${draft.kind.type})`);
}

/** Which of the questions about a new remote it is; those that follow a login are not known before it. */
function asideOf({ conversation }: WizardState): string {
  const { step } = conversation;
  const draft = step.kind === 'ask' ? step.draft : undefined;
  if (draft === undefined || draft.original !== undefined || isInForm(conversation)) return '';
  const at = countAnswers(conversation);
  const { count, isExact } = questionsAhead(conversation);
  return isExact ? `${at} of ${at + count - 1}` : `step ${at}`;
}
