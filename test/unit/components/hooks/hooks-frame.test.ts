import { describe, expect, test } from 'vitest';
import { hooksFrame } from '../../../../components/hooks/hooks-frame.ts';
import type { HooksState } from '../../../../components/hooks/hooks-state.ts';
import { outputLines } from '../../../../components/hooks/output-lines.ts';
import { cellWidth } from '../../../../src/terminal/cells.ts';
import { footerKeys } from '../../../../src/terminal/key-table.ts';
import { ASCII_GLYPHS, UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';
import type { RuleExplanation } from '../../../../src/webhook/rule/explain-rule.ts';
import { filledScreen, hook, run, screen } from './screen-world.ts';

const look = { colour: false, glyphs: ASCII_GLYPHS, plain: false };
const frame = (state: HooksState, columns = 70, rows = 12) =>
  hooksFrame(state, { columns, rows }, look, 61_000);
const texts = (state: HooksState, columns?: number, rows?: number) =>
  frame(state, columns, rows).lines.map(({ line }) =>
    line
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );

describe('the list of hooks', () => {
  test('tells how the last run of each went', () => {
    const { state } = filledScreen();
    expect(texts(state())).toEqual(['> deploy  done      1 min ago', '  idle    no request yet']);
    expect(frame(state())).toMatchObject({ aside: '2 hooks', status: undefined });
    expect(frame(state()).lines.map(({ selected }) => selected)).toEqual([true, false]);
  });

  test('tells what runs, and why not', () => {
    const { happen, state } = screen();
    const explanation: RuleExplanation = {
      outcome: 'no',
      what: 'and',
      parts: [{ outcome: 'no', what: 'value of url "ref"', why: 'it is "a", not "b"', parts: [] }],
    };
    const going = run('1', { state: 'running', startedMs: 31_000 });
    happen({
      type: 'hooks',
      hooks: [
        hook('busy', { running: 2, waiting: 3, last: going }),
        hook('no', { last: run('2', { state: 'refused', explanation }) }),
      ],
    });
    expect(texts(state())).toEqual([
      '> busy  running   1 min ago   30.0 s    2 running, 3 waiting',
      `${'  no    refused   1 min ago             value of url "ref": it is "a", not "b"'.slice(0, 69)}~`,
    ]);
    expect(frame(state()).aside).toBe('2 running');
  });

  test('on a wide screen the last run of the hook under the cursor stands beside it', () => {
    const { happen, state } = screen();
    const last = run('3', { state: 'refused' });
    happen({ type: 'hooks', hooks: [hook('a', { refused: 3, last })] });
    const wide = frame(state(), 120, 24);
    const beside = wide.pane?.map((line) => line.map(({ text }) => text).join('')) ?? [];
    expect(beside.slice(0, 2)).toEqual(['a', '3 refused']);
    expect(beside.join('\n')).toMatch(/^state +refused$/m);
    expect(frame(state(), 99, 24).pane).toBeUndefined();
  });

  test('counts refused and failed runs behind the last one', () => {
    const { happen, state } = screen();
    const last = run('3', { state: 'refused' });
    happen({
      type: 'hooks',
      hooks: [
        hook('a', { refused: 2, failed: 1, last: run('1') }),
        hook('b', { refused: 2, last }),
      ],
    });
    expect(texts(state())).toEqual([
      '> a     done      1 min ago             2 refused, 1 failed',
      '  b     refused   1 min ago             2 refused',
    ]);
    happen({ type: 'run', run: run('4', { hook: 'a', state: 'refused' }) });
    expect(texts(state())[0]).toMatch(/refused .* 3 refused, 1 failed$/);
  });

  test('says that there is nothing', () => {
    expect(texts(screen().state())).toEqual(['  The server has no hooks.']);
  });
});

describe('what is shown', () => {
  test('takes no more room than there is', () => {
    const { press, happen, state } = filledScreen();
    const runs = Array.from({ length: 50 }, (_, i) =>
      run(`${i}`, { hook: `hook-${'é漢'.repeat(20)}` }),
    );
    happen({ type: 'history', runs });
    press('a', 'end', 'up');
    for (const [columns, rows] of [
      [20, 5],
      [80, 24],
      [7, 3],
    ] as const) {
      const { lines } = frame(state(), columns, rows);
      expect(lines.length).toBeLessThanOrEqual(rows - 2);
      expect(lines.filter(({ selected }) => selected)).toHaveLength(1);
      for (const { line } of lines) {
        expect(line.reduce((sum, { text }) => sum + cellWidth(text), 0)).toBeLessThanOrEqual(
          columns,
        );
      }
    }
  });

  test('of a run are its request and the end of its output', () => {
    const { press, happen, state } = filledScreen();
    press('a', 'end', 'enter');
    expect(texts(state()).slice(0, 3)).toEqual([
      ...['run       1', 'hook      deploy', 'state     failed: exit status 1'],
    ]);
    happen({
      type: 'output',
      run: '1',
      text: Array.from({ length: 30 }, (_, i) => `${i}\n`).join(''),
    });
    const shown = texts(state());
    expect(shown).toContain('output, 30 lines, following');
    expect(shown.at(-1)).toBe('29');
    press('home');
    expect(texts(state())).toContain('0');
    expect(texts(state())).toContain('output, 30 lines');
  });

  test('of a refused run are the rule as a tree, and its headers and body', () => {
    const { press, happen, state } = screen();
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
    const beside = () => frame(state(), 120, 30).pane?.map(([first]) => first?.text);
    expect(beside()).toEqual(['Request', 'loading']);
    happen({ type: 'details', details: { run: refused, output: '', canRerun: true, request } });
    expect(beside()).toContain('Authorization: ***');
    const shown = texts(state(), 70, 30);
    expect(shown.slice(shown.indexOf('rule'))).toEqual([
      ...['rule', '  no    and', '    yes   signature'],
      '    no    value of payload "ref": it is "dev"',
      ...['request, 6 lines', 'Authorization: ***', 'Content-Type: application/json', ''],
      ...['{', '  "ref": "dev"', '}'],
    ]);
    expect(texts(state(), 70, 12)).toContain('    no    value of payload "ref": it is "dev"');
    expect(texts(state(), 70, 12)).not.toContain('Authorization: ***');
    const signs = hooksFrame(
      state(),
      { columns: 70, rows: 30 },
      { colour: true, glyphs: UNICODE_GLYPHS, plain: false },
      0,
    ).lines.map(({ line }) => line[0]);
    expect(signs).toContainEqual(
      expect.objectContaining({ text: '    ✓ signature', tone: 'good' }),
    );
    expect(signs).toContainEqual(expect.objectContaining({ text: '  ✗ and', tone: 'bad' }));
    happen({ type: 'output', run: '1', text: 'out\n' });
    expect(texts(state(), 70, 30)).toContain('output, 1 line, following');
    press('v');
    expect(texts(state(), 70, 30)).toContain('Authorization: ***');
    happen({ type: 'details', details: { run: refused, output: '', canRerun: false } });
    expect(texts(state(), 70, 30)).toContain(
      'The request was not kept: its body is larger than 256 KiB.',
    );
  });

  test('a question below the list, and a message above the keys', () => {
    const { press, happen, state } = filledScreen();
    const status = () =>
      frame(state())
        .status?.map(({ text }) => text)
        .join('');
    press('r');
    expect(texts(state(), 80, 10).at(-1)).toBe('Run deploy again with the request of 3?');
    expect(footerKeys(frame(state()).hints).map(({ keys }) => keys)).toEqual(['y', 'n']);
    press('n');
    happen({ type: 'gone' });
    expect(status()).toBe('The server stopped. q quits.');
    press('enter');
    expect(status()).toBe('The server stopped. Ctrl-C quits.');
    press('?');
    expect(frame(state()).lines[0]?.line.map(({ text }) => text.trim())).toContain('Enter');
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
