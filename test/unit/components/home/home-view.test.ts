import { describe, expect, test } from 'vitest';
import { HomeModel } from '../../../../components/home/home-model.ts';
import { HomeView } from '../../../../components/home/home-view.tsx';
import { itemLines } from '../../../../components/home/item-details.ts';
import type { HomeContents } from '../../../../src/run/home-entry.ts';
import type { RunningSummary } from '../../../../src/run/presence/running-text.ts';
import { afterAnswer } from '../../../../src/state/home.ts';
import { cellWidth } from '../../../../src/terminal/cells.ts';
import { namedKey, textKey } from '../../../../src/terminal/key.ts';
import { ASCII_GLYPHS } from '../../../../src/terminal/look.ts';
import { layoutOf } from '../../../../src/terminal/screen-layout.ts';
import type { Line } from '../../../../src/terminal/span.ts';
import {
  homeContents,
  homeMount,
  homeRemote,
  homeWorks,
  pastRun,
  runningRun,
} from '../../run/home-world.ts';
import { showScreen } from '../draw-screen.tsx';

const SIZES = [
  [120, 40],
  [80, 24],
  [40, 12],
] as const;
const MIN = 60_000;
const nowMs = 100 * MIN;
const contents = homeContents({
  remotes: [
    homeRemote('shelf', { place: 'http://127.0.0.1:9000' }),
    homeRemote('disk', { type: 'local', place: 'this machine' }),
    homeRemote('work', { type: 'onedrive', place: '', login: 'login expired', needsLogin: true }),
    homeRemote('nas'),
  ],
  jobs: [{ name: 'docs', words: ['sync', '/home/me/Documents', 'shelf:docs'] }],
  mounts: [homeMount('/mnt/shelf', { source: 'shelf:', pending: 2, pendingBytes: 2048 })],
  runs: [
    { ...pastRun, endedMs: 98 * MIN, words: ['sync', '/home/me/Documents', 'shelf:docs'] },
    { ...pastRun, endedMs: 40 * MIN, exit: 1, errors: 3, words: ['check', 'disk:', 'shelf:'] },
  ],
  health: new Map([
    ['disk', { askedMs: 97 * MIN, used: 3 * 1024 ** 3, free: 1024 ** 3, total: 4 * 1024 ** 3 }],
    ['nas', { askedMs: 96 * MIN, problem: 'connect ECONNREFUSED', isOffline: true }],
  ]),
});

const textOf = (line: Line) =>
  line
    .map(({ text }) => text)
    .join('')
    .trimEnd();

function shown(keys: string, columns: number, rows: number, about: Partial<HomeContents> = {}) {
  const model = new HomeModel({ ...contents, ...about }, homeWorks({ nowMs: () => nowMs }));
  for (const key of keys) model.press(key === '\n' ? namedKey('enter') : textKey(key));
  return partsOf(showScreen(model, HomeView).draw({ columns, rows }));
}

/** The first row of a window, its list and its pane, without blank rows at their ends, and what is below the rule. */
function partsOf(rows: readonly string[]) {
  const isWide = rows[1]?.startsWith('──') ?? false;
  const last = isWide ? rows.findLastIndex((row) => row.startsWith('──')) : -1;
  const content = rows.slice(isWide ? 2 : 1, last);
  const edge = isWide ? (rows[1]?.indexOf('┬') ?? 0) : 200;
  const lines = content.map((row) => row.slice(0, edge).trimEnd());
  const pane = content.map((row) => row.slice(edge + 2).trimEnd());
  const filled = (all: string[]) => all.slice(0, all.findLastIndex((row) => row !== '') + 1);
  return { title: rows[0], lines: filled(lines), pane: filled(pane), status: rows.at(-2) };
}

