import { describe, expect, test } from 'vitest';
import { type Key, type MouseAct, namedKey, pasteKey, textKey } from '../../../src/terminal/key.ts';
import { keysOfInput } from '../../../src/terminal/keys-of-input.ts';
import { ESCAPE_MS, escapeWait, TerminalInput } from '../../../src/terminal/terminal-input.ts';

const fresh = () => new TerminalInput(150, () => 0);

/** The keys of pieces that come at these times, in milliseconds, and of what waits at the end. */
function keysOver(pieces: readonly (readonly [atMs: number, piece: string | Buffer])[]): Key[] {
  let nowMs = 0;
  const input = new TerminalInput(150, () => nowMs);
  const keys: Key[] = [];
  const wait = (untilMs: number) => {
    const { waitMs } = input;
    if (waitMs === undefined || nowMs + waitMs > untilMs) return;
    nowMs += waitMs;
    keys.push(...keysOfInput(input.flush()));
  };
  for (const [atMs, piece] of pieces) {
    wait(atMs);
    nowMs = atMs;
    for (const part of input.push(piece)) {
      if (typeof part === 'string') keys.push(...keysOfInput(part));
    }
  }
  wait(Number.POSITIVE_INFINITY);
  return keys;
}

/** Each byte of a text after the same pause. */
const slowly = (text: string, pauseMs: number) =>
  [...Buffer.from(text)].map((byte, index) => [index * pauseMs, Buffer.of(byte)] as const);

const DOWN = namedKey('down');
const ESCAPE = namedKey('escape');
const [J, Q] = [textKey('j'), textKey('q')];

const ANSWERS: readonly [string, string][] = [
  ['a colour', '\x1b]11;rgb:00/00/00\x07'],
  ['a colour, ended by ST', '\x1b]11;rgb:0000/0000/0000\x1b\\'],
  ['a colour, ended by ST as one character', '\x1b]11;rgb:00/00/00\x9c'],
  ['a colour with one-character controls', '\x9d11;rgb:00/00/00\x9c'],
  ['the clipboard', `\x1b]52;c;${'eXk='.repeat(2000)}\x1b\\`],
  ['a title with names of keys in it', '\x1b]lq y d\r\x1b\\'],
  ['the version', '\x1bP>|tmux 3.3a\x1b\\'],
  ['a setting', '\x1bP1$r0m\x1b\\'],
  ['graphics', '\x1b_Gi=31;OK\x1b\\'],
  ['a private message', '\x1b^yes\x1b\\'],
  ['a string', '\x1bXyes\x1b\\'],
  ['attributes', '\x1b[?62;22c\x1b[>0;276;0c'],
  ['status and cursor', '\x1b[0n\x1b[12;40R'],
  ['modes', '\x1b[?2026;2$y\x1b[4;2$y'],
  ['keyboard flags', '\x1b[?0u'],
  ['size of the window', '\x1b[8;24;80t'],
  ['focus', '\x1b[I\x1b[O'],
  ['one-character CSI', '\x9b?1;2c'],
  ['an end whose beginning was lost', '\x1b\\'],
];

describe('answers of the terminal', () => {
  test.each(ANSWERS)('%s is no key, between keys', (_, answer) => {
    expect(keysOver([[0, `j${answer}q`]])).toEqual([J, Q]);
  });

  test.each(ANSWERS)('%s is no key, byte by byte', (_, answer) => {
    const shorter = answer.length > 100 ? `${answer.slice(0, 90)}\x1b\\` : answer;
    for (const pauseMs of [0, 60, 140]) {
      expect(keysOver(slowly(`j${shorter}q`, pauseMs))).toEqual([J, Q]);
    }
  });

  test.each(ANSWERS)('%s is no key, cut anywhere with a pause of a second', (_, answer) => {
    for (let cut = 1; cut < Math.min(answer.length, 30); cut++) {
      const keys = keysOver([
        [0, answer.slice(0, cut)],
        [1000, answer.slice(cut)],
        [5000, 'q'],
      ]);
      // Escape alone was a key already, and a second later nothing is its rest.
      if (!answer.slice(0, cut).endsWith('\x1b')) expect([cut, keys]).toEqual([cut, [Q]]);
    }
  });

  test('an answer that has no end takes no key that comes two seconds later', () => {
    expect(
      keysOver([
        [0, '\x1b]11;rgb'],
        [1900, ':00'],
        [4000, 'q'],
      ]),
    ).toEqual([Q]);
    expect(
      keysOver([
        [0, '\x1bP'],
        [2001, 'q'],
      ]),
    ).toEqual([Q]);
  });

  test('Ctrl-C, Ctrl-Z, arrows and Escape end an answer that has no end', () => {
    const ctrl = (text: string) => ({ name: 'text', text, ctrl: true, shift: false });
    expect(
      keysOver([
        [0, '\x1b]11;rgb'],
        [10, '\x03'],
      ]),
    ).toEqual([ctrl('c')]);
    expect(
      keysOver([
        [0, '\x1b]11;rgb'],
        [10, '\x1aq'],
      ]),
    ).toEqual([ctrl('z'), Q]);
    expect(
      keysOver([
        [0, '\x1b]11;rgb'],
        [10, '\x1b[Bq'],
      ]),
    ).toEqual([DOWN, Q]);
    expect(
      keysOver([
        [0, '\x1b]11;rgb'],
        [10, '\x1b'],
        [800, 'q'],
      ]),
    ).toEqual([ESCAPE, Q]);
  });

  test('in a paste they are text', () => {
    const text = ANSWERS.map(([, answer]) => answer).join('');
    const keys = keysOver([
      [0, `\x1b[200~${text}`],
      [900, '\x1b[201~q'],
    ]);
    expect(keys).toEqual([pasteKey(text), Q]);
    expect(keysOver([[0, '\x9b200~y\x9b201~q']])).toEqual([pasteKey('y'), Q]);
  });
});

