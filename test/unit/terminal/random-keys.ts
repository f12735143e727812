import {
  ctrlKey,
  type Key,
  keysOfText,
  type MouseAct,
  namedKey,
  pasteKey,
  textKey,
} from '../../../src/terminal/key.ts';
import { type KeyRule, keyName, keysIn } from '../../../src/terminal/key-table.ts';
import type { Size } from '../../../src/terminal/screen-model.ts';
import { ESCAPE_MS, TerminalInput } from '../../../src/terminal/terminal-input.ts';
import { ALL_KEYS } from './key-samples.ts';

/** Something that was done, and what the screen had to show before. */
export interface Deed {
  readonly what: string;
  /** Names and numbers that stood on the screen. */
  readonly names: readonly string[];
  /** The only keys that may do it, by their names; absent: any key, as nothing is deleted or replaced. */
  readonly keys?: readonly string[];
}

/** A screen under random keys, with effects that only record. */
export interface WalkedScreen {
  table(): readonly KeyRule<unknown>[];
  press(key: Key): void;
  /** Takes the mouse; absent: there is none. */
  point?(act: MouseAct): void;
  resize(size: Size): void;
  /** The screen as it is now; drawn when it is called. */
  look(size: Size): () => string;
  /** What was done since the last call. */
  deeds(): readonly Deed[];
  isOver(): boolean;
}

/** A screen that can be opened again when it is over. */
export interface OpenScreen {
  readonly name: string;
  /** Keys that lead to its questions; `\r` is Enter. */
  readonly starts: readonly string[];
  open(): WalkedScreen;
}

const ENTER = namedKey('enter');
const SIZES: readonly Size[] = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 40, rows: 12 },
];
const TYPED = ['~/x', 'r1:y', 'new-name', 'pw', 'jpg', '5M', 'y', 'yes', 'AWS', '/tmp/z'];

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The next keys: what the screen offers, texts, pastes, Ctrl keys, and Enter held down. */
function nextKeys(screen: WalkedScreen, random: () => number): readonly Key[] {
  const one = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const kind = random();
  if (kind < 0.05) return [namedKey(one(['up', 'down'])), ENTER];
  if (kind < 0.12) return Array.from({ length: 1 + Math.floor(random() * 40) }, () => ENTER);
  if (kind < 0.2) return [ENTER];
  if (kind < 0.28) return keysOfText(one(TYPED));
  if (kind < 0.32) return [pasteKey(one([...TYPED, 'y\n', 'one\ntwo\n']))];
  if (kind < 0.36) return [ctrlKey(one([...'abdefghklnrtuwxy']))];
  if (kind < 0.42) return [namedKey('escape')];
  if (kind < 0.46) return [one(ALL_KEYS)];
  const { keys = '', also = '' } = one(screen.table()) ?? {};
  const offered = BY_NAME.get(one([...keysIn(keys), ...keysIn(also)]));
  return [offered ?? textKey('y')];
}

/** Clicks, drags and the wheel as a terminal reports them: whole, cut into pieces with a pause between, or without an end. */
function mouseText(random: () => number, { columns, rows }: Size): readonly string[] {
  const upTo = (most: number) => Math.floor(random() * most);
  const place = `${1 + upTo(columns)};${1 + upTo(rows)}`;
  const kind = random();
  const click = `\x1b[<0;${place}M\x1b[<0;${place}m`;
  const text =
    kind < 0.5
      ? click + (random() < 0.5 ? click : '')
      : kind < 0.8
        ? `\x1b[<${64 + upTo(4)};${place}M`.repeat(1 + upTo(3))
        : kind < 0.9
          ? `\x1b[<${upTo(130)};${place}${'Mm'[upTo(2)]}`
          : `\x1b[M${String.fromCharCode(32 + upTo(99), 33 + upTo(99), 33 + upTo(40))}`;
  if (random() < 0.5) return [text];
  const cut = 1 + upTo(text.length);
  return random() < 0.3 ? [text.slice(0, cut)] : [text.slice(0, cut), text.slice(cut)];
}

/** Without Ctrl-C, which would end most walks soon. */
const BY_NAME = new Map(ALL_KEYS.map((key) => [keyName(key), key]));
BY_NAME.delete('^C');

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const dense = (text: string) => text.replace(/[\s…│|]+/g, '');

/** What a walk came to. */
export interface Walk {
  /** Deeds without a question that named them, or answered by a key that is no answer. */
  readonly faults: readonly string[];
  /** How often each deed was done. */
  readonly done: ReadonlyMap<string, number>;
}

/** Presses random keys and checks what each of them does; ends early if `mayEnd` is true of the faults. */
export async function walk(
  { open, starts }: OpenScreen,
  seed: number,
  keyCount: number,
  mayEnd: (faults: ReadonlySet<string>) => boolean = () => false,
): Promise<Walk> {
  const random = randomFrom(seed);
  const faults = new Set<string>();
  const done = new Map<string, number>();
  let screen = open();
  let size = SIZES[0] as Size;
  let pressed = 0;
  const reports = new TerminalInput(ESCAPE_MS.near, () => 0);
  const point = async () => {
    for (const piece of mouseText(random, size)) {
      const given = reports.push(piece);
      // A pause that ends Escape; a bracket behind it has longer.
      const parts = reports.waitMs === ESCAPE_MS.near ? [...given, reports.flush()] : given;
      for (const part of parts) {
        if (typeof part !== 'string') await press([part]);
        // Escape alone cannot be told from a report that is cut behind its first character.
        else if (part !== '\x1b') faults.add(JSON.stringify({ piece, part }));
      }
    }
  };
  const press = async (keys: readonly (Key | MouseAct)[]) => {
    for (const key of keys) {
      pressed++;
      const before = screen.look(size);
      if ('kind' in key) screen.point?.(key);
      else screen.press(key);
      await settle();
      for (const deed of screen.deeds()) {
        done.set(deed.what, (done.get(deed.what) ?? 0) + 1);
        for (const fault of faultsOf(deed, key, before())) faults.add(fault);
      }
      if (screen.isOver()) return;
    }
  };
  while (pressed < keyCount && !mayEnd(faults)) {
    if (random() < 0.05) {
      size = SIZES[Math.floor(random() * SIZES.length)] as Size;
      screen.resize(size);
    }
    if (screen.isOver() || random() < 0.05) {
      screen = open();
      screen.resize(size);
      await settle();
      await press(keysOfText(starts[Math.floor(random() * starts.length)] ?? ''));
    } else if (random() < 0.2) await point();
    else await press(nextKeys(screen, random));
  }
  return { faults: [...faults], done };
}

function faultsOf(
  { what, names, keys }: Deed,
  key: Key | MouseAct,
  shown: string,
): readonly string[] {
  const text = dense(shown);
  const by = 'kind' in key ? key.kind : keyName(key);
  const unseen = names.filter((name) => !text.includes(dense(name)));
  return [
    ...unseen.map((name) => `${what}: the screen before did not show ${name}`),
    ...(keys?.includes(by) === false ? [`${what}: done by ${by}`] : []),
  ];
}
