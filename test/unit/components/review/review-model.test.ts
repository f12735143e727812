import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { ReviewModel } from '../../../../components/review/review-model.ts';
import { ReviewView } from '../../../../components/review/review-view.tsx';
import type { Plan } from '../../../../src/run/review/plan-consent.ts';
import type { PlannedChange } from '../../../../src/run/review/planned-change.ts';
import { namedKey, textKey } from '../../../../src/terminal/key.ts';
import { applied, keys, startReview } from '../../../support/start-review.ts';
import { aPlan, MIXED } from '../../run/review/a-plan.ts';
import { showScreen } from '../draw-screen.tsx';

test('a plan that is saved changes nothing: a asks for nothing', async () => {
  const { model, press } = startReview(MIXED, false, true);
  press('End', 'Space', 'a');
  expect(await applied(model)).toHaveLength(MIXED.size - 1);
});

test.each([
  [24, 6],
  [30, 5],
  [20, 5],
  [20, 4],
  [9, 3],
])('at %sx%s the question is whole, or cannot be answered', (columns, rows) => {
  const { model, press } = startReview();
  model.resize({ columns, rows });
  press('a');
  const { screen, draw } = showScreen(model, ReviewView);
  const shown = draw({ columns, rows });
  const isWhole = shown.slice(1, -1).join(' ').endsWith('2 copies and 1 time change');
  expect(shown.at(-1)?.includes('y apply')).toBe(isWhole);
  if (isWhole) return;
  expect(shown.join(' ')).toContain('enlarge');
  screen.press(textKey('y'));
  expect(model.state.mode).toBe('sure');
});

test.each([
  [80, 24],
  [40, 12],
])('the keys are wrapped at %s columns, and scroll', (columns, rows) => {
  const { model } = startReview();
  model.resize({ columns, rows });
  const { screen, draw } = showScreen(model, ReviewView);
  const press = (...names: ('up' | 'down')[]) => {
    for (const name of names) screen.press(namedKey(name));
  };
  const shown = () =>
    draw({ columns, rows })
      .slice(1, -1)
      .filter((row) => row !== '');
  screen.press(textKey('?'));
  let text = shown().join(' ');
  for (let step = 0; step < 60; step++) {
    press('down');
    text += ` ${shown().at(-1)}`;
  }
  expect(text).not.toContain('…');
  expect(text.replace(/ +/g, ' ')).toContain('(asks before it deletes or replaces)');
  expect(shown().at(-1)).toMatch(/clear the filter$/);
  const end = shown();
  press('up', 'down');
  expect(shown()).toEqual(end);
  screen.press(textKey('?'));
  expect(shown().join(' ')).not.toContain('clear the filter');
});

test('a applies everything that was not dropped', async () => {
  const { model, press, under } = startReview();
  expect(under()).toBe('old');
  press('Space', 'a', 'y');
  expect(await applied(model)).toEqual([
    'moved/new',
    'notes.txt',
    'photos/2024/a.jpg',
    'photos/2024/b.jpg',
    'photos/list.txt',
  ]);
});

test('a applies only what the filter shows', async () => {
  const { model, press } = startReview();
  press('/', 'J', 'p', 'g', 'Enter');
  expect(model.state.filter.text).toBe('jpg');
  press('a');
  expect(await applied(model)).toEqual(['photos/2024/a.jpg', 'photos/2024/b.jpg']);
});

test('what deletes or replaces is asked about with its numbers; only y applies it', async () => {
  for (const no of ['Enter', 'n', 'Esc', 'a', 'Space']) {
    const { model, press } = startReview();
    press('a');
    expect(model.state.mode).toBe('sure');
    expect(model.asked()).toBe(
      [
        'Apply 9 changes?',
        '2 files deleted, 11 B: not kept, cannot be undone',
        '1 file replaced: not kept, cannot be undone',
        '2 directory deletions, 1 rename, 2 copies and 1 time change',
      ].join('\n'),
    );
    press(no);
    expect(model.state.mode).toBe('browse');
    await expect(applied(model)).rejects.toThrow('still open');
  }
});

test('what only copies is not asked about', async () => {
  const { model, press } = startReview(aPlan('copy a', 'copy b'));
  press('a');
  expect(await applied(model)).toEqual(['a', 'b']);
});

