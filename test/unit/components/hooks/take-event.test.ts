import { describe, expect, test } from 'vitest';
import { filledScreen, hook, run, screen } from './screen-world.ts';

describe('runs', () => {
  test('a new one comes first, and the cursor stays on its run', () => {
    const { press, happen, state } = filledScreen();
    press('a', 'down');
    happen({ type: 'run', run: run('4', { state: 'running' }) });
    expect(state().runs.map(({ id }) => id)).toEqual(['4', '3', '2', '1']);
    expect(state().runAt).toBe('2');
  });

  test('a hook counts what runs and waits, and has its newest run', () => {
    const { happen, state } = screen();
    const [counts, last] = [
      () => [state().hooks[0]?.running, state().hooks[0]?.waiting],
      () => state().hooks[0]?.last?.id,
    ];
    happen({ type: 'hooks', hooks: [hook('deploy')] });
    happen({ type: 'run', run: run('1', { state: 'waiting' }) });
    expect(counts()).toEqual([0, 1]);
    happen({ type: 'run', run: run('1', { state: 'running' }) });
    happen({ type: 'run', run: run('2', { state: 'waiting', receivedMs: 2000 }) });
    expect([counts(), last()]).toEqual([[1, 1], '2']);
    happen({ type: 'run', run: run('1', { state: 'failed' }) });
    happen({ type: 'run', run: run('2', { state: 'replaced', receivedMs: 2000 }) });
    expect([counts(), last()]).toEqual([[0, 0], '2']);
    expect(state().hooks[0]?.last?.state).toBe('replaced');
  });

  test('one that is over does not run again by an answer that is older than its end', () => {
    const { happen, state } = screen();
    happen({ type: 'hooks', hooks: [hook('deploy')] });
    happen({ type: 'run', run: run('1', { state: 'failed' }) });
    happen({ type: 'rerun', run: run('1', { state: 'running' }) });
    expect(state().runs.map((one) => one.state)).toEqual(['failed']);
    expect(state().hooks[0]).toMatchObject({ running: 0, last: { state: 'failed' } });
  });

  test('a reload changes the hooks, and the cursor stays among them', () => {
    const { press, happen, state } = filledScreen();
    press('end');
    expect(state().hookAt).toBe(1);
    happen({ type: 'hooks', hooks: [hook('other')] });
    expect(state()).toMatchObject({ hookAt: 0, hooks: [{ id: 'other' }] });
  });
});

describe('the run that is open', () => {
  test('gets its output, and no other', () => {
    const { press, happen, state } = filledScreen();
    press('a', 'enter');
    happen({ type: 'output', run: '3', text: 'a' }, { type: 'output', run: '1', text: 'x' });
    happen({ type: 'output', run: '3', text: 'b' });
    expect(state().open?.output).toBe('ab');
  });

  test('keeps the end of a long output', () => {
    const { press, happen, state } = filledScreen();
    press('a', 'enter');
    happen({ type: 'output', run: '3', text: 'x'.repeat(2 << 20) });
    happen({ type: 'output', run: '3', text: 'end' });
    expect(state().open?.output).toHaveLength(1 << 20);
    expect(state().open?.output.endsWith('xend')).toBe(true);
  });

  test('gives way to the run that was made of it', () => {
    const { press, happen, state, effects } = filledScreen();
    press('a', 'enter');
    happen({ type: 'rerun', run: run('9', { state: 'running', rerunOf: '3' }) });
    expect(state()).toMatchObject({ page: 'run', open: { id: '9' }, runAt: '9' });
    expect(effects.at(-1)).toEqual({ type: 'open', run: '9' });
  });
});

test('what failed is told, and that the server is gone', () => {
  const { happen, state } = filledScreen();
  happen({ type: 'failed', message: 'no' }, { type: 'gone' });
  expect(state()).toMatchObject({ message: { text: 'no', bad: true }, connected: false });
});
