import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { openReport } from '../../../../src/run/progress/run-report.ts';
import { parseCommandLine } from '../../../../src/shell/command-line/parse-command-line.ts';
import { KnownSecrets } from '../../../../src/shell/log/known-secrets.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

async function reportOf(...words: readonly string[]) {
  const vocabulary = { commands: COMMANDS, backendFlags: [], env: {}, nowMs: 0 };
  const line = parseCommandLine(words, vocabulary);
  const shown: string[] = [];
  const io = {
    ...{ argv: [], env: {}, stdin: Readable.from([]), signal: new AbortController().signal },
    stdout: { write: () => true, on: () => {} },
    stderr: { write: (bytes: Uint8Array) => void shown.push(String(bytes)), on: () => {} },
  };
  const report = await openReport(
    line,
    { name: 'copy' },
    io,
    new ManualClock(),
    new KnownSecrets(),
  );
  return {
    report,
    seen: () =>
      shown
        .splice(0)
        .join('')
        .replace(/^[\d/]+ [\d:]+ [A-Z]+ *: /gm, '')
        .split('\n'),
  };
}

test('what is logged while a screen is shown comes after it, in order', async () => {
  const { report, seen } = await reportOf('ncdu');
  report.tell('notice', 'before');
  expect(seen()).toEqual(['before', '']);
  const [outer, inner] = [report.hold(), report.hold()];
  report.tell('notice', 'one');
  report.tell('info', 'not shown');
  inner();
  report.tell('error', 'two');
  expect(seen()).toEqual(['']);
  outer();
  report.tell('notice', 'three');
  expect(seen()).toEqual(['one', 'two', 'three', '']);
});

test('of many lines the last ones are shown, and the others are counted', async () => {
  const { report, seen } = await reportOf('ncdu');
  const show = report.hold();
  for (let n = 0; n < 250; n++) report.tell('notice', `line ${n}`);
  show();
  const lines = seen();
  expect(lines[0]).toBe('(150 earlier lines of the log are not shown)');
  expect(lines.slice(1)).toEqual([...Array.from({ length: 100 }, (_, n) => `line ${n + 150}`), '']);
});

test('--quiet-unless keeps them, too', async () => {
  const { report, seen } = await reportOf('copy', '--quiet-unless', 'error');
  const show = report.hold();
  report.tell('notice', 'one');
  show();
  expect(seen()).toEqual(['']);
  report.showHeld();
  expect(seen()).toEqual(['one', '']);
});
