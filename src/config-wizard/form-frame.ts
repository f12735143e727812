import { fitLine } from '../screen/cells.ts';
import type { Glyphs } from '../screen/look.ts';
import type { FrameLine } from '../screen/screen-frame.ts';
import type { Size } from '../screen/screen-model.ts';
import { type Line, span } from '../screen/span.ts';
import type { Draft } from './draft.ts';
import type { FormField } from './form-fields.ts';
import { shownForm } from './form-keys.ts';
import { formLines } from './form-lines.ts';
import { optionQuestion } from './option-question.ts';
import { remarkLines, sectionLines, testLines, textLines } from './question-lines.ts';
import { type Drawing, plainPage, type WizardPage } from './question-page.ts';
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
