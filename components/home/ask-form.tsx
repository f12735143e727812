import { harmless } from '../../src/core/harmless.ts';
import { commandOf, shellLine } from '../../src/home/home-actions.ts';
import type { HomeContents } from '../../src/home/home-entry.ts';
import type { AskView } from '../../src/home/home-model.ts';
import { cellWidth } from '../../src/screen/cells.ts';
import { spelled } from '../../src/screen/key-table.ts';
import { span } from '../../src/screen/span.ts';
import { editText } from '../../src/screen/text-edit.ts';
import { useLook } from '../shared/look-context.tsx';
import { Paragraph } from '../shared/paragraph.tsx';
import { Row } from '../shared/row.tsx';
import { TextField } from '../shared/text-field.tsx';

interface AskFormProps {
  readonly contents: HomeContents;
  readonly view: AskView;
  readonly columns: number;
}

/** The texts that an action needs, and the command line they make. */
export function AskForm({ contents, view, columns }: AskFormProps) {
  const { glyphs } = useLook();
  const { action, remote, fields, field } = view;
  const width = Math.max(...action.asks.map(({ label }) => cellWidth(label)));
  const answers = fields.map(({ text }) => text.trim() || spelled('…', glyphs));
  const { words } = commandOf(action, remote.name, answers, contents);
  return (
    <>
      <Paragraph text={action.note} columns={columns} tone="dim" />
      <Row line={[span(' ')]} />
      {action.asks.map(({ label, example }, at) =>
        at === field ? (
          <TextField
            key={label}
            edited={fields[at] ?? editText('')}
            label={label.padStart(width)}
            placeholder={example}
            columns={columns}
          />
        ) : (
          <Row
            key={label}
            line={[
              span(`${label.padStart(width)} `, 'plain', true),
              span(harmless(fields[at]?.text ?? '') || example, fields[at]?.text ? 'plain' : 'dim'),
            ]}
          />
        ),
      )}
      <Row line={[span(' ')]} />
      <Paragraph text={`$ ${harmless(shellLine(words))}`} columns={columns} tone="accent" />
    </>
  );
}
