import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { render, Text } from 'ink';
import { expect, test } from 'vitest';
import type { Mouse } from '../../../../components/shared/mouse-input.ts';
import { ScreenRoot } from '../../../../components/shared/screen-root.tsx';
import { UNICODE_GLYPHS } from '../../../../src/screen/look.ts';
import type { ScreenModel } from '../../../../src/screen/screen-model.ts';

test('a screen that ended while it was stopped does not take the mouse when it goes on', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const stdout = Object.assign(new PassThrough(), { columns: 80, rows: 24, isTTY: true });
  const signals: string[] = [];
  const process = Object.assign(new EventEmitter(), {
    pid: 1,
    kill: (_: number, signal: string) => signals.push(signal),
  });
  let isOn = false;
  const report = (on: boolean) => {
    isOn = on;
  };
  const mouse = { listen: () => {}, report };
  const screen = render(
    <ScreenRoot
      model={MODEL}
      View={() => <Text>shown</Text>}
      look={{ colour: false, glyphs: UNICODE_GLYPHS, plain: false }}
      process={process}
      mouse={mouse as unknown as Mouse}
      empty={() => {}}
    />,
    { stdin: stdin as never, stdout: stdout as never, interactive: true, patchConsole: false },
  );
  await expect.poll(() => isOn).toBe(true);
  process.emit('SIGTSTP');
  await expect.poll(() => signals).toEqual(['SIGSTOP']);
  expect(isOn).toBe(false);
  screen.unmount();
  process.emit('SIGCONT');
  await expect.poll(() => signals).toContain('SIGWINCH');
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOn).toBe(false);
});

const MODEL: ScreenModel = {
  result: new Promise(() => {}),
  press: () => undefined,
  resize: () => undefined,
  subscribe: () => () => undefined,
  version: () => 0,
};
