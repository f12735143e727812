import { describe, expect, test } from 'vitest';
import { outputLines } from '../../../../components/hooks/hooks-state.ts';
import { HooksView } from '../../../../components/hooks/hooks-view.tsx';
import { NIL_MAP } from '../../../../src/go/go-value.ts';
import { cellWidth } from '../../../../src/terminal/cells.ts';
import { ASCII_GLYPHS, type Look, UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';
import { redactor, redactTarget } from '../../../../src/webhook/log/redact.ts';
import { shownRequest } from '../../../../src/webhook/log/shown-request.ts';
import type { RuleExplanation } from '../../../../src/webhook/rule/judge-rule.ts';
import { showScreen } from '../draw-screen.tsx';
import { filledScreen, hook, keyedScreen, run, screen } from './screen-world.ts';

const ASCII = { colour: false, glyphs: ASCII_GLYPHS, plain: false };

/** The rows of the window. */
function frame(shown: ReturnType<typeof screen>, columns = 70, rows = 12, look: Look = ASCII) {
  return showScreen(keyedScreen(shown), HooksView, 'hooks').draw({ columns, rows }, look);
}

/** The rows of the content, without blank ones at its end. */
function texts(shown: ReturnType<typeof screen>, columns?: number, rows?: number) {
  const content = frame(shown, columns, rows).slice(1, -1);
  return content.slice(0, content.findLastIndex((row) => row !== '') + 1);
}

/** What stands beside the content on a wide screen. */
function beside(shown: ReturnType<typeof screen>, rows = 24) {
  return frame(shown, 120, rows)
    .slice(2, -2)
    .map((row) => row.split(' | ')[1] ?? '');
}

describe('the list of hooks', () => {
  test('tells how the last run of each went', () => {
    const shown = filledScreen();
    expect(texts(shown)).toEqual([
      '  Hooks   state    received    took',
      '> deploy  done     1 min ago',
      '  idle    no request yet',
    ]);
    shown.press('a');
    expect(texts(shown)[0]).toBe('  Runs    state    received    took');
    shown.press('q');
    expect(frame(shown)[0]).toMatch(/^syncer hooks +2 hooks$/);
  });

  test('tells what runs, and why not', () => {
    const shown = screen();
    const explanation: RuleExplanation = {
      outcome: 'no',
      what: 'and',
      parts: [{ outcome: 'no', what: 'value of url "ref"', why: 'it is "a", not "b"', parts: [] }],
    };
    const going = run('1', { state: 'running', startedMs: 31_000 });
    shown.happen({
      type: 'hooks',
      hooks: [
        hook('busy', { running: 2, waiting: 3, last: going }),
        hook('no', { last: run('2', { state: 'refused', explanation }) }),
      ],
    });
    expect(texts(shown).slice(1)).toEqual([
      '> busy   running  1 min ago   30.0 s      2 running, 3 waiting',
      `${'  no     refused  1 min ago               value of url "ref": it is "a", not "b"'.slice(0, 69)}~`,
    ]);
    expect(frame(shown)[0]).toMatch(/ 2 running$/);
  });

  test('cuts no time in a small window, and its page does not repeat the name of a hook', () => {
    const shown = screen();
    const going = run('1', { hook: 'deploy-api', state: 'running', startedMs: 1000 });
    const hooks = [hook('deploy-api', { last: going }), hook('nightly-backup')];
    shown.happen({ type: 'hooks', hooks });
    shown.happen({ type: 'run', run: going });
    expect(texts(shown, 40, 12)).toEqual([
      '  Hooks           state    received',
      '> deploy-api      running  1 min ago',
      '  nightly-backup  no request yet',
    ]);
    shown.press('Enter');
    expect(texts(shown, 80, 12)).toEqual([
      '  state    received    took',
      '> running  1 min ago   1 min 0 s',
    ]);
  });

  test('on a wide screen the last run of the hook under the cursor stands beside it', () => {
    const shown = screen();
    const last = run('3', { state: 'refused' });
    shown.happen({ type: 'hooks', hooks: [hook('a', { refused: 3, last })] });
    expect(beside(shown).slice(0, 2)).toEqual(['a', '3 refused']);
    expect(beside(shown).join('\n')).toMatch(/^state +refused$/m);
    expect(frame(shown, 99, 24).slice(0, -1).join('')).not.toContain('|');
    const lines = Array.from({ length: 40 }, (_, n) => `line ${n}`);
    shown.happen({ type: 'beside', run: '3', output: `${lines.join('\n')}\n` });
    expect(beside(shown)).toContain('Last lines of its output');
    expect(beside(shown).at(-1)).toBe('line 39');
    const fitting = beside(shown).filter((text) => text.startsWith('line '));
    shown.happen({ type: 'beside', run: '3', output: `${fitting.join('\n')}\n` });
    expect(beside(shown).slice(-fitting.length - 1)).toEqual(['Its output', ...fitting]);
    // Of another run it is not what stands there.
    shown.happen({ type: 'beside', run: '2', output: 'other' });
    expect(beside(shown).join('\n')).not.toMatch(/output|other/);
  });

  test('counts refused and failed runs behind the last one', () => {
    const shown = screen();
    const last = run('3', { state: 'refused' });
    shown.happen({
      type: 'hooks',
      hooks: [
        hook('a', { refused: 2, failed: 1, last: run('1') }),
        hook('b', { refused: 2, last }),
      ],
    });
    expect(texts(shown).slice(1)).toEqual([
      '> a      done     1 min ago               2 refused, 1 failed',
      '  b      refused  1 min ago               2 refused',
    ]);
    shown.happen({ type: 'run', run: run('4', { hook: 'a', state: 'refused' }) });
    expect(texts(shown)[1]).toMatch(/refused .* 3 refused, 1 failed$/);
  });

  test('says that there is nothing', () => {
    expect(texts(screen())).toEqual(['  The server has no hooks.']);
  });
});

describe('what is shown', () => {
  test('takes no more room than there is', () => {
    const shown = filledScreen();
    const runs = Array.from({ length: 50 }, (_, i) =>
      run(`${i}`, { hook: `hook-${'é漢'.repeat(20)}` }),
    );
    shown.happen({ type: 'history', runs });
    shown.press('a', 'end', 'up');
    for (const [columns, rows] of [
      [20, 5],
      [80, 24],
      [7, 3],
    ] as const) {
      const drawn = frame(shown, columns, rows);
      expect(drawn).toHaveLength(rows);
      expect(drawn.filter((row) => row.startsWith('>'))).toHaveLength(1);
      for (const row of drawn) expect(cellWidth(row)).toBeLessThanOrEqual(columns);
    }
  });

  test('of a run are its request and the end of its output', () => {
    const shown = filledScreen();
    shown.press('a', 'end', 'enter');
    expect(texts(shown).slice(0, 3)).toEqual([
      ...['run       1', 'hook      deploy', 'state     failed: exit status 1'],
    ]);
    const text = Array.from({ length: 30 }, (_, i) => `${i}\n`).join('');
    shown.happen({ type: 'output', run: '1', text });
    expect(texts(shown)).toContain('output, 30 lines, following');
    expect(texts(shown).at(-1)).toBe('29');
    shown.press('home');
    expect(texts(shown)).toContain('0');
    expect(texts(shown)).toContain('output, 30 lines');
  });

  test('of a refused run are the rule as a tree, and its headers and body', () => {
    const screenNow = screen();
    const { press, happen } = screenNow;
    const explanation: RuleExplanation = {
      ...{ outcome: 'no', what: 'and' },
      parts: [
        { outcome: 'yes', what: 'signature', parts: [] },
        { outcome: 'no', what: 'value of payload "ref"', why: 'it is "dev"', parts: [] },
      ],
    };
    const refused = run('1', { state: 'refused', explanation });
    const request = {
      headers: [['Authorization', '***'] as const, ['Content-Type', 'application/json'] as const],
      ...{ body: '{\n  "ref": "dev"\n}', bodyBytes: 13 },
    };
    happen(
      { type: 'hooks', hooks: [hook('deploy', { last: refused })] },
      { type: 'history', runs: [refused] },
    );
    press('a', 'enter');
    expect(beside(screenNow, 30).slice(0, 3)).toEqual(['Request', 'loading', '']);
    happen({ type: 'details', details: { run: refused, output: '', canRerun: true, request } });
    expect(beside(screenNow, 30)).toContain('Authorization: ***');
    const shown = texts(screenNow, 70, 30);
    expect(shown.slice(shown.indexOf('rule'))).toEqual([
      ...['rule', '  no    and', '    yes   signature'],
      '    no    value of payload "ref": it is "dev"',
      ...['', 'request, 6 lines', 'Authorization: ***', 'Content-Type: application/json', ''],
      ...['{', '  "ref": "dev"', '}'],
    ]);
    expect(texts(screenNow, 70, 12)).toContain('    no    value of payload "ref": it is "dev"');
    expect(texts(screenNow, 70, 12)).not.toContain('Authorization: ***');
    const look = { colour: true, glyphs: UNICODE_GLYPHS, plain: false };
    const signs = frame(screenNow, 70, 30, look).map((row) => row.trimEnd());
    expect(signs).toEqual(expect.arrayContaining(['  ✗ and', '    ✓ signature']));
    expect(frame(screenNow, 120, 30).at(-1)).not.toMatch(/output|follow/);
    happen({ type: 'output', run: '1', text: 'out\n' });
    expect(frame(screenNow, 120, 30).at(-1)).toMatch(/v request or output.*f follow/);
    expect(texts(screenNow, 70, 30)).toContain('output, 1 line, following');
    press('v');
    expect(texts(screenNow, 70, 30)).toContain('Authorization: ***');
    happen({ type: 'details', details: { run: refused, output: '', canRerun: false } });
    expect(texts(screenNow, 70, 30)).toContain(
      'The request was not kept: its body is larger than 256 KiB.',
    );
  });

  test('the list of runs and the panel of one show no secrets', () => {
    const screenNow = screen();
    const { press, happen } = screenNow;
    const body = '{"a":[{"pin":12}],"ref":"SECRET01"}';
    const given = {
      ...{ method: 'POST', remoteAddress: '10.0.0.1:5', body: Buffer.from(body) },
      headers: new Map([
        ['Authorization', 'Bearer SECRET01'],
        ['Cookie', 'a=SECRET02'],
        ['X-Copy', 'SECRET02 of-the-server'],
      ]),
      query: new Map([['token', 'SECRET03']]),
      payload: NIL_MAP,
    };
    const redact = redactor(undefined, given, new Map(), ['of-the-server']);
    const target = redactTarget('/hooks/deploy?token=SECRET03&a=SECRET01', redact);
    const refused = run('1', { state: 'refused', target });
    happen(
      { type: 'hooks', hooks: [hook('deploy', { last: refused })] },
      { type: 'history', runs: [refused] },
    );
    const request = shownRequest(undefined, given, ['of-the-server']);
    press('a');
    const list = texts(screenNow, 120, 30);
    press('enter');
    happen({ type: 'details', details: { run: refused, output: '', canRerun: true, request } });
    const panel = texts(screenNow, 120, 40);
    expect([...list, ...panel].join('\n')).not.toMatch(/SECRET|of-the-server|12/);
    for (const part of [
      ...['POST /hooks/deploy?token=***&a=*** from 10.0.0.1:5', 'Authorization: ***'],
      ...['Cookie: ***', 'X-Copy: *** ***', '"pin": "***"', '"ref": "***"'],
    ]) {
      expect(panel).toContainEqual(expect.stringContaining(part));
    }
  });

  test('of a refused request, that the rules decide again; and that there is no output', () => {
    const shown = filledScreen();
    shown.happen({ type: 'history', runs: [run('9', { state: 'refused' })] });
    shown.press('a', 'r');
    const asked = texts(shown, 80).slice(2).join(' ');
    expect(asked).toContain('again with the request of 9? Its rules decide again.');
    shown.press('n', 'enter', 'f');
    expect(frame(shown, 80).at(-2)).toBe('the run has no output yet');
    shown.press('v');
    expect(frame(shown, 80).at(-2)).not.toContain('no output');
    shown.press('v');
    expect(frame(shown, 80).at(-2)).toBe('the run has no output yet');
  });

  test('a question below the list, and a message above the keys', () => {
    const shown = filledScreen();
    const { press, happen } = shown;
    press('r');
    const asked = 'Run deploy again with the request of 3? Its command starts.';
    expect(frame(shown, 80, 10).slice(1, 5)).toEqual([
      expect.stringContaining('  Hooks'),
      expect.stringContaining('> deploy'),
      expect.stringContaining('  idle'),
      asked,
    ]);
    expect(frame(shown, 80, 10).at(-1)).toBe('y run again | n cancel');
    expect(frame(shown, 120, 24).join('\n')).toContain(`| ${asked} |`);
    press('n');
    happen({ type: 'gone' });
    expect(frame(shown).at(-2)).toBe('The server stopped. q quits.');
    press('enter');
    expect(frame(shown).at(-2)).toBe('The server stopped. Ctrl-C quits.');
  });
});

describe('output as lines', () => {
  test.each([
    ['a\nb\n', ['a', 'b']],
    ['a\r\n\r\nb', ['a', '', 'b']],
    ['10%\r50%\r100%\n', ['100%']],
    ['\x1b[31mred\x1b[0m \x1b]0;title\x07x\x1b[2K', ['red x']],
    ['a\tb\x07', ['a    b␇']],
    ['', []],
    ['123456789012', ['1234567890', '12']],
  ])('%j', (output, lines) => {
    expect(outputLines(output, 10)).toEqual(lines);
  });
});
