import { describe, expect, test } from 'vitest';
import { homeFrame } from '../../../../components/home/home-frame.ts';
import { HomeModel } from '../../../../components/home/home-model.ts';
import { itemLines } from '../../../../components/home/item-details.ts';
import type { HomeContents } from '../../../../src/run/home-entry.ts';
import { afterAnswer } from '../../../../src/state/remote-health.ts';
import { lineWidth } from '../../../../src/terminal/cells.ts';
import { namedKey, textKey } from '../../../../src/terminal/key.ts';
import { ASCII_GLYPHS, type Look, UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';
import type { Line } from '../../../../src/terminal/span.ts';
import { homeContents, homeMount, homeRemote, homeWorks, pastRun } from '../../run/home-world.ts';

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
  const look = { colour: false, glyphs: UNICODE_GLYPHS, plain: false };
  const frame = homeFrame(model.contents, model.state, { columns, rows }, look, nowMs);
  const lines = frame.lines.map(({ line }) => textOf(line));
  return { ...frame, lines, pane: frame.pane?.map(textOf), box: frame.box?.map(textOf) };
}

describe('the first list', () => {
  test('has columns below headings, and what the selected remote is beside them', () => {
    const { lines, pane, aside, status } = shown('j', 120, 40);
    expect(lines).toEqual([
      '     Remotes        state          used   type',
      '  1  shelf                                s3',
      '❯ 2  disk           ✓ 3 min ago    3 GiB  local',
      '  3  work           login expired         onedrive',
      '  4  nas            not reachable         s3',
      '',
      '     Jobs           last run     command',
      '     docs           ✓ 2 min ago  sync /home/me/Documents shelf:do…',
      '',
      '     Mounts         state              remote',
      '     /mnt/shelf     2 uploads pending  shelf:',
      '',
      '  n  New remote     local disk, S3, cloud drive',
      '  g  Configuration  edit, rename, copy, delete, import from rclone',
      '  h  History        recent runs and their results',
    ]);
    expect(pane?.slice(0, 7)).toEqual([
      'disk',
      'local, this machine',
      '✓ 3 min ago',
      '3 GiB used, 1 GiB free of 4 GiB',
      '━━━━━━━━━━━━━━━━━━━━━━╸───────',
      '',
      'b Browse         find what uses the space; preview…',
    ]);
    expect(pane?.slice(-2)).toEqual(['Last runs', '✗ 1 h ago, 3 errors  check']);
    expect(aside).toBe('4 remotes, 1 job, 1 mount');
    expect(textOf(status ?? [])).toBe(
      'Last run 2 min ago: done  syncer sync /home/me/Documents shelf:docs',
    );
  });

  test('has no pane in 80 columns', () => {
    const { lines, pane } = shown('', 80, 24);
    expect(pane).toBeUndefined();
    expect(lines.slice(0, 3)).toEqual([
      '     Remotes        state                    used   type      place',
      '❯ 1  shelf                                          s3        http://127.0.0.1:…',
      '  2  disk           ✓ 3 min ago              3 GiB  local     this machine',
    ]);
  });

  test('has names and states in 40 columns, and scrolls with the cursor', () => {
    expect(shown('', 40, 12).lines).toEqual([
      '     Remotes        state',
      '❯ 1  shelf          s3',
      '  2  disk           ✓ 3 min ago',
      '  3  work           login expired',
      '  4  nas            not reachable',
      '     Jobs           last run',
      '     docs           ✓ 2 min ago',
      '     Mounts         state',
      '     /mnt/shelf     2 uploads pending',
    ]);
    expect(shown('jjjjjjjj', 40, 12).lines.at(-1)).toMatch(/^❯ h {2}History/);
  });

  test.each([
    ['a job', 'jjjj', ['docs', '$ syncer sync /home/me/Documents shelf:docs']],
    ['a mount', 'jjjjj', ['/mnt/shelf', 'shelf:']],
    ['a remote without an answer', 'jjj', ['nas', 's3, here', 'not reachable 4 min ago']],
    ['the history', 'jjjjjjjj', ['History', 'recent runs and their results']],
  ])('shows %s in the pane', (_, keys, first) => {
    expect(shown(keys, 120, 40).pane?.slice(0, first.length)).toEqual(first);
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

test('a question stands in a box where it is wide, else alone', () => {
  const asked = ['Delete the job docs? Its files stay.', '', '$ syncer job docs --delete'];
  const wide = shown('jjjjd', 120, 40);
  expect(wide.box).toEqual(asked);
  expect(wide.lines).toContain('     Jobs           last run     command');
  expect(shown('jjjjd', 80, 24)).toMatchObject({
    ...{ box: undefined, subject: 'Confirm', lines: asked },
  });
});

test.each(SIZES)('every view fits into %d columns and %d rows', (columns, rows) => {
  for (const keys of ['', 'jjj', '\n', 'jjjj\n', 'jjjjj\n', 'jjjjr', 'c', 'cx\n', 'h', 'hj\n']) {
    const model = new HomeModel(contents, homeWorks());
    for (const key of keys) model.press(key === '\n' ? namedKey('enter') : textKey(key));
    const look = { colour: false, glyphs: ASCII_GLYPHS, plain: false };
    const frame = homeFrame(contents, model.state, { columns, rows }, look, nowMs);
    for (const { line } of frame.lines) expect(lineWidth(line)).toBeLessThanOrEqual(columns);
    expect(frame.lines.length).toBeLessThanOrEqual(rows - 2);
    const texts = [
      ...frame.lines.map(({ line }) => textOf(line)),
      ...(frame.pane ?? []).map(textOf),
    ];
    expect(texts.join('\n')).toMatch(/^[\n\x20-\x7e]*$/);
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
    const look = { colour: false, glyphs: UNICODE_GLYPHS, plain: false };
    const { lines, status } = homeFrame(contents, model.state, { columns, rows }, look, nowMs);
    const texts = [...lines.map(({ line }) => line), status ?? []].map(textOf);
    expect(texts.join(' ')).toContain(`✗ ${result}`);
    expect(lines.length).toBeLessThanOrEqual(rows - 2 - (status === undefined ? 0 : 1));
    expect(lines.some(({ selected }) => selected)).toBe(true);
  },
);

test('a file that cannot be read is named in the last line', () => {
  const { status } = shown('', 120, 40, { problem: '/c/jobs.json is not JSON' });
  expect(textOf(status ?? [])).toBe('/c/jobs.json is not JSON');
});

test('the details say what a remote goes through, once', () => {
  const via = 'through rclone 1.75.2';
  const about = (place: string) => {
    const remote = homeRemote('host', { type: 'sftp', place, via });
    const look = { glyphs: ASCII_GLYPHS } as Look;
    const lines = itemLines(
      contents,
      { kind: 'remote', remote },
      { columns: 60, look, nowMs },
      false,
    );
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

  test('a few at a time', async () => {
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
    model.press(textKey('?'));
    model.watch();
    await tick();
    expect(model.contents.mounts).toHaveLength(2);
    expect(model.state).toMatchObject({ at: 'keys', back: { cursor: 9 } });
    model.press(textKey('x'));
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
  const look = { colour: false, glyphs: UNICODE_GLYPHS, plain: false };
  const frame = () => model.frame({ columns, rows }, look);
  for (const key of ['end', 'enter', 'enter'] as const) model.press(namedKey(key));
  const total = Number(frame().aside.split(' ').at(-1));
  const seen: string[] = [];
  for (let first = 1; first <= total - rows + 3; first++) {
    expect(frame().aside).toBe(`${first}-${first + rows - 3} of ${total}`);
    expect(frame().lines).toHaveLength(rows - 2);
    seen.push(...frame().lines.map(({ line }) => textOf(line)));
    model.press(namedKey('down'));
  }
  expect(frame().aside).toBe(`${total - rows + 3}-${total} of ${total}`);
  expect(seen.join(' ')).toMatch(/^\$ syncer sync.*one error that is long$/);
  model.press(namedKey('up'));
  expect(frame().aside).toBe(`${total - rows + 2}-${total - 1} of ${total}`);
  model.press(namedKey('home'));
  expect(frame().aside).toBe(`1-${rows - 2} of ${total}`);
});
