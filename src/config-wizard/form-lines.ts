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
import { answerLine } from './question-page.ts';
import type { Question } from './step.ts';
import type { WizardState } from './wizard-state.ts';

/** The fields of a remote, one a line, the one that is edited as the text that is typed. */
export function formLines(
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
