import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { renderToString } from 'ink';
import type { ComponentType } from 'react';
import { harmless } from '../../src/core/shown-text.ts';
import type { ActionScreen } from '../../src/terminal/action-screen.ts';
import {
  ctrlKey,
  type Key,
  keysOfText,
  namedKey,
  pasteKey,
  textKey,
} from '../../src/terminal/key.ts';
import { withoutSequences } from '../../src/terminal/keys-of-input.ts';
import type { ScreenTerminal, Size } from '../../src/terminal/screen-model.ts';
import { type DrawnScreenProps, LookProvider } from '../ui/screen.tsx';

/** Lines a plain screen has: enough for every list, since nothing has to fit a window. */
const PLAIN_ROWS = 40;

/** Columns it has at most: a wider screen has lists and panes side by side, which cannot be read line by line. */
const PLAIN_COLUMNS = 99;

/** What a key started may show at once: how long to wait for it before the screen is printed, in milliseconds. */
const SETTLE_MS = 150;

/** The answer to a line that changed nothing. */
const NOTHING_DONE = 'does nothing here; ? lists the keys';

/** Words for keys besides their names. */
const WORDS = new Map<string, Key>([
  ['', namedKey('enter')],
  ['esc', namedKey('escape')],
  ['back', namedKey('escape')],
  ['pgup', namedKey('page-up')],
  ['pgdn', namedKey('page-down')],
  ['space', { ...namedKey('enter'), name: 'text', text: ' ' }],
  ['yes', textKey('y')],
  ['no', textKey('n')],
]);

/**
 * Shows a screen as lines of text for screen readers and terminals that cannot move the cursor: the whole screen is
 * printed once, again after each line that is read, and when what it waited for has come. A line is one key, by its name
 * (`down`, `enter`, `esc`) or as a letter, or, where a text is asked for, the text. A line that does nothing gets one line
 * as its answer. An empty line is Enter only for what was printed: after another change it prints the screen. From a
 * terminal, a line confirms a question as a key does elsewhere: not if it was typed ahead.
 */
export async function runPlainScreen<Result>(
  model: ActionScreen<Result>,
  View: ComponentType<DrawnScreenProps>,
  { stdin, stdout, look, signal }: ScreenTerminal,
): Promise<Result> {
  const columns = Math.min(stdout.columns || 80, PLAIN_COLUMNS);
  const size: Size = { columns, rows: PLAIN_ROWS };
  model.resize(size);
  let shown = '';
  let shownVersion = 0;
  let waited = false;
  const draw = () =>
    renderToString(
      <LookProvider look={look}>
        <View model={model} size={size} />
      </LookProvider>,
      { columns: size.columns },
    );
  const showNothing = (line: string) => void stdout.write(`${harmless(line)}: ${NOTHING_DONE}\n> `);
  const show = (line = '', text = draw()) => {
    const isSame = text === shown && line !== '' && !model.isEarly();
    shown = text;
    shownVersion = model.version();
    waited = model.isWaiting();
    if (isSame) showNothing(line);
    else {
      const lines = text.split('\n').map((line) => line.trimEnd());
      stdout.write(`${lines.filter((line) => line !== '').join('\n')}\n> `);
    }
  };
  /** Prints the screen where it has changed; `false` where it has not. */
  const showNews = (before: string): boolean => {
    const text = draw();
    if (text === shown) return false;
    stdout.write(before);
    show('', text);
    return true;
  };
  let settling: NodeJS.Timeout | undefined;
  const unsubscribe = model.subscribe(() => {
    if (!waited || model.isWaiting()) return;
    settling ??= setTimeout(() => {
      settling = undefined;
      if (waited && !model.isWaiting()) showNews('\n');
    }, SETTLE_MS);
  });
  const lines = createInterface({ input: stdin, terminal: false });
  const readMs: number[] = [];
  lines.on('line', () => readMs.push(performance.now()));
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  let done = false;
  const result = Promise.race([model.result, aborted.promise]).finally(() => {
    done = true;
    lines.close();
  });
  const reading = (async () => {
    show();
    for await (const read of lines) {
      const line = stdin.isTTY ? withoutSequences(read) : read;
      const atMs = readMs.shift();
      const keys = keysOfLine(line, model.takesText());
      if (line.trim() === '' && model.version() !== shownVersion && showNews('')) {
        model.passOver(atMs);
        continue;
      }
      // What else changes on the screen at this moment is no answer to the line.
      if (line.trim() !== '' && keys.every((key) => !model.takes(key))) {
        showNothing(line.trim());
        model.passOver(atMs);
        continue;
      }
      for (const key of keys) model.press(key, atMs);
      await Promise.race([result.catch(() => undefined), pause(SETTLE_MS)]);
      if (done) return;
      show(line.trim());
    }
    if (!done) model.press(ctrlKey('c'));
  })();
  try {
    return await result;
  } finally {
    signal.removeEventListener('abort', onAbort);
    unsubscribe();
    clearTimeout(settling);
    await reading;
  }
}

/** The keys a line stands for: none for other words, whose letters could delete a file and confirm it. */
export function keysOfLine(line: string, takesText: boolean): readonly Key[] {
  const name = line.trim().toLowerCase();
  const letter = /^(?:ctrl-|\^)([a-z])$/.exec(name)?.[1];
  const named = /^(enter|up|down|left|right|escape|home|end|tab)$/.test(name);
  const own = named ? namedKey(name as 'enter') : WORDS.get(name);
  const word = letter === undefined ? own : ctrlKey(letter);
  if (takesText && word?.name !== 'escape' && word?.ctrl !== true) {
    return line === '' ? [namedKey('enter')] : [pasteKey(line), namedKey('enter')];
  }
  if (word !== undefined) return [word];
  return [...line.trim()].length > 1 ? [] : keysOfText(line.trim());
}