test('d shows only deletions, and again all', () => {
  const { model, press } = startReview();
  press('d');
  expect(model.state.tree.root.shown).toBe(4);
  press('d');
  expect(model.state.tree.root.shown).toBe(9);
});

test.each([[['C-c']], [['/', 'C-c']], [['a', 'C-c']], [['i', 'C-c']]])(
  '%s leaves without a change, as an interrupted run',
  async (names) => {
    const { model, press } = startReview();
    press(...names);
    await expect(applied(model)).rejects.toMatchObject({ code: 'interrupted', exit: 130 });
  },
);

test('q leaves without a change', async () => {
  const { model, press } = startReview();
  press('q');
  expect(await applied(model)).toBeUndefined();
});

test('nothing is applied where nothing is left, nor with --dry-run', async () => {
  const all = startReview(aPlan('copy a'));
  all.press('Space', 'a');
  expect(all.model.state.notice).toBe('nothing to apply');
  await expect(applied(all.model)).rejects.toThrow('still open');
  const dry = startReview(MIXED, true);
  dry.press('a');
  expect(dry.model.state.notice).toContain('--dry-run');
  await expect(applied(dry.model)).rejects.toThrow('still open');
});

test('letters of the filter are no keys', async () => {
  const { model, press } = startReview();
  press('/', 'q', 'a', 'Esc');
  expect(model.state.mode).toBe('browse');
  expect(model.state.filter.text).toBe('');
  await expect(applied(model)).rejects.toThrow('still open');
});

test('the cursor stays on its path when a filter ends', () => {
  const { press, under } = startReview();
  press('Down', 'Down', 'Down');
  const path = under();
  press('/', 'z', 'z', 'z', 'Esc');
  expect(under()).toBe(path);
  press('/', 'Esc');
  expect(under()).toBe(path);
  press('/', 'j', 'p', 'g', 'End');
  const found = under();
  press('Esc');
  expect(under()).toBe(found);
});

test('folding keeps the cursor on the folder it was in', () => {
  const { press, under, model } = startReview();
  press('Down', 'Down');
  expect(under()).toBe('old/deep/.');
  press('h', 'h');
  expect(under()).toBe('old/deep');
  press('[');
  expect(model.state.lines.map(({ path }) => path)).toEqual([
    ...['Deletions', 'Replacements', 'Moves and renames', 'Additions', 'Times'],
  ]);
  expect(under()).toBe('Deletions');
  press('l', 'j');
  expect(under()).toBe('old');
  press('l', 'j');
  expect(under()).toBe('old/deep');
  press(']', 'G');
  expect(under()).toBe('notes.txt');
});

test('a large plan begins folded', () => {
  const lines = Array.from({ length: 400 }, (_, n) => `copy dir${n % 4}/f${n}`);
  const { model, press } = startReview(aPlan(...lines));
  expect(model.state.lines).toHaveLength(4);
  expect(model.state.cursor).toBe(0);
  press('Enter');
  expect(model.state.lines).toHaveLength(104);
  const mixed = startReview(aPlan(...lines, 'delete old/a')).model.state.lines;
  expect(mixed.map(({ name }) => name)).toEqual([
    ...['Deletions', 'old', 'Additions', 'dir0', 'dir1', 'dir2', 'dir3'],
  ]);
});

/** Photos that got another directory, and one file that did not. */
function renamedPlan(): Plan {
  const plan = new Map<string, PlannedChange>();
  const about = { isDir: false, reason: '' };
  for (let n = 1; n <= 20; n++) {
    const print = { size: n, modTime: 5_000_000_000n };
    const [from, to] = [`all/mail/in/${n}`, `all/letters/in/${n}`];
    plan.set(from, { ...about, kind: 'delete', path: from, size: n, dest: print });
    plan.set(to, { ...about, kind: 'copy', path: to, size: n, source: print });
  }
  const other = { size: 3, modTime: 1n };
  const path = 'all/mail/other';
  return plan.set(path, { ...about, kind: 'delete', path, size: 3, dest: other });
}

