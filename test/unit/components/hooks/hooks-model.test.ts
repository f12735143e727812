import { expect, test } from 'vitest';
import { type HookServer, HooksModel } from '../../../../components/hooks/hooks-model.ts';
import { HooksView } from '../../../../components/hooks/hooks-view.tsx';
import { ctrlKey, namedKey, textKey } from '../../../../src/terminal/key.ts';
import type { ControlEvent } from '../../../../src/webhook/control/control-client.ts';
import { showScreen } from '../draw-screen.tsx';
import { hook, run } from './screen-world.ts';

function world() {
  const asked: string[] = [];
  let tell: (event: ControlEvent) => void = () => {};
  const gone = Promise.withResolvers<void>();
  const server: HookServer = {
    closed: gone.promise,
    hooks: async () => [hook('deploy')],
    history: async () => [run('1')],
    run: async (id) => ({
      run: run(id),
      output: Buffer.from('kept').toString('base64'),
      canRerun: true,
    }),
    rerun: async (id) => {
      asked.push(`rerun ${id}`);
      return run('2', { rerunOf: id });
    },
    watch: async () => void asked.push('watch'),
    follow: async (id) => void asked.push(`follow ${id}`),
    on: (listener) => {
      tell = listener;
      return () => {};
    },
  };
  const model = new HooksModel(server, () => 5000);
  model.resize({ columns: 80, rows: 24 });
  const { draw } = showScreen(model, HooksView);
  const shown = () => draw({ columns: 80, rows: 24 }).join('\n');
  const press = async (...keys: string[]) => {
    await new Promise(setImmediate);
    for (const key of keys) model.press(key === 'enter' ? namedKey('enter') : textKey(key));
    await new Promise(setImmediate);
  };
  return {
    model,
    asked,
    shown,
    press,
    tell: (event: ControlEvent) => tell(event),
    lose: gone.resolve,
  };
}

test('asks for the output of the run under the cursor once, where it stands beside', async () => {
  const { model, press, tell } = world();
  await press('a');
  expect(model.state.beside).toBeUndefined();
  model.resize({ columns: 120, rows: 24 });
  await press();
  expect(model.state.beside).toEqual({ run: '1', output: 'kept' });
  const { beside } = model.state;
  await press('j', 'k');
  expect(model.state.beside).toBe(beside);
  tell({ event: 'run', run: run('2') });
  await press('k');
  expect(model.state.beside).toMatchObject({ run: '2' });
});

test('shows the hooks, opens a run and follows it', async () => {
  const { asked, shown, press, tell } = world();
  await press('a', 'enter');
  expect(asked).toEqual(['watch', 'follow 1']);
  const text = Buffer.from('grüß');
  tell({ event: 'output', run: '1', data: text.subarray(0, 3).toString('base64') });
  tell({ event: 'output', run: '1', data: text.subarray(3).toString('base64') });
  expect(shown()).toContain('grüß');
  await press('q', 'enter');
  expect(asked).toEqual(['watch', 'follow 1']);
  expect(shown()).toContain('kept');
});

test('runs again, and opens the new run', async () => {
  const { asked, shown, press } = world();
  await press('a', 'enter');
  await press('r', 'y');
  expect(asked).toEqual(['watch', 'follow 1', 'rerun 1', 'follow 2']);
  expect(shown()).toContain('run       2');
});

test('tells every change, and that the server is gone, and ends with q', async () => {
  const { model, shown, press, lose } = world();
  const before = model.version();
  lose();
  await press();
  expect(model.version()).toBeGreaterThan(before);
  expect(shown()).toContain('The server stopped');
  await press('q');
  await model.result;
});

test('Ctrl-C ends it as interrupted', async () => {
  const { model } = world();
  model.press(ctrlKey('c'));
  await expect(model.result).rejects.toMatchObject({ code: 'interrupted', exit: 130 });
});
