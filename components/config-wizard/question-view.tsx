import { isConfirm } from '../../src/config-wizard/confirm-question.ts';
import { visibleChoices, type WizardEntry } from '../../src/config-wizard/entry.ts';
import {
  headLines,
  remarkLines,
  sectionLines,
  testLines,
} from '../../src/config-wizard/question-lines.ts';
import type { Question } from '../../src/config-wizard/step.ts';
import { numbered } from '../../src/config-wizard/typed-answer.ts';
import type { WizardState } from '../../src/config-wizard/wizard-state.ts';
import { harmless } from '../../src/core/harmless.ts';
import { Lines } from '../shared/lines.tsx';
import { useLook } from '../shared/look-context.tsx';
import { Menu, type MenuItem } from '../shared/menu.tsx';
import { TextField } from '../shared/text-field.tsx';

interface QuestionViewProps {
  readonly asked: Question;
  readonly state: WizardState;
  readonly columns: number;
  readonly rows: number;
}

/** A question with the place for its answer. */
export function QuestionView({ asked, state, columns, rows }: QuestionViewProps) {
  const { glyphs } = useLook();
  const { entry, reveals, test } = state;
  const isText = asked.kind === 'text' || asked.kind === 'token';
  const items = isText ? [] : menuItems(asked, entry);
  const remarks = remarkLines(asked, state, columns);
  const fieldRows = asked.kind === 'letters' ? 0 : 1;
  // Something of every part is seen even on the smallest screen.
  const confirms = isConfirm(asked);
  const least = (confirms ? items.length : Math.min(items.length, 4)) + remarks.length + fieldRows;
  const head = headLines(asked, state, columns, rows - least);
  const left = rows - head.length - fieldRows - remarks.length;
  const listRows = confirms ? items.length : left;
  const tested = confirms ? testLines(test, columns, glyphs) : [];
  const section = confirms ? sectionLines(state, columns, glyphs) : [];
  return (
    <>
      <Lines lines={head} rows={head.length} />
      {fieldRows === 0 ? null : (
        <TextField
          edited={entry.field}
          label={asked.kind === 'list' ? 'search or enter:' : `${asked.title}:`}
          placeholder={isText ? asked.default : ''}
          masked={asked.secret && !reveals}
          columns={columns}
        />
      )}
      <Lines lines={remarks} rows={remarks.length} />
      <Menu items={items} cursor={entry.cursor} columns={columns} rows={Math.max(1, listRows)} />
      <Lines lines={tested} rows={left - listRows} />
      <Lines lines={section} rows={left - listRows - tested.length} />
    </>
  );
}

function menuItems(asked: Question, entry: WizardEntry): readonly MenuItem[] {
  const list = numbered(asked.choices);
  return visibleChoices(asked, entry).map((choice) => {
    const number = list.indexOf(choice) + 1;
    const isDefault = choice.value !== '' && choice.value === asked.default;
    return {
      label: harmless(choice.label),
      note: harmless(
        `${choice.help ?? ''}${choice.needsKey === true ? ` (press ${choice.key})` : ''}${isDefault ? ' (default)' : ''}`.trim(),
      ),
      key: choice.key ?? (number > 0 ? String(number) : ''),
    };
  });
}
