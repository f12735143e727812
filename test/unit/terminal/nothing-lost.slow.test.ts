import { describe, expect, test } from 'vitest';
import { type Key, textKey } from '../../../src/terminal/key.ts';
import { keysIn } from '../../../src/terminal/key-table.ts';
import { type OpenScreen, type WalkedScreen, walk } from './random-keys.ts';
import { WALKED_SCREENS } from './walked-screens.tsx';

const SEEDS = Array.from(
  { length: Number(process.env['SYNCER_TEST_SEEDS'] ?? 1) },
  (_, n) => n + 1,
);
/** Of each walk; all in `npm run test:all`. */
const KEYS = 1500;
const Y = textKey('y');
/** Stands for a click, as no screen has this key. */
const CLICK = textKey('\0');

test.each(
  WALKED_SCREENS.flatMap((screen) => SEEDS.map((seed) => [screen.name, seed, screen] as const)),
)('random keys lose nothing: %s, seed %d', async (_, seed, screen) => {
  const { faults, done } = await walk(screen, seed, KEYS);
  expect(faults).toEqual([]);
  expect(done.size).toBeGreaterThan(0);
});

/** The screen with a fault: keys that arrive as others. */
function planted(
  { open, ...rest }: OpenScreen,
  keysFor: (key: Key, screen: WalkedScreen) => readonly Key[],
): OpenScreen {
  const opened = () => {
    const screen = open();
    const press = (key: Key) => {
      for (const one of keysFor(key, screen)) screen.press(one);
    };
    return { ...screen, press, point: () => press(CLICK) };
  };
  return { ...rest, open: opened };
}

const includes = (text: string) => (faults: ReadonlySet<string>) =>
  [...faults].some((fault) => fault.includes(text));

const takesYes = ({ table }: WalkedScreen) =>
  table().some(({ keys }) => keysIn(keys).includes('y'));

describe('planted faults are found:', () => {
  const asking = WALKED_SCREENS.filter(({ name }) => !name.startsWith('progress'));

  test.each(asking)('Enter is Yes: $name', async (screen) => {
    const faulty = planted(screen, (key, now) => [key.name === 'enter' && takesYes(now) ? Y : key]);
    const { faults } = await walk(faulty, 1, 1000, includes('done by Enter'));
    expect(faults).toContainEqual(expect.stringContaining('done by Enter'));
  });

  test('a click is Yes', async () => {
    const screen = asking.find(({ name }) => name === 'browser') as OpenScreen;
    const faulty = planted(screen, (key, now) => [key === CLICK && takesYes(now) ? Y : key]);
    const { faults } = await walk(faulty, 1, 1000, includes('done by click'));
    expect(faults).toContainEqual(expect.stringContaining('done by click'));
  });

  test.each(asking)('a question answers itself: $name', async (screen) => {
    const faulty = planted(screen, (key, now) => (takesYes(now) ? [Y, key] : [key]));
    const { faults } = await walk(faulty, 1, 1000, includes(''));
    expect(faults).not.toEqual([]);
  });
});
