import { describe, expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import { applyEvent } from '../../../../src/shell/progress/progress-state.ts';
import { openFits } from '../../../../src/shell/progress/view-lines.ts';
import { noteEvent, tickView } from '../../../../src/shell/progress/view-state.ts';
import { type Key, namedKey } from '../../../../src/terminal/key.ts';
import { ASCII_GLYPHS, UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';
import { span } from '../../../../src/terminal/span.ts';
import { aRun, controls, frame } from './view-frame.ts';

test('memory and its limit, if there is one and room for it', () => {
  const memory = { used: 143.4 * 1024 ** 2, limit: 256 * 1024 ** 2 };
  expect(frame(aRun(3), 80, 24, { memory })[2]).toBe('files 0 of 20 · 4s · mem 143/256M');
  expect(frame(aRun(3), 24, 24, { memory })[2]).toBe('files 0 of 20 · 4s');
});

test('the view says what the server has copied of a file, which is not to be sent', () => {
  const run = aRun(1);
  applyEvent(run.state, { type: 'transfer-copied', id: 1, bytes: 3 * 1024 ** 2 });
  expect(frame(run, 80, 24)[2]).toBe('files 0 of 20 · server copied 3.0 MiB · 4s');
});

test('at 80x24', () => {
  expect(frame(aRun(3), 80, 24)).toMatchInlineSnapshot(`
    [
      "▉▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁   1%",
      "234 KiB of 19 MiB  59 KiB/s  ████  ETA 5m30s",
      "files 0 of 20 · 4s",
      "  photos/2024/a long … file number 1.jpg ▋▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁   4%  9.8 KiB/s  1m36s",
      "  ファイル␛[2J/写真.jpg                  █▎▁▁▁▁▁▁▁▁▁▁▁▁▁▁   8%   20 KiB/s    46s",
      "  photos/2024/a long … file number 3.jpg █▉▁▁▁▁▁▁▁▁▁▁▁▁▁▁  12%   29 KiB/s    29s",
      "p pause · q stop · + - 4 in parallel · b limit · ? keys · : actions",
    ]
  `);
});

test('at 40x12 with more transfers than there is room for', () => {
  expect(frame(aRun(12), 40, 12)).toMatchInlineSnapshot(`
    [
      "█████▎▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁  15%",
      "3.0 MiB of 19 MiB  762 KiB/s  ETA 21s",
      "files 0 of 20 · 4s",
      "  photos/2024…mber 1.jpg   4%  9.8 KiB/s",
      "  ファイル␛[2J/写真.jpg    8%   20 KiB/s",
      "  photos/2024…mber 3.jpg  12%   29 KiB/s",
      "  photos/2024…mber 4.jpg  16%   39 KiB/s",
      "  photos/2024…mber 5.jpg  20%   49 KiB/s",
      "  photos/2024…mber 6.jpg  24%   59 KiB/s",
      "  and 6 more",
      "p pause · q stop · b limit · ? keys",
    ]
  `);
});

test('without UTF-8', () => {
  expect(frame(aRun(1), 80, 24, {}, ASCII_GLYPHS).join('\n')).toMatch(/^#*-+ +1?\d*%[\s\S]*\|/);
});

test('a terminal of two lines has one left for the view', () => {
  expect(frame(aRun(3), 20, 2)).toHaveLength(1);
});

describe('what is going on beside', () => {
  test('a pause, and what the key then does', () => {
    const text = frame(aRun(1), 80, 24, { isPaused: true }).join('\n');
    expect(text).toContain('paused');
    expect(text).toContain('p resume');
    expect(text).not.toContain('ETA');
  });

  test('in a pause the rows have no speeds and no times', () => {
    const [, , , row] = frame(aRun(1), 80, 24, { isPaused: true });
    expect(row).toMatch(/4% {10}- {6}-$/);
    const run = aRun(0);
    for (let id = 1; id <= 2; id++)
      applyEvent(run.state, { type: 'transfer-start', id, kind: 'copy', path: `d/${id}`, size: 9 });
    run.view.fileRate = 12;
    expect(frame(run, 80, 24)[3]).toContain('2 small files, 12 files/s');
    expect(frame(run, 80, 24, { isPaused: true })[3]).toMatch(/2 small files$/);
  });

  test('in a pause no row stays empty between others', () => {
    const run = aRun(3);
    frame(run, 80, 24);
    applyEvent(run.state, { type: 'transfer-end', id: 2 });
    expect(frame(run, 80, 24)[4]).toBe('');
    expect(frame(run, 80, 24, { isPaused: true })[4]).toMatch(/number 3\.jpg/);
  });

  test.each([
    [100, 24],
    [40, 12],
    [20, 8],
    [20, 3],
    [12, 2],
  ])(
    'the question whether to stop another run is whole at %ix%i, or not there',
    (columns, rows) => {
      const asked = { attachedTo: 'syncer sync /home/me/photos shelf:photos', keys: ['s'] };
      const text = frame(aRun(3), columns, rows, asked).join(' ').replace(/\s+/g, ' ');
      const fits = openFits({ kind: 'stop' }, { ...controls, ...asked }, { columns, rows });
      expect(fits).toBe(rows > 3);
      const question = 'stop syncer sync /home/me/photos shelf:photos? y yes, stop it, n cancel';
      expect(text.includes(question)).toBe(fits);
      expect(text.includes('y yes')).toBe(fits);
    },
  );

  test('a stop says what Ctrl-C would do now', () => {
    const text = frame(aRun(1), 80, 24, { isStopping: true }).join('\n');
    expect(text).toContain('stopping');
    expect(text).toContain(
      'finishing the current files; Ctrl-C stops now: up to 39 KiB would be sent again',
    );
    expect(frame(aRun(0), 80, 24, { isStopping: true }).at(-1)).toMatch(/Ctrl-C stops now$/);
  });

  test('a store that asks to slow down is named for some seconds', () => {
    const run = aRun(1);
    const error = new SyncerError('throttled', 'cannot write b/x: SlowDown');
    const wait = { type: 'wait', why: 'throttled', ms: 2000, what: 'write b/x', error } as const;
    noteEvent(run.view, run.state, wait, 3500);
    const why = 'cannot write: SlowDown: write b/x';
    expect(frame(run, 80, 24)).toContain(`! throttled (1, waiting 1.5 s): ${why}`);
    expect(frame(run, 80, 24, {}, UNICODE_GLYPHS, 7000)).toContain(`! throttled (1): ${why}`);
    expect(frame(run, 80, 24, {}, UNICODE_GLYPHS, 20_000).join('')).not.toContain('slowed');
  });

  test('the last error is named with its path, harmlessly and cut to the width', () => {
    const run = aRun(1);
    const error = new SyncerError('access-denied', `no\x1b[2J ${'x'.repeat(90)}`, { path: 'a/b' });
    applyEvent(run.state, { type: 'error', error });
    const told = frame(run, 60, 24).find((line) => line.startsWith('✗'));
    expect(told).toMatch(/^✗ a\/b: no␛\[2J x+…$/);
  });

  test('a limit that is typed, with what is wrong with it', () => {
    const last = (...keys: (string | Key)[]) => frame(aRun(1), 80, 24, { keys }).at(-1);
    expect(last('b')).toBe('limit:   500k, 10M, off');
    expect(last('babc', namedKey('enter'))).toBe('limit: abc   Not a rate. Use 500k, 10M or off.');
    expect(frame(aRun(1), 80, 24, { limit: 1024 ** 2 }).join('\n')).toContain('(limit 1.0 MiB/s)');
  });

  test('the keys in place of the transfers', () => {
    const text = frame(aRun(3), 80, 24, { keys: ['?'] }).join('\n');
    expect(text).toContain('Ctrl-C Ctrl-C  twice: stop immediately');
    expect(text).not.toContain('a long name');
  });

  test('without keys none are told', () => {
    expect(frame(aRun(1), 80, 24, { hasKeys: false }).join('\n')).not.toContain('pause');
  });
});

describe('what a transfer waits for', () => {
  test('a file that is read for a hash', () => {
    const run = aRun(0);
    const film = { id: 7, kind: 'copy', path: 'film.mov', size: 4e9 } as const;
    applyEvent(run.state, { type: 'transfer-start', ...film });
    applyEvent(run.state, { type: 'transfer-hashed', id: 7, bytes: 1.4e9 });
    expect(frame(run, 80, 24)).toContainEqual(
      expect.stringMatching(/^ {2}film\.mov +reading checksum 35%$/),
    );
    expect(frame(run, 40, 12)).toContainEqual(
      expect.stringMatching(/^ {2}film\.mov +checksum 35%$/),
    );
    applyEvent(run.state, { type: 'transfer-hashed', id: 7, bytes: 4e9 });
    expect(frame(run, 80, 24).join('\n')).not.toContain('checksum');
  });

  test('a retry shows at its file, with the cause below', () => {
    const run = aRun(3);
    const path = 'photos/2024/a long name of a file number 1.jpg';
    const error = new SyncerError('network', 'nothing listens at 127.0.0.1:9 (connection refused)');
    const wait = { type: 'wait', why: 'retry', ms: 4200, what: `write b/${path}`, error } as const;
    noteEvent(run.view, run.state, wait, 4000);
    const text = frame(run, 120, 24).join('\n');
    expect(text).toMatch(/file number 1\.jpg +retry in 5 s\n/);
    expect(text).toContain(`! retries (1, waiting 4.2 s): ${error.message}: write b/ph`);
    const log = {
      ...({ type: 'log', level: 'debug', path, code: 'copy-retry' } as const),
      fields: { ms: 1500, attempt: 1, of: 10, why: new SyncerError('throttled', 'SlowDown') },
    };
    noteEvent(run.view, run.state, log, 4000);
    expect(frame(run, 120, 24).join('\n')).toMatch(/number 1\.jpg +retry in 2 s\n/);
  });

  test('while directories are listed the number of entries is shown', () => {
    const run = aRun(1);
    applyEvent(run.state, { type: 'listed', entries: 1 });
    tickView(run.view, run.state, 4500, false);
    expect(frame(run, 80, 24).join('')).toMatch(/listing, 1 entry(?!\w)/);
    applyEvent(run.state, { type: 'listed', entries: 12_344 });
    tickView(run.view, run.state, 5000, false);
    expect(frame(run, 80, 24)).toContain('files 0 of 20 · 4s · listing, 12,345 entries');
    tickView(run.view, run.state, 6000, false);
    expect(frame(run, 80, 24).join('')).not.toContain('listing');
  });
});

test('small files share a row with their directory and their number a second', () => {
  const run = aRun(1);
  const small = (id: number) =>
    applyEvent(run.state, {
      ...({ type: 'transfer-start', id, kind: 'copy', size: 3000 } as const),
      path: `many/dir${id % 7}/f${id}`,
    });
  for (let id = 10; id < 320; id++) {
    small(id);
    applyEvent(run.state, { type: 'transfer-end', id });
  }
  for (let id = 400; id < 464; id++) small(id);
  tickView(run.view, run.state, 5000, false);
  const lines = frame(run, 80, 24);
  expect(lines.slice(3, 6)).toEqual([
    expect.stringMatching(/^ {2}many\/ +64 small files, 310 files\/s$/),
    expect.stringContaining('file number 1.jpg'),
    expect.stringContaining('p pause'),
  ]);
  expect(frame(run, 40, 12)[3]).toMatch(/^ {2}many\/ +64 small files$/);
});

test('small files of several directories have their number on the left', () => {
  const run = aRun(1);
  for (let id = 10; id < 320; id++) {
    applyEvent(run.state, {
      ...({ type: 'transfer-start', id, kind: 'copy', size: 3000 } as const),
      path: `dir${id % 7}/f${id}`,
    });
    if (id < 300) applyEvent(run.state, { type: 'transfer-end', id });
  }
  tickView(run.view, run.state, 5000, false);
  expect(frame(run, 80, 24)[3]).toMatch(/^ {2}20 small files +290 files\/s$/);
});

describe('errors', () => {
  const fail = (run: ReturnType<typeof aRun>, path: string, message: string) => {
    applyEvent(run.state, {
      type: 'error',
      error: new SyncerError('access-denied', message),
      path,
    });
  };

  test('equal ones are one line with a count', () => {
    const run = aRun(1);
    for (let n = 0; n < 84; n++) fail(run, `d/f${n}`, `cannot write b/d/f${n}: access denied`);
    expect(frame(run, 80, 24)).toContain('✗ 84 files: cannot write: access denied');
    fail(run, 'x', 'cannot read /home/x: input error');
    expect(frame(run, 80, 24)).toContain('✗ 85 errors, the last: x: cannot read: input error');
    expect(frame(run, 80, 24).at(-1)).toContain('e errors');
  });

  test('the list names each cause once, and stands before the figures', () => {
    const run = aRun(1);
    for (let n = 0; n < 84; n++) fail(run, `d/f${n}`, `cannot write b/d/f${n}: access denied`);
    const keys = ['e'];
    expect(frame(run, 80, 24, { keys }).filter((line) => line.startsWith('✗'))).toHaveLength(1);
    expect(frame(run, 30, 4, { keys })).toEqual([
      '✗ 84 files: cannot write: acc…',
      '    d/f0',
      'e back · q stop · ? keys',
    ]);
  });

  test('are a list to scroll', () => {
    const run = aRun(1);
    for (let n = 0; n < 84; n++) fail(run, `d/f${n}`, `cannot write b/d/f${n}: access denied`);
    const at = (steps: number) =>
      frame(run, 80, 24, { keys: ['e', ...Array.from({ length: steps }, () => namedKey('down'))] });
    expect(at(0)).toContain('    d/f0');
    expect(at(80)).toContain('    d/f83');
    expect(at(80).at(-1)).toBe(
      'e back · ↑↓ scroll · p pause · q stop · + - 4 in parallel · b limit · ? keys',
    );
    expect(frame(aRun(1), 80, 24, { keys: ['e'] })).toContain('  No errors.');
  });
});

test(': shows what the typed words find in the place of the transfers, also while it stops', () => {
  const keys = [':fer', namedKey('down')];
  for (const isStopping of [false, true]) {
    expect(frame(aRun(3), 60, 12, { keys, isStopping }).slice(3)).toEqual([
      '  +      more parallel transfers',
      '❯ -      fewer parallel transfers',
      ': fer',
    ]);
  }
});

test('an overview stands where the figures of this process do; its transfers and keys stay', () => {
  const overview = [[span('a run of many machines')]];
  const lines = frame(aRun(2), 80, 24, { overview });
  expect(lines[0]).toBe('a run of many machines');
  expect(lines[1]).toMatch(/number 1\.jpg/);
  expect(lines.join('\n')).not.toContain('files 0 of');
  expect(lines.at(-1)).toContain('p pause');
});