describe('the first list', () => {
  test('has columns below headings, and what the selected remote is beside them', () => {
    const { lines, pane, title, status } = shown('j', 120, 40);
    expect(lines).toEqual([
      '     Remotes        state          used   type',
      '  1  shelf          not asked yet         s3',
      '❯ 2  disk           works          3 GiB  local',
      '  3  work           login expired         onedrive',
      '  4  nas            not reachable         s3',
      '',
      '     Jobs           last run     command',
      '     docs           ✓ 2 min ago  sync /home/me/Documents shelf:do…',
      '',
      '     Mounts         state              remote',
      '     /mnt/shelf     2 uploads pending  shelf:',
      '',
      '     Last runs',
      '     ✓ 2 min ago          sync /home/me/Documents shelf:docs',
      '     ✗ 1 h ago, 3 errors  check disk: shelf:',
      '',
      '  n  New remote     local disk, S3, cloud drive',
      '  g  Configuration  edit, copy, delete, import from rclone',
      '  h  History        recent runs and their results',
    ]);
    expect(pane.slice(0, 7)).toEqual([
      'disk',
      'local, this machine',
      'works (3 min ago)',
      '3 GiB used, 1 GiB free of 4 GiB',
      '██████████████████████▌▁▁▁▁▁▁▁',
      '',
      'b Browse         find what uses the space',
    ]);
    expect(pane.slice(-2)).toEqual(['Last runs', '✗ 1 h ago, 3 errors  check']);
    expect(title).toMatch(/^syncer .* 2 things need you, 4 remotes, 1 job, 1 mount$/);
    // The list says it.
    expect(status).not.toContain('Last run');
    expect(shown('', 80, 24).status).toBe(
      'Last run 2 min ago: done  syncer sync /home/me/Documents shelf:docs',
    );
  });

  test.each([120, 80])('a command is as long as the room left of it in %d columns', (columns) => {
    const words = ['copy', '/home/me/Pictures', 'shelf:photos'];
    const runs = [{ ...pastRun, endedMs: 98 * MIN, exit: 1, errors: 2, words }];
    expect(shown('', columns, 40, { runs }).lines.join('\n')).toContain(
      '✗ 2 min ago, 2 errors  copy /home/me/Pictures shelf:photos',
    );
  });

  test('tells by its mark alone how a run ended where the words do not fit', () => {
    const { lines } = shown('j', 100, 40);
    expect(lines.find((line) => line.includes('check disk'))).toMatch(/^ {5}✗ 1 h ago {2,}check/);
  });

  test.each([200, 120, 110, 100, 90, 80, 60, 40])(
    'has runs in progress in %d columns',
    (columns) => {
      const far = { ...(runningRun.far as NonNullable<RunningSummary['far']>), rate: 196_007 };
      const running = [{ ...runningRun, far }];
      const { lines } = shown('', columns, 40, { running });
      expect(lines.join('\n')).toMatch(/Now\n.*42%/);
      const most = Math.max(...lines.map(cellWidth));
      expect(most).toBeLessThanOrEqual(columns);
    },
  );

  test('has no pane in 80 columns', () => {
    const { lines, pane } = shown('', 80, 24);
    expect(pane).toEqual([]);
    expect(lines.slice(0, 3)).toEqual([
      '     Remotes        state          used   type      place',
      '❯ 1  shelf          not asked yet         s3        http://127.0.0.1:9000',
      '  2  disk           works          3 GiB  local     this machine',
    ]);
  });

  test('has names and states in 40 columns, and scrolls with the cursor', () => {
    expect(shown('', 40, 12).lines).toEqual([
      '     Remotes        state',
      '❯ 1  shelf          s3',
      '  2  disk           works',
      '  3  work           login expired',
      '  4  nas            not reachable',
      '     Jobs           last run',
      '     docs           ✓ 2 min ago',
      '     Mounts         state',
      '     /mnt/shelf     2 uploads pending',
      'Last run 2 min ago: done  syncer sync /…',
    ]);
    expect(shown('jjjjjjjjjj', 40, 12).lines.at(-2)).toMatch(/^❯ h {2}History/);
  });

  test.each([
    ['a job', 'jjjj', ['docs', '$ syncer sync /home/me/Documents shelf:docs']],
    ['a mount', 'jjjjj', ['/mnt/shelf', 'shelf:']],
    ['a remote without an answer', 'jjj', ['nas', 's3, here', 'not reachable (4 min ago)']],
    ['a run', 'jjjjjj', ['20261121-113012-7k3e', '$ syncer sync /home/me/Documents shelf:docs']],
    ['the history', 'jjjjjjjjjj', ['History', 'recent runs and their results']],
  ])('shows %s in the pane', (_, keys, first) => {
    expect(shown(keys, 120, 40).pane.slice(0, first.length)).toEqual(first);
  });

  test('begins with what there is to import', () => {
    const offer = {
      ...{ label: 'Import from rclone', note: '3 remotes', question: 'Import 3 remotes?' },
      command: { words: ['config', 'import', '/r'], hasScreen: false },
    };
    const about = { ...homeContents(), offers: [offer] };
    expect(shown('', 80, 24, about).lines.slice(0, 5)).toEqual([
      'No remotes yet. A remote is a named place for files, such as a bucket. Press n',
      'to add one.',
      '     Begin with',
      '❯    Import from rclone  3 remotes',
      '',
    ]);
    expect(shown('\n', 80, 24, about).lines).toEqual([
      'Import 3 remotes?',
      '',
      '$ syncer config import /r',
    ]);
  });
});

