import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { render, Text } from 'ink';
import { expect, test } from 'vitest';
import { ScreenRoot } from '../../../../components/shared/run-screen.tsx';
import { ActionScreen } from '../../../../src/terminal/action-screen.ts';
import { UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';
import type { KeyedScreen, LendTerminal } from '../../../../src/terminal/screen-model.ts';

/** Shows a screen in a terminal and a process that are none. */
function start(model: KeyedScreen, report: (isOn: boolean) => void, empty = () => {}) {
  const stdin = Object.assign(new PassThrough(), {
    ...{ isTTY: true, setRawMode: () => {}, ref: () => {}, unref: () => {} },
  });
  const stdout = Object.assign(new PassThrough(), { columns: 80, rows: 24, isTTY: true });
  const signals: string[] = [];
  const process = Object.assign(new EventEmitter(), {
    pid: 1,
    kill: (_: number, signal: string) => signals.push(signal),
  });
  const openKeys = () => {
    report(true);
    return { close: () => report(false) };
  };
  const screen = render(
    <ScreenRoot
      model={new ActionScreen<unknown>(model)}
      View={() => <Text>shown</Text>}
      look={{ colour: false, glyphs: UNICODE_GLYPHS, plain: false }}
      process={process as never}
      openKeys={openKeys}
      empty={empty}
    />,
    { stdin: stdin as never, stdout: stdout as never, interactive: true, patchConsole: false },
  );
  return { process, signals, screen };
}

test('a screen that ended while it was stopped does not take the keys when it goes on', async () => {
  let isOn = false;
  const { process, signals, screen } = start(MODEL, (on) => {
    isOn = on;
  });
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

test('the key that stops it, held down, stops it once', async () => {
  let isOn = false;
  const { process, signals, screen } = start(MODEL, (on) => {
    isOn = on;
  });
  await expect.poll(() => isOn).toBe(true);
  process.emit('SIGTSTP');
  process.emit('SIGTSTP');
  await expect.poll(() => signals).toContain('SIGSTOP');
  process.emit('SIGTSTP');
  process.emit('SIGCONT');
  await expect.poll(() => isOn).toBe(true);
  await setTimeout(300);
  expect(signals.filter((signal) => signal === 'SIGSTOP')).toHaveLength(1);
  process.emit('SIGTSTP');
  await expect.poll(() => isOn).toBe(false);
  screen.unmount();
});

test('is drawn again after each change of the size, but never over another program', async () => {
  let isOn = false;
  let emptied = 0;
  let lend: LendTerminal | undefined;
  const model = {
    ...MODEL,
    takeTerminal: (given: LendTerminal) => {
      lend = given;
    },
  };
  const { process, screen } = start(
    model,
    (on) => {
      isOn = on;
    },
    () => emptied++,
  );
  await expect.poll(() => isOn).toBe(true);
  // The terminal was smaller for a moment, and has the size again that is known.
  process.emit('SIGWINCH');
  await expect.poll(() => emptied).toBe(1);
  await lend?.(async () => {
    process.emit('SIGWINCH');
    await setTimeout(100);
  });
  expect(emptied).toBe(1);
  process.emit('SIGWINCH');
  await expect.poll(() => emptied).toBe(2);
  screen.unmount();
});

const MODEL: KeyedScreen = {
  keys: () => [],
  result: new Promise(() => {}),
  press: () => undefined,
  resize: () => undefined,
  subscribe: () => () => undefined,
  version: () => 0,
};
