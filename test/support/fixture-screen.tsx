import { runScreen } from '../../components/shared/run-screen.tsx';
import { Page } from '../../components/ui/page.tsx';
import { type ScreenViewProps, screenView, useLook, useRoom } from '../../components/ui/screen.tsx';
import { Lines } from '../../components/ui/text.tsx';
import { ActionScreen } from '../../src/terminal/action-screen.ts';
import { cursorList, moveCursor } from '../../src/terminal/cursor-list.ts';
import { fieldLine } from '../../src/terminal/field-line.ts';
import { isCtrl, type Key, typed } from '../../src/terminal/key.ts';
import { row } from '../../src/terminal/key-table.ts';
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

  keys() {
    return [row('↑↓', 'move', '', () => {}), row('Enter', 'take', '', () => {})];
  }

  protected override carryOut(end: string | Error): void {
    if (typeof end === 'string') this.ended.resolve(end);
    else this.ended.reject(end);
  }
}

function FixtureView({ model }: ScreenViewProps<FixtureModel>) {
  const { glyphs } = useLook();
  const { columns, rows } = useRoom();
  const { cursor, edited } = model.state;
  const field = fieldLine({ label: 'text', edited }, columns, glyphs);
  const items = cursorList(ITEMS, cursor, { columns, rows }, glyphs, (text) => [span(text)]);
  const status = [span(`cursor at ${cursor}`, 'warn')];
  return (
    <Page subject="日本語 name" aside="aside" status={status}>
      <Lines lines={[field, ...items.map(({ line }) => line)]} />
    </Page>
  );
}

const { stdin, stdout, env } = process;
const signal = new AbortController().signal;
const model = new FixtureModel({ cursor: 0, edited: editText('') });
const View = screenView(model, FixtureView, 'fixture');
const ended = await runScreen(new ActionScreen<string>(model), View, {
  stdin,
  stdout,
  look: lookOf(env),
  mouse: false,
  escapeMs: 150,
  signal,
}).catch((error: Error) => `failed: ${error.message}`);
console.log(`result: ${ended}`);