test('this computer is first, with its disk, and the places of the last runs', () => {
  const places = [
    { path: '/home/me/w', shown: '~/w', isHere: true, used: 1024 ** 3, total: 4 * 1024 ** 3 },
    { path: 'shelf:docs', shown: 'shelf:docs' },
  ] as const;
  const { lines, pane } = shown('', 120, 40, { places });
  expect(lines.slice(0, 5)).toEqual([
    '     This computer',
    '❯    ~/w            ██▌▁▁▁▁▁▁▁ 1 GiB of 4 GiB',
    '',
    '     Recent places',
    '     shelf:docs',
  ]);
  expect(pane[0]).toBe('/home/me/w');
  const model = new HomeModel({ ...contents, places }, homeWorks({ nowMs: () => nowMs }));
  model.press(textKey('c'));
  expect(model.state).toMatchObject({ at: 'ask', fields: [{ text: '/home/me/w/' }, { text: '' }] });
});

test('p pins what the cursor is on: it stands first, with the cursor; p again unpins it', () => {
  const places = [
    { path: '/home/me/w', shown: '~/w', isHere: true },
    { path: 'shelf:docs', shown: 'shelf:docs' },
    { path: '/data', shown: '/data' },
  ] as const;
  const told: unknown[] = [];
  const pin = (...about: readonly unknown[]) => void told.push(about);
  const all = { ...contents, places, pins: ['/data'] };
  const model = new HomeModel(all, homeWorks({ nowMs: () => nowMs, pin }));
  const { screen, draw } = showScreen(model, HomeView);
  const rows = () => partsOf(draw({ columns: 120, rows: 40 })).lines;
  expect(rows().slice(0, 8)).toEqual([
    '     Pinned',
    '❯    /data',
    '',
    '     This computer',
    '     ~/w',
    '',
    '     Recent places',
    '     shelf:docs',
  ]);
  for (const key of '4p') screen.press(textKey(key));
  expect(rows().slice(0, 3)).toEqual([
    '     Pinned',
    '     /data',
    expect.stringMatching(/^❯ 1 {2}nas .*not reachable/),
  ]);
  for (const key of '1kp') screen.press(textKey(key));
  expect(rows().slice(0, 2)).toEqual(['     Pinned', expect.stringMatching(/^ {2}1 {2}nas/)]);
  expect(told).toEqual([
    ['nas:', true],
    ['/data', false],
  ]);
  screen.press(namedKey('enter'));
  screen.press(textKey('p'));
  expect(model.state).toMatchObject({ at: 'actions', item: { isPinned: true } });
  expect(told.at(-1)).toEqual(['/data', true]);
});

