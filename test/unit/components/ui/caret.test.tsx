import { EventEmitter } from 'node:events';
import { Box, render, Text } from 'ink';
import { expect, onTestFinished, test } from 'vitest';
import { CaretScreen, withHiddenCursor } from '../../../../components/ui/caret.tsx';
import { Row } from '../../../../components/ui/row.tsx';
import { fieldLine } from '../../../../src/terminal/field-line.ts';
import { UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';
import type { EditedText } from '../../../../src/terminal/text-edit.ts';

const ROWS = 6;

/** A screen with fields below each other in a window of six rows; what was written to it last. */
function fieldScreen() {
  const written: string[] = [];
  const stdout = Object.assign(new EventEmitter(), {
    ...{ columns: 40, rows: ROWS, isTTY: true },
    write: (text: string) => void written.push(text),
  });
  const screen = (above: number, fields: readonly EditedText[]) => (
    <CaretScreen>
      <Box flexDirection="column" width={40} height={ROWS} paddingLeft={1}>
        {Array.from({ length: above }, (_, at) => (
          <Text key={String(at)}>above</Text>
        ))}
        {fields.map((edited) => (
          <Row key={edited.text} line={fieldLine({ label: 'name:', edited }, 30, UNICODE_GLYPHS)} />
        ))}
      </Box>
    </CaretScreen>
  );
  const options = { interactive: true, patchConsole: false, incrementalRendering: true };
  const shown = withHiddenCursor(stdout as never);
  const app = render(screen(1, []), { ...options, stdout: shown });
  onTestFinished(() => app.unmount());
  return {
    written,
    app,
    draw: (above: number, ...fields: readonly EditedText[]) => app.rerender(screen(above, fields)),
    /** Column and row of the cursor after the last frame, by the sequences that place it. */
    cursor() {
      const [, up = '0', column = '0'] =
        /(?:\x1b\[(\d+)A)?\x1b\[(\d+)G$/.exec(
          written.filter((text) => !/\x1b\[\?2026[hl]$/.test(text)).at(-1) ?? '',
        ) ?? [];
      return [Number(column) - 1, ROWS - 1 - Number(up)];
    },
  };
}

test("the terminal's cursor stands on the cell where text is typed, without being shown", async () => {
  const { draw, cursor, written, app } = fieldScreen();
  draw(1, { text: '漢字ab', cursor: 3 });
  await expect.poll(cursor).toEqual([12, 1]);
  draw(1, { text: '漢字ab', cursor: 1 });
  await expect.poll(cursor).toEqual([9, 1]);
  draw(3, { text: '漢字ab', cursor: 1 });
  await expect.poll(cursor).toEqual([9, 3]);
  draw(1, { text: 'kept', cursor: 4 }, { text: 'typed', cursor: 5 });
  await expect.poll(cursor).toEqual([12, 2]);
  expect(written.join('')).not.toContain('\x1b[?25h');
  app.unmount();
  expect(written.join('')).toContain('\x1b[?25h');
});
