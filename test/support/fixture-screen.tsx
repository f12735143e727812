import { Menu } from '../../components/shared/menu.tsx';
import { Page, pageRows } from '../../components/shared/page.tsx';
import { runScreen } from '../../components/shared/run-screen.tsx';
import type { ViewProps } from '../../components/shared/screen-root.tsx';
import { TextField } from '../../components/shared/text-field.tsx';
import { startChanges } from '../../src/screen/changes.ts';
import { isCtrl, type Key, typed } from '../../src/screen/key.ts';
import { lookOf } from '../../src/screen/look.ts';
import type { ScreenModel } from '../../src/screen/screen-model.ts';
import { moveCursor } from '../../src/screen/scroll.ts';
import { span } from '../../src/screen/span.ts';
import { editByKey, editText } from '../../src/screen/text-edit.ts';

const ITEMS = Array.from({ length: 30 }, (_, at) => ({ label: `item ${at}`, note: `note ${at}` }));

/** A screen with a menu and a text field, to try the frame that all screens share. */
function fixtureModel() {
  const changes = startChanges();
  const result = Promise.withResolvers<string>();
  const model = {
    cursor: 0,
    edited: editText(''),
    ...changes,
    result: result.promise,
    resize() {},
    press(key: Key) {
      const text = typed(key);
      if (isCtrl(key, 'c')) result.resolve('left');
      else if (key.name === 'enter') result.resolve(`took ${model.cursor} ${model.edited.text}`);
      else if (key.name === 'down') model.cursor = moveCursor(model.cursor, 1, ITEMS.length);
      else if (key.name === 'up') model.cursor = moveCursor(model.cursor, -1, ITEMS.length);
      else if (text === '!') result.reject(new Error('the fixture failed'));
      else model.edited = editByKey(model.edited, key) ?? model.edited;
      changes.tell();
    },
  };
  return model satisfies ScreenModel<string>;
}

function FixtureView({ model, size }: ViewProps<ReturnType<typeof fixtureModel>>) {
  const status = [span(`cursor at ${model.cursor}`, 'warn')];
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
      <TextField edited={model.edited} label="text" columns={size.columns} />
      <Menu
        items={ITEMS}
        cursor={model.cursor}
        columns={size.columns}
        rows={pageRows(size, true) - 1}
      />
    </Page>
  );
}

const { stdin, stdout, env } = process;
const signal = new AbortController().signal;
const ended = await runScreen(fixtureModel(), FixtureView, {
  stdin,
  stdout,
  look: lookOf(env),
  signal,
}).catch((error: Error) => `failed: ${error.message}`);
console.log(`result: ${ended}`);
