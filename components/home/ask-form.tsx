import { shellLine } from '../../src/home/home-actions.ts';
import type { AskView } from '../../src/home/home-model.ts';
import { cellWidth, harmless } from '../../src/screen/cells.ts';
import { span } from '../../src/screen/span.ts';
import { editText } from '../../src/screen/text-edit.ts';
import { Paragraph } from '../shared/paragraph.tsx';
import { Row } from '../shared/row.tsx';
import { TextField } from '../shared/text-field.tsx';

interface AskFormProps {
  readonly view: AskView;
  readonly columns: number;
}

/** The texts that an action needs, and the command line they make. */
export function AskForm({ view, columns }: AskFormProps) {
  const { action, remote, fields, field } = view;
  const width = Math.max(...action.asks.map(({ label }) => cellWidth(label)));
  const answers = fields.map(({ text }) => text.trim() || '…');
  const { words } = action.command(remote.name, answers);
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
