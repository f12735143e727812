import { Lines } from '../../components/shared/lines.tsx';
import { Page, pageRows } from '../../components/shared/page.tsx';
import { runScreen } from '../../components/shared/run-screen.tsx';
import type { ViewProps } from '../../components/shared/screen-root.tsx';
import { cursorList, moveCursor } from '../../src/terminal/cursor-list.ts';
import { fieldLine } from '../../src/terminal/field-line.ts';
import { isCtrl, type Key, typed } from '../../src/terminal/key.ts';
import { lookOf } from '../../src/terminal/look.ts';
import { span } from '../../src/terminal/span.ts';
import { StateScreen, stepTo } from '../../src/terminal/state-screen.ts';
import { type EditedText, editByKey, editText } from '../../src/terminal/text-edit.ts';

const ITEMS = Array.from({ length: 30 }, (_, at) => `item ${at}`);

interface FixtureState {
  readonly cursor: number;
  readonly edited: EditedText;
}

/** A screen with a menu and a text field, to try the frame that all screens share. */
class FixtureModel extends StateScreen<FixtureState, string | Error, string> {
  protected override takeKey(key: Key) {
    const { state } = this;
    const { cursor, edited } = state;
    if (isCtrl(key, 'c')) return stepTo(state, 'left');
    if (key.name === 'enter') return stepTo(state, `took ${cursor} ${edited.text}`);
    const step = key.name === 'down' ? 1 : key.name === 'up' ? -1 : 0;
    if (step !== 0) return stepTo({ ...state, cursor: moveCursor(cursor, step, ITEMS.length) });
    if (typed(key) === '!') return stepTo(state, new Error('the fixture failed'));
    return stepTo({ ...state, edited: editByKey(edited, key) ?? edited });
  }

  protected override carryOut(end: string | Error): void {
    if (typeof end === 'string') this.ended.resolve(end);
    else this.ended.reject(end);
  }
}

function FixtureView({ model, size }: ViewProps<FixtureModel>) {
  const status = [span(`cursor at ${model.state.cursor}`, 'warn')];
  const { glyphs } = lookOf(env);
  const { cursor, edited } = model.state;
  const field = fieldLine({ label: 'text', edited }, size.columns, glyphs);
  const room = { columns: size.columns, rows: pageRows(size, true) - 1 };
  const items = cursorList(ITEMS, cursor, room, glyphs, (text) => [span(text)]);
  const hints = [
    { keys: '↑↓', does: 'move' },
    { keys: 'Enter', does: 'take' },
  ];
  return (
    <Page
      size={size}
      title="fixture"
      subject="日本語 name"
      aside="aside"
      status={status}
      hints={hints}
    >
      <Lines lines={[field, ...items.map(({ line }) => line)]} rows={size.rows} />
    </Page>
  );
}

const { stdin, stdout, env } = process;
const signal = new AbortController().signal;
const ended = await runScreen(new FixtureModel({ cursor: 0, edited: editText('') }), FixtureView, {
  stdin,
  stdout,
  look: lookOf(env),
  mouse: false,
  escapeMs: 150,
  signal,
}).catch((error: Error) => `failed: ${error.message}`);
console.log(`result: ${ended}`);
