import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { frameView } from '../../../../components/shared/frame-view.tsx';
import { runPlainScreen } from '../../../../components/shared/run-plain-screen.tsx';
import { ActionScreen } from '../../../../src/screen/action-screen.ts';
import { row } from '../../../../src/screen/key-table.ts';
import { UNICODE_GLYPHS } from '../../../../src/screen/look.ts';
import type { KeyedScreen } from '../../../../src/screen/screen-model.ts';
import { span } from '../../../../src/screen/span.ts';

test('a line that is no key does nothing, also while the screen changes by itself', async () => {
  const ended = Promise.withResolvers<void>();
  let drawn = 0;
  const keys = () => [row('q', 'quit', '', () => undefined)];
  const model: KeyedScreen<void> = {
    result: ended.promise,
    keys,
    press: ({ text }) => text === 'q' && ended.resolve(),
    resize: () => undefined,
    subscribe: () => () => undefined,
    version: () => drawn,
    frame: () => ({
      ...{ subject: '', aside: '', hints: keys() },
      lines: [{ line: [span(`drawn ${++drawn}`)] }],
    }),
  };
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  stdin.end('directory\n@\n\nq\n');
  await runPlainScreen(new ActionScreen(model), frameView('test'), {
    stdin: stdin as never,
    stdout: stdout as never,
    look: { colour: false, glyphs: UNICODE_GLYPHS, plain: true },
    mouse: false,
    signal: new AbortController().signal,
  });
  const shown = String(stdout.read()).split('> ');
  expect(shown[1]).toBe('directory: does nothing here; ? lists the keys\n');
  expect(shown[2]).toBe('@: does nothing here; ? lists the keys\n');
  // An empty line shows the screen again.
  expect(shown[3]).toContain('drawn 2');
  expect(drawn).toBe(2);
});
