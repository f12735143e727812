import { renderToString } from 'ink';
import type { ReactNode } from 'react';
import { expect, test } from 'vitest';
import { Page } from '../../../../components/ui/page.tsx';
import { Row } from '../../../../components/ui/row.tsx';
import { LookProvider, screenView } from '../../../../components/ui/screen.tsx';
import { ActionScreen } from '../../../../src/terminal/action-screen.ts';
import { type FrameField, fieldLine } from '../../../../src/terminal/field-line.ts';
import { lookOf } from '../../../../src/terminal/look.ts';
import { span } from '../../../../src/terminal/span.ts';

const BAD = 'a\x1b[2J\x07\x9b31mb\u202ec';
const TOLD = 'a␛[2J␇�31mb�c';
const size = { columns: 60, rows: 5 };
const edited = { text: BAD, cursor: BAD.length };
const empty = { text: '', cursor: 0 };
const field = (told: FrameField) => (
  <Row key="" line={fieldLine(told, 60, lookOf({}, false).glyphs)} />
);

const model = {
  result: new Promise<void>(() => {}),
  keys: () => [],
  press() {},
  resize() {},
  subscribe: () => () => {},
  version: () => 0,
};
const Titled = screenView(model, () => <Page subject={BAD}>{null}</Page>, BAD);

test.each<[string, ReactNode]>([
  ['a row', <Row key="" line={[span(BAD)]} selected columns={60} />],
  ['a field', field({ label: '', edited })],
  ['its label', field({ label: BAD, edited: empty })],
  ['what it takes', field({ label: '', edited: empty, placeholder: BAD })],
  ['a title', <Titled key="" model={new ActionScreen(model)} size={size} />],
])('%s shows what a terminal would obey', (_, node) => {
  const look = lookOf({}, false);
  const text = renderToString(<LookProvider look={look}>{node}</LookProvider>, { columns: 60 });
  expect(text).toContain(TOLD);
  expect(text.replaceAll(/\x1b\[[\d;]*m/g, '')).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
});