describe('a key in pieces', () => {
  test.each([
    ['\x1b[B', [DOWN]],
    ['\x1bOB', [DOWN]],
    ['\x1bOM\x1bOq\x1bO5k', [namedKey('enter'), textKey('1'), textKey('+')]],
    ['\x9bB', [DOWN]],
    ['\x1b[5~\x1b[3~', [namedKey('page-up'), namedKey('delete')]],
    ['\x1b[1;5B', [DOWN]],
    ['\x1b[[A\x1b[24~\x1b[2$', []],
    ['\x1b[200~é\x1b[201~', [pasteKey('é')]],
    ['é😀', [textKey('é'), textKey('😀')]],
  ])('%j is itself, with pauses', (text, keys) => {
    for (const pauseMs of [0, 60, 100, 149]) {
      expect([pauseMs, keysOver(slowly(text, pauseMs))]).toEqual([pauseMs, keys]);
    }
  });

  test.each([
    ['[B', [ESCAPE, DOWN]],
    ['OB', [ESCAPE, DOWN]],
    [']11;rgb:00/00/00\x07', [ESCAPE]],
    ['P>|x\x1b\\', [ESCAPE]],
    ['_Gi=1;OK\x1b\\', [ESCAPE]],
  ])('%j half a second after an Escape that was a key is its rest', (rest, keys) => {
    expect(
      keysOver([
        [0, '\x1b'],
        [600, rest],
        [5000, 'q'],
      ]),
    ).toEqual([...keys, Q]);
    const slow = slowly(rest, 200).map(([atMs, byte]) => [atMs + 300, byte] as const);
    expect(keysOver([[0, '\x1b'], ...slow, [9000, 'q']])).toEqual([...keys, Q]);
  });

  test.each([
    ['OM', namedKey('enter')],
    ['Oq', textKey('1')],
    ['Oj', textKey('*')],
    ['OX', textKey('=')],
    ['O5M', namedKey('enter')],
  ])('%j of the keypad half a second after an Escape that was a key is its rest', (rest, key) => {
    expect(
      keysOver([
        [0, '\x1b'],
        [600, rest],
        [5000, 'q'],
      ]),
    ).toEqual([ESCAPE, key, Q]);
  });

  test('typed Escape and typed letters are keys', () => {
    for (const pauseMs of [5, 100, 300]) {
      for (const letter of 'abdqyBO[]P_1') {
        const keys = keysOver([
          [0, '\x1b'],
          [700 + pauseMs, letter],
        ]);
        expect(keys).toEqual([ESCAPE, textKey(letter)]);
      }
      for (const letter of 'abdqyB1') {
        const keys = keysOver([
          [0, '\x1b'],
          [pauseMs, letter],
        ]);
        expect(keys).toEqual([ESCAPE, textKey(letter)]);
      }
      // Quickly after Escape they wait for what may be the rest of a key.
      for (const letter of '[O]P_') {
        const keys = keysOver([
          [0, '\x1b'],
          [300, letter],
          [310, 'k'],
        ]);
        expect(keys).toEqual([ESCAPE, textKey(letter), textKey('k')]);
      }
    }
  });

  test('Escape alone is one after its wait, which is longer over a network', () => {
    expect(escapeWait({})).toBe(ESCAPE_MS.near);
    expect(escapeWait({ SSH_CONNECTION: '::1 1 ::1 22' })).toBe(ESCAPE_MS.remote);
    expect(escapeWait({ SSH_TTY: '/dev/pts/1' })).toBe(ESCAPE_MS.remote);
    const input = new TerminalInput(ESCAPE_MS.near, () => 0);
    expect(input.push('\x1b')).toEqual([]);
    expect(input.waitMs).toBe(ESCAPE_MS.near);
    expect(input.flush()).toBe('\x1b');
    expect(input.waitMs).toBeUndefined();
  });

  test('bytes that are not UTF-8 are a sign each, and end no answer but as ST', () => {
    expect(keysOver([[0, Buffer.from([0xff, 0x9b, 0x41])]])).toEqual(
      ['\ufffd', '\ufffd', 'A'].map(textKey),
    );
    expect(keysOver([[0, Buffer.from('\x1b]lt\xff\xef\xbf\xbdy\x9cq', 'latin1')]])).toEqual([Q]);
  });
});