test('a filter hides the lines without its text, in the list and in the history', () => {
  const model = new HomeModel(contents, homeWorks({ nowMs: () => nowMs }));
  const { screen, draw } = showScreen(model, HomeView);
  const rows = () => draw({ columns: 80, rows: 24 });
  for (const key of '/nas') screen.press(textKey(key));
  expect(rows().join('\n')).toMatch(/^❯ 4 {2}nas/m);
  expect(rows().slice(0, 8).join('\n')).not.toContain('shelf');
  screen.press(namedKey('enter'));
  screen.press(namedKey('enter'));
  expect(model.state).toMatchObject({ at: 'actions', item: { remote: { name: 'nas' } } });
  for (const key of 'qh/check') screen.press(textKey(key));
  expect(rows().filter((line) => line.includes('7k3e'))).toHaveLength(1);
  screen.press(namedKey('escape'));
  expect(rows().filter((line) => line.includes('7k3e'))).toHaveLength(2);
});

test('u asks for the undo of a run, and says of which there is none', async () => {
  const [run] = contents.runs;
  const undo = new Map([[run?.id ?? '', { can: true, text: 'can be undone' }]]);
  const model = new HomeModel({ ...contents, undo }, homeWorks({ nowMs: () => nowMs }));
  for (const key of 'hu') model.press(textKey(key));
  expect(await model.result).toMatchObject({ words: ['undo', run?.id, '--review'] });
  const other = new HomeModel(contents, homeWorks({ readChanges: async () => ['create  a'] }));
  for (const key of 'hu') other.press(textKey(key));
  const { draw } = showScreen(other, HomeView);
  expect(draw({ columns: 80, rows: 24 }).at(-2)).toMatch(/^This run cannot be undone/);
  other.press(namedKey('enter'));
  await new Promise(setImmediate);
  const page = draw({ columns: 80, rows: 24 }).join('\n');
  expect(page).toMatch(/1 change\ncreate {2}a/);
  expect(page).toContain('20261121-113012-7k3e');
});

test('a question stands in a box where it is wide, else alone', () => {
  const asked = ['Delete the job docs? Its files stay.', '', '$ syncer job docs --delete'];
  const model = new HomeModel(contents, homeWorks({ nowMs: () => nowMs }));
  for (const key of 'jjjjd') model.press(textKey(key));
  const wide = showScreen(model, HomeView).draw({ columns: 120, rows: 40 });
  const [top = 0, bottom] = ['╭', '╰'].map((edge) => wide.findIndex((line) => line.includes(edge)));
  const left = wide[top]?.indexOf('╭') ?? 0;
  const right = wide[top]?.indexOf('╮') ?? 0;
  const box = wide.slice(top + 1, bottom).map((line) => line.slice(left + 1, right).trim());
  expect(box).toEqual(asked);
  expect(wide.some((line) => line.startsWith('     Jobs           last run     command'))).toBe(
    true,
  );
  const narrow = shown('jjjjd', 80, 24);
  expect(narrow.title).toContain('Confirm');
  expect(narrow.lines).toEqual(asked);
});

test.each(SIZES)('every view fits into %d columns and %d rows', (columns, rows) => {
  for (const keys of ['', 'jjj', '\n', 'jjjj\n', 'jjjjj\n', 'jjjjr', 'c', 'cx\n', 'h', 'hj\n']) {
    const model = new HomeModel(contents, homeWorks());
    for (const key of keys) model.press(key === '\n' ? namedKey('enter') : textKey(key));
    const look = { colour: false, glyphs: ASCII_GLYPHS, plain: false };
    const drawn = showScreen(model, HomeView).draw({ columns, rows }, look);
    for (const row of drawn) expect(cellWidth(row)).toBeLessThanOrEqual(columns);
    expect(drawn).toHaveLength(rows);
    expect(drawn.join('\n')).toMatch(/^[\n\x20-\x7e]*$/);
  }
});

