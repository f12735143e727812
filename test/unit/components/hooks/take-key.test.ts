import { describe, expect, test } from 'vitest';
import { shownHooks, shownRuns } from '../../../../components/hooks/hooks-state.ts';
import { filledScreen, screen } from './screen-world.ts';

describe('moving', () => {
  test('between hooks, their runs and one run, and back', () => {
    const { press, state, effects } = filledScreen();
    press('enter');
    expect(state()).toMatchObject({ page: 'runs', hook: 'deploy' });
    press('down', 'enter');
    expect(state()).toMatchObject({ page: 'run', open: { id: '1', output: '', top: 'end' } });
    press('esc');
    expect(state()).toMatchObject({ page: 'runs', hook: 'deploy', runAt: '1' });
    expect(state()).not.toHaveProperty('open');
    press('esc');
    expect(state().page).toBe('hooks');
    expect(state()).not.toHaveProperty('hook');
    expect(effects).toEqual([{ type: 'open', run: '1' }, { type: 'close' }]);
  });

  test('all runs', () => {
    const { press, state } = filledScreen();
    press('a', 'end');
    expect(state()).toMatchObject({ page: 'runs', runAt: '1' });
    press('home', 'j');
    expect(state().runAt).toBe('2');
    press('k', 'k', 'k');
    expect(state().runAt).toBe('3');
  });

  test('nothing happens where there is nothing', () => {
    const { press, state, effects } = screen();
    press('down', 'enter');
    expect(state().page).toBe('hooks');
    press('a', 'enter', 'up');
    expect(state().page).toBe('runs');
    expect(effects).toEqual([]);
  });

  test('escape does not leave the first page, q does, and one step at a time', () => {
    const { press, state, effects } = filledScreen();
    press('esc');
    expect(effects).toEqual([]);
    press('enter', 'q');
    expect(state().page).toBe('hooks');
    press('q');
    expect(effects).toEqual([{ type: 'quit' }]);
  });
});

describe('the filter', () => {
  test('shows hooks with its letters, whose keys are text while it is typed', () => {
    const { press, state, effects } = filledScreen();
    press('down', '/', 'q', 'a');
    expect(shownHooks(state())).toEqual([]);
    expect(effects).toEqual([]);
    press('esc', '/', 'I', 'd', 'l', 'enter');
    expect(shownHooks(state())).toMatchObject([{ id: 'idle' }]);
    press('enter');
    expect(state()).toMatchObject({ page: 'runs', hook: 'idle' });
    expect(state()).not.toHaveProperty('filter');
    press('esc');
    expect(state()).toMatchObject({ page: 'hooks', hookAt: 1 });
  });

  test('shows runs by id, hook and state; Esc shows all again, then goes back', () => {
    const { press, state } = filledScreen();
    press('a', '/', 'f', 'a', 'i', 'l', 'enter', 'r');
    expect(state().asked).toBe('1');
    press('n', 'esc');
    expect(state()).toMatchObject({ page: 'runs' });
    expect(shownRuns(state())).toHaveLength(3);
    press('esc');
    expect(state().page).toBe('hooks');
  });

  test('leaves the cursor on its row when it ends', () => {
    const { press, state } = filledScreen();
    press('down', '/', 'z', 'esc');
    expect(state().hookAt).toBe(1);
    press('/', 'esc');
    expect(state().hookAt).toBe(1);
    press('/', 'd', 'e', 'p', 'esc');
    expect(state().hookAt).toBe(0);
    press('a', 'down', 'down', '/', 'z', 'esc');
    expect(state().runAt).toBe('1');
    press('/', 'f', 'a', 'i', 'l', 'enter', 'esc', 'esc', 'down');
    expect(state()).toMatchObject({ page: 'hooks', hookAt: 1 });
  });

  test('and new hooks above leave the cursor on its hook', () => {
    const { press, happen, state } = filledScreen();
    press('down');
    const [deploy, idle] = state().hooks;
    if (deploy === undefined || idle === undefined) throw new Error('no hooks');
    happen({ type: 'hooks', hooks: [deploy, { ...deploy, id: 'new' }, idle] });
    expect(shownHooks(state())[state().hookAt]?.id).toBe('idle');
  });

  test('of no text is none', () => {
    const { press, state } = filledScreen();
    press('/', 'enter');
    expect(state()).not.toHaveProperty('filter');
  });
});

describe('running again', () => {
  test('asks before', () => {
    const { press, state, effects } = filledScreen();
    press('a', 'down', 'r');
    expect(state().asked).toBe('2');
    press('n');
    expect(state()).not.toHaveProperty('asked');
    expect(effects).toEqual([]);
    press('r', 'y');
    expect(effects).toEqual([{ type: 'rerun', run: '2' }]);
  });

  test('takes the last run of a hook, where it has one', () => {
    const { press, state } = filledScreen();
    press('r');
    expect(state().asked).toBe('3');
    press('n', 'down', 'r');
    expect(state()).not.toHaveProperty('asked');
    expect(state().message).toMatchObject({ bad: true });
    press('down');
    expect(state()).not.toHaveProperty('message');
  });

  test('takes the run that is open', () => {
    const { press, state } = filledScreen();
    press('a', 'end', 'enter', 'r');
    expect(state().asked).toBe('1');
  });
});

describe('the output of a run', () => {
  const opened = () => {
    const shown = filledScreen({ columns: 80, rows: 4 });
    shown.press('a', 'enter');
    const text = Array.from({ length: 20 }, (_, i) => `line ${i}\n`).join('');
    shown.happen({ type: 'output', run: '3', text });
    return shown;
  };

  test('is scrolled, and followed again at its end', () => {
    const { press, state } = opened();
    press('up');
    expect(state().open?.top).toBe(15);
    press('pgup');
    expect(state().open?.top).toBe(11);
    press('home');
    expect(state().open?.top).toBe(0);
    press('down');
    expect(state().open?.top).toBe(1);
    press('f');
    expect(state().open?.top).toBe('end');
    press('home', 'pgdn', 'pgdn', 'pgdn', 'pgdn', 'pgdn');
    expect(state().open?.top).toBe('end');
  });
});