test('m plans a directory that looks renamed again as a rename, where that can be planned', async () => {
  const contents = { title: 'sync', subject: 'a → b', problems: [], readOnly: false };
  const keeps = new Map();
  const model = new ReviewModel({ ...contents, plan: renamedPlan(), keeps, canTrack: true });
  const [at = -1] = model.state.lines.flatMap(({ path }, line) =>
    path === 'all/mail' ? line : [],
  );
  for (let step = model.state.cursor; step < at; step++) model.press(namedKey('down'));
  const size = { columns: 120, rows: 24 };
  model.resize(size);
  const { draw } = showScreen(model, ReviewView);
  const shown = draw(size).join('\n');
  expect(shown).toContain('renamed to letters/?');
  expect(shown).toContain('looks like a renamed all/letters/ (20 of 21 equal)');
  expect(shown).toContain('m move instead');
  model.press(textKey(' '));
  model.press(textKey('m'));
  expect(draw(size).join('\n')).toContain('plans everything again: first include and show all');
  model.press(namedKey('up'));
  model.press(textKey(' '));
  model.press(textKey('m'));
  expect(await model.result).toBe('with-renames');
  for (const more of [{}, { canTrack: true, saves: true, plan: MIXED }]) {
    const other = new ReviewModel({ ...contents, plan: renamedPlan(), keeps, ...more });
    expect(other.keys().map(({ does }) => does)).not.toContain('move instead');
  }
  const other = new ReviewModel({ ...contents, title: 'undo', plan: renamedPlan(), keeps });
  other.resize(size);
  expect(showScreen(other, ReviewView).draw(size).join('\n')).not.toContain('renamed');
});

test('what went wrong or is left is named beside the first change, and below what i shows', () => {
  const problems = Array.from({ length: 12 }, (_, n) => `f${n + 1}: Left as it is`);
  const contents = { title: 'undo', subject: '7k3f', problems, readOnly: false };
  const model = new ReviewModel({ ...contents, plan: MIXED });
  const shown = (columns: number) => {
    const size = { columns, rows: 30 };
    model.resize(size);
    return showScreen(model, ReviewView).draw(size).join('\n');
  };
  expect(shown(120)).toContain('f10: Left as it is');
  expect(shown(120)).toContain('and 2 more');
  expect(shown(80)).toContain('! f1: Left as it is (and 11 more)');
  expect(shown(80)).not.toContain('f2: Left');
  model.press(textKey('i'));
  expect(shown(80)).toContain('f10: Left as it is');
  model.press(textKey('q'));
  model.press(textKey('G'));
  expect(shown(120)).not.toContain('Left as it is');
});

test('a plan that is saved says save, also where conflicts could be decided', () => {
  const contents = { title: 'sync', subject: 'a → b', problems: [], readOnly: false };
  const model = new ReviewModel({ ...contents, plan: MIXED, keeps: new Map(), saves: true });
  const size = { columns: 80, rows: 24 };
  model.resize(size);
  const shown = showScreen(model, ReviewView).draw(size).join('\n');
  expect(shown).toContain('a save ');
  expect(shown).toContain('a saves: 2 deletions');
  expect(shown).not.toMatch(/appl/);
});

test('no walk ever chooses what was dropped or is hidden, and the cursor stays on the tree', async () => {
  const names = [...Object.keys(keys), 'j', 'k', 'h', 'l', 'd', 'g', 'G', '[', ']', '?', '/', 'o'];
  const walk = fc.array(
    fc.oneof(
      fc.constantFrom(...names.filter((name) => name !== 'C-c')).map((name) => ({ name })),
      fc.record({ rows: fc.integer({ min: 1, max: 30 }) }),
    ),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(walk, async (steps) => {
      const { model, press } = startReview();
      for (const step of steps) {
        if ('name' in step) press(step.name);
        else model.resize({ columns: 40, rows: step.rows });
        expect(model.state.cursor).toBeLessThan(Math.max(1, model.state.lines.length));
        expect(model.state.first).toBeLessThanOrEqual(model.state.cursor);
      }
      press('Esc', 'Esc');
      model.resize({ columns: 80, rows: 24 });
      const dropped = model.state.tree.nodes
        .filter((node) => node.dropped)
        .map(({ change }) => change);
      const left = MIXED.size - dropped.length;
      press('a');
      if (left === 0) return expect(model.state.notice).toBe('nothing to apply');
      press('y');
      const result = (await model.result) as ReadonlySet<unknown>;
      expect(result.size).toBe(left);
      for (const change of dropped) expect(result.has(change)).toBe(false);
    }),
    { numRuns: 200 },
  );
});