test.each(SIZES)(
  'the result of a test is whole in %d columns and %d rows',
  async (columns, rows) => {
    const result =
      "cannot list the buckets: the server shelf.example.com can't be reached (ENOTFOUND)";
    const test = async () => ({ works: false, text: result });
    const model = new HomeModel(contents, homeWorks({ test }));
    model.press(namedKey('enter'));
    model.press(textKey('t'));
    await new Promise(setImmediate);
    const drawn = showScreen(model, HomeView).draw({ columns, rows });
    const { columns: edge } = layoutOf({ columns, rows }, true).inner;
    const texts = drawn.map((row) => row.slice(0, edge).trimEnd()).join(' ');
    expect(texts).toContain(`✗ ${result}`);
    expect(drawn).toHaveLength(rows);
    expect(texts).toContain('❯ t  Test');
  },
);

test('a file that cannot be read is named in the last line', () => {
  const { status } = shown('', 120, 40, { problem: '/c/jobs.json is not JSON' });
  expect(status).toBe('/c/jobs.json is not JSON');
});

test('the details say what a remote goes through, once', () => {
  const via = 'through rclone 1.75.2';
  const about = (place: string) => {
    const remote = homeRemote('host', { type: 'sftp', place, via });
    const room = { contents, columns: 60, glyphs: ASCII_GLYPHS, nowMs };
    const lines = itemLines({ kind: 'remote', name: 'host', remote, isPinned: false }, room);
    return textOf(lines[1] ?? []);
  };
  expect(about('nas.example.com')).toBe(`sftp, nas.example.com, ${via}`);
  expect(about('through rclone')).toBe(`sftp, ${via}`);
});

describe('remotes are asked', () => {
  const tick = () => new Promise(setImmediate);

  test('in the background only where nothing is known, and no login is needed', async () => {
    const asked: string[] = [];
    const remotes = [
      ...contents.remotes,
      homeRemote('login', { login: 'login renewed automatically' }),
      homeRemote('x', { isKnown: false }),
      homeRemote('behind', { type: 'alias', place: 'login:photos' }),
      homeRemote('host', { type: 'sftp', place: 'h', via: 'through rclone 1.75.2' }),
      homeRemote('at the host', { type: 'alias', place: 'host:x' }),
    ];
    const works = homeWorks({
      nowMs: () => nowMs,
      askRemote: async ({ name }) => {
        asked.push(name);
        return { askedMs: nowMs, used: 1 };
      },
    });
    const model = new HomeModel({ ...contents, remotes }, works);
    model.watch();
    expect([...model.contents.asking]).toEqual(['shelf']);
    await tick();
    expect(asked).toEqual(['shelf']);
    expect(model.contents.asking.size).toBe(0);
    expect(model.contents.health.get('shelf')).toEqual({ askedMs: nowMs, used: 1 });
    model.press(textKey('r'));
    model.press(textKey('r'));
    expect(asked).toEqual(['shelf', 'shelf']);
    for (const key of 'jjr') model.press(textKey(key));
    expect(asked).toEqual(['shelf', 'shelf']);
  });

  test('a few at a time, and only those in sight', async () => {
    const asked: (() => void)[] = [];
    const askRemote = () =>
      new Promise<{ askedMs: number }>((resolve) => {
        asked.push(() => resolve({ askedMs: nowMs }));
      });
    const remotes = Array.from({ length: 30 }, (_, at) => homeRemote(`r${at}`));
    const model = new HomeModel(
      { ...contents, remotes, health: new Map() },
      homeWorks({ nowMs: () => nowMs, askRemote }),
    );
    model.watch();
    expect(model.contents.asking.size).toBe(8);
    for (let at = 0; at < 30; at++) {
      asked[at]?.();
      await tick();
    }
    expect([asked.length, model.contents.asking.size]).toEqual([24, 0]);
    model.press(namedKey('page-down'));
    for (let at = 24; at < 30; at++) {
      asked[at]?.();
      await tick();
    }
    expect([asked.length, model.contents.asking.size]).toEqual([30, 0]);
  });

  test('as soon as the configuration was changed, whatever was said before', () => {
    const model = new HomeModel(
      { ...contents, changedMs: 96.5 * MIN },
      homeWorks({ nowMs: () => nowMs }),
    );
    model.watch();
    expect([...model.contents.asking]).toEqual(['shelf', 'nas']);
  });

  test('and mounts that come keep the cursor on its line', async () => {
    const works = homeWorks({ listMounts: async () => [homeMount('/a'), homeMount('/b')] });
    const model = new HomeModel({ ...contents, mounts: [] }, works);
    model.press(namedKey('end'));
    model.watch();
    await tick();
    expect(model.contents.mounts).toHaveLength(2);
    expect(model.state).toMatchObject({ cursor: 11 });
    model.press(namedKey('enter'));
    expect(model.state.at).toBe('runs');
  });

  test('what was said is kept; the space of a remote that is gone keeps its age', () => {
    const offline = { askedMs: 9, problem: 'gone', isOffline: true };
    const known = afterAnswer({ askedMs: 5, used: 7 }, offline);
    expect(known).toEqual({ ...offline, used: 7, measuredMs: 5 });
    expect(afterAnswer(known, { ...offline, askedMs: 12 })).toEqual({ ...known, askedMs: 12 });
  });
});