describe('pastes', () => {
  test.each<[readonly string[], readonly (readonly string[])[]]>([
    [
      ['ab', '\x1b', '[A'],
      [['ab'], [], ['\x1b[A']],
    ],
    [
      ['a\x1b[20', '0~one', ' two\x1b[20', '1~b'],
      [['a'], [], [], ['\x1b[200~one two\x1b[201~b']],
    ],
    [
      ['\x1b[20', '~'],
      [[], ['\x1b[20~']],
    ],
    [
      ['a\x1b[200~lost', 'q\x03q', 'b'],
      [['a'], ['\x03q'], ['b']],
    ],
    [
      ['\x1b[200~one\x03two\x03\x1b[200~three', '\x1b[201~'],
      [['\x03'], ['\x1b[200~three\x1b[201~']],
    ],
    [['\x1b[200~one\x03two\x1b[201~\x03'], [['\x1b[200~one\x03two\x1b[201~\x03']]],
  ])('%j is read as %j', (pieces, read) => {
    const input = fresh();
    expect(pieces.map((piece) => input.push(piece))).toEqual(read);
  });
});

const CLICK = '\x1b[<0;5;7M\x1b[<0;5;7m';
const CLICKED: MouseAct = { kind: 'click', column: 4, row: 6 };

describe('reports of the mouse', () => {
  test.each<[string, readonly string[], readonly (string | MouseAct)[]]>([
    ['a click is its end', [CLICK], [CLICKED]],
    ['keys around it stay', [`a${CLICK}\x1b[A`], ['a', CLICKED, '\x1b[A']],
    ['the wheel', ['\x1b[<65;1;2M'], [{ kind: 'wheel-down', column: 0, row: 1 }]],
    ['a drag to another line', ['\x1b[<0;5;7M\x1b[<0;5;9m'], []],
    ['other buttons, with Shift, moves', ['\x1b[<2;1;1M\x1b[<2;1;1m\x1b[<4;1;1M\x1b[<35;1;1M'], []],
    ['an end alone', ['\x1b[<0;5;7m'], []],
    ['reports without SGR', ['\x1b[M !!q', '\x1b[M', '#', '!!q'], ['q', 'q']],
    [
      'cut, and another begins',
      ['\x1b[<0;5', '\x1b[<65;1;2M'],
      [{ kind: 'wheel-down', column: 0, row: 1 }],
    ],
    ['cut, and a key that is no part of it', ['\x1b[<0;5', '\rq'], ['\rq']],
    ['no number', ['\x1b[<0;x;7Mq'], [';7Mq']],
    [
      'keys that begin as it does',
      ['\x1b[A\x1bOB\x1b[200~x\x1b[201~'],
      ['\x1b[A\x1bOB\x1b[200~x\x1b[201~'],
    ],
    ['Escape twice', ['\x1b\x1b', '\x1b[A'], ['\x1b', '\x1b\x1b[A']],
  ])('%s', (_, pieces, parts) => {
    const reports = fresh();
    expect(pieces.flatMap((piece) => reports.push(piece))).toEqual(parts);
  });

  test('cut anywhere, with a pause there or not, is no key but Escape', () => {
    for (let cut = 1; cut < CLICK.length; cut++) {
      for (const pauses of [false, true]) {
        const reports = fresh();
        const parts = [
          ...reports.push(CLICK.slice(0, cut)),
          ...(pauses ? [reports.flush()] : []),
          ...reports.push(CLICK.slice(cut)),
        ];
        const keys = parts.filter((part) => typeof part === 'string').join('');
        const isAfterEscape = pauses && CLICK.slice(0, cut).endsWith('\x1b');
        expect([cut, keys]).toEqual([cut, isAfterEscape ? '\x1b' : '']);
      }
    }
  });

  test('one by one with pauses it is Escape and nothing more', () => {
    const reports = fresh();
    const parts = [...CLICK].flatMap((one) => {
      const given = reports.push(one);
      // A bracket behind Escape has longer.
      return reports.waitMs === 150 ? [...given, reports.flush()] : given;
    });
    expect(parts.filter((part) => typeof part === 'string').join('')).toBe('\x1b\x1b');
  });

  test('Escape, and a bracket behind it, are keys when nothing follows', () => {
    const reports = fresh();
    expect(reports.push('\x1b')).toEqual([]);
    expect(reports.flush()).toBe('\x1b');
    expect(reports.push('[')).toEqual([]);
    expect(reports.flush()).toBe('[');
    expect(reports.push('\x1b')).toEqual([]);
    expect(reports.flush()).toBe('\x1b');
    expect([...reports.push('['), ...reports.push('x')]).toEqual(['[x']);
    expect(reports.push('[')).toEqual(['[']);
    expect(reports.flush()).toBe('');
  });
});