test('what i shows scrolls where it has no room', () => {
  const contents = { plan: MIXED, title: 'sync', subject: 'a → b', problems: [], readOnly: false };
  const model = new ReviewModel({ ...contents, explain: () => 'the last rule' });
  const size = { columns: 80, rows: 6 };
  model.resize(size);
  model.press(namedKey('end'));
  model.press(textKey('i'));
  const { draw } = showScreen(model, ReviewView);
  const shown = () => draw(size).slice(1, -2);
  expect(draw(size)[0]).toMatch(/ 1-\d of \d+$/);
  expect(shown().join('\n')).not.toContain('the last rule');
  for (let times = 0; times < 30; times++) model.press(namedKey('down'));
  expect(shown().at(-1)).toBe('the last rule');
  const end = shown();
  model.press(namedKey('up'));
  expect(shown()).not.toEqual(end);
  model.press(textKey('x'));
  expect(model.state.mode).toBe('browse');
});

test('i explains the change under the cursor, and any key goes back', () => {
  const contents = { plan: MIXED, title: 'sync', subject: 'a → b', problems: [], readOnly: false };
  const explain = ({ path }: { path: string }) => `the rule of ${path}`;
  const model = new ReviewModel({ ...contents, explain });
  for (const columns of [40, 80, 160]) {
    const size = { columns, rows: 24 };
    model.resize(size);
    model.press(textKey('/'));
    for (const letter of 'list') model.press(textKey(letter));
    model.press(namedKey('enter'));
    model.press(namedKey('end'));
    model.press(textKey('i'));
    const { draw } = showScreen(model, ReviewView);
    const shown = () => draw(size).slice(1, -1).join('\n');
    expect(shown()).toContain('reason of photos/list.txt');
    expect(shown()).toContain('the rule of photos/list.txt');
    model.press(textKey('x'));
    expect(shown()).not.toContain('the rule of');
    model.press(namedKey('escape'));
  }
});

test.each([
  [40, ''],
  [80, '   a: reason of a'],
])('the status line says first what a does, also at %s columns', (columns, reason) => {
  const { model, press } = startReview(aPlan('delete a'));
  model.resize({ columns, rows: 12 });
  const { draw } = showScreen(model, ReviewView);
  const status = () => draw({ columns, rows: 12 }).at(-2);
  expect(status()).toMatch(new RegExp(`^a applies: 1 deletion.*${reason}`));
  press('d');
  expect(status()).toMatch(/^deletions only a applies: 1 deletion/);
});

test.each([false, true])(
  'a that is typed ahead, or amid other keys, applies nothing (saves: %s)',
  async (saves) => {
    vi.useFakeTimers();
    try {
      const copies = new Map([...MIXED].filter(([, { kind }]) => kind === 'copy'));
      const { model } = startReview(copies, false, saves);
      const { screen, draw: drawNow } = showScreen(model, ReviewView, 'sync', () =>
        performance.now(),
      );
      const type = (text: string) => {
        for (const letter of text) screen.press(textKey(letter));
      };
      const draw = (forMs: number) => {
        const status = drawNow({ columns: 80, rows: 24 }).at(-2);
        vi.advanceTimersByTime(forMs);
        return status;
      };
      draw(100);
      type('a');
      expect(draw(1000)).toMatch(/^Press a again/);
      type('cat');
      draw(1000);
      type('apt');
      expect(draw(1000)).toMatch(/^Press a again/);
      type(saves ? 'cp x h:save' : 'cp x h:apply');
      draw(1000);
      expect(screen.finding).toBeUndefined();
      screen.press(namedKey('enter'));
      await expect(applied(model)).rejects.toThrow('still open');
      draw(1000);
      type(saves ? ':save' : ':apply');
      screen.press(namedKey('enter'));
      await expect(applied(model)).rejects.toThrow('still open');
      screen.press(namedKey('escape'));
      drawNow({ columns: 20, rows: 2 });
      vi.advanceTimersByTime(1000);
      type('a');
      await expect(applied(model)).rejects.toThrow('still open');
      draw(1000);
      type('a');
      draw(1000);
      expect(await applied(model)).toHaveLength(copies.size);
    } finally {
      vi.useRealTimers();
    }
  },
);