test('what of a job does not fit a small screen has an ellipsis', () => {
  const jobs = [{ name: 'nightly', words: ['sync', '/a', 'b:'] }];
  const { lines } = shown('\n', 40, 12, { remotes: [], mounts: [], runs: [], jobs });
  expect(lines).toHaveLength(10);
  expect(lines.at(-1)).toBe('on a schedule: syncer job nightly …');
});

test.each([
  [40, 12],
  [40, 8],
  [20, 5],
])('the page of a run has the rows of the window at %ix%i, and scrolls', (columns, rows) => {
  const words = [
    'sync',
    '/home/me/Documents',
    'shelf:docs',
    '--exclude',
    'a long pattern, **/*.tmp',
  ];
  const runs = [{ ...pastRun, words, exit: 1, error: 'one error that is long '.repeat(9) }];
  const model = new HomeModel({ ...contents, runs }, homeWorks({ nowMs: () => nowMs }));
  model.resize({ columns, rows });
  const { draw } = showScreen(model, HomeView);
  const range = () =>
    draw({ columns, rows })[0]
      ?.split(/ {2,}| (?=\d+-)/)
      .at(-1);
  for (const key of ['end', 'enter', 'enter'] as const) model.press(namedKey(key));
  const total = Number(range()?.split(' ').at(-1));
  const seen: string[] = [];
  for (let first = 1; first <= total - rows + 3; first++) {
    expect(range()).toBe(`${first}-${first + rows - 3} of ${total}`);
    seen.push(...draw({ columns, rows }).slice(1, -1));
    model.press(namedKey('down'));
  }
  expect(range()).toBe(`${total - rows + 3}-${total} of ${total}`);
  expect(seen.join(' ')).toMatch(
    /^20261121-113012-7k3e \$ syncer sync.*one error that is long[ a-z]*Reading its changes$/,
  );
  model.press(namedKey('up'));
  expect(range()).toBe(`${total - rows + 2}-${total - 1} of ${total}`);
  model.press(namedKey('home'));
  expect(range()).toBe(`1-${rows - 2} of ${total}`);
});
