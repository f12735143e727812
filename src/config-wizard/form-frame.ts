import { harmless } from '../core/harmless.ts';
import { cellWidth, cut, fill, fitLine } from '../screen/cells.ts';
import { cursorList } from '../screen/cursor-list.ts';
import type { Glyphs } from '../screen/look.ts';
import type { FrameLine } from '../screen/screen-frame.ts';
import type { Size } from '../screen/screen-model.ts';
import { type Line, span, type Tone } from '../screen/span.ts';
import type { Draft } from './draft.ts';
import type { FormField } from './form-fields.ts';
import { shownForm } from './form-keys.ts';
import { optionQuestion } from './option-question.ts';
import { remarkLines, sectionLines, testLines, textLines } from './question-lines.ts';
import { answerLine, type Drawing, plainPage, type WizardPage } from './question-page.ts';
import type { Question } from './step.ts';
import type { WizardState } from './wizard-state.ts';

/** How much of a screen without a pane the details take. */
const BELOW_SHARE = 0.45;

/** How wide the box of a question is, at most. */
export const BOX_COLUMNS = 70;

/** The form, or over it the question whether to save or to leave. */
export function formFrame(drawing: Drawing, question: Question, draft: Draft): WizardPage {
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
export function fieldsFrame(
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
