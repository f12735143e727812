import type { PlaceKind, Plan, Planted } from './case.ts';
import type { Dice } from './dice.ts';
import { clashes } from './tree.ts';

const PLAIN_NAMES = ['a', 'b', 'c.txt', 'd.jpg', 'a-b', 'ab', 'a.b', 'B2', 'keep', 'z9'];
const ODD_NAMES = [
  ...[
    'a b',
    ' lead',
    'trail ',
    'dot.',
    '.hidden',
    'ü',
    '\u00e9',
    '日本',
    '😀',
    'a+b',
    'a&b',
    'a%20b',
  ],
  ...[
    "it's",
    'x=1',
    'a#b',
    'q?',
    'st*r',
    '[br]',
    '{c}',
    '~t',
    'a:b',
    'a\\b',
    '<x>',
    '"q"',
    '-dash',
  ],
  ...['R&D', '<b>&"c"\'d\'', '&amp;', '%26', '<', '&'],
  ...['n'.repeat(200), 'A.TXT', '100%', 'a,b', 'a;b', '$HOME', '`id`', 'tab\tx'],
];
const DIRS = ['d', 'e', 'dir', 'd/sub', 'd/sub/deep', 'a', 'ab', 'D 2', 'e/d'];
const SIZES = [0, 1, 2, 10, 10, 10, 11, 99, 100, 101, 1000, 4096, 5000];
/** In seconds; near each other, with fractions, and far away. */
const TIMES = [
  ...['1000000000', '1000000001', '1000000000.5', '1300000000', '1300000000.25', '1600000000'],
  ...['1600000000.123', '1700000000', '2000000000', '86400', '3900000000'],
];

/** Two trees that have much in common. */
export interface TwoTrees {
  readonly a: Plan;
  readonly b: Plan;
  /** Files that one of both has, too, for places besides. */
  readonly c: Plan;
}

/** Trees for places of these kinds; small ones, as a rule. */
export function makeTrees(dice: Dice, kinds: readonly PlaceKind[]): TwoTrees {
  const count = dice.pick([0, 1, 2, 3, 4, 5, 6, 7, 8, 12]);
  const odd = dice.chance(30);
  const [a, b, c]: Record<string, Planted>[] = [{}, {}, {}];
  const isCaseless = kinds.includes('drive');
  const hasDirs = kinds.some((kind) => kind !== 's3');
  const put = (plan: Record<string, Planted> | undefined, path: string, what: Planted) => {
    if (plan === undefined || (what !== 'dir' && isTaken(plan, path, isCaseless, hasDirs))) return;
    if (what === 'dir' && (path in plan || clashes(plan, path))) return;
    plan[path] = what;
  };
  for (let i = 0; i < count; i++) {
    const path = makePath(dice, odd);
    const file = makeFile(dice);
    const where = dice.below(10);
    if (where < 7) put(a, path, file);
    if (where === 0 || where >= 6) put(b, path, makeFile(dice));
    else if (where < 5) put(b, path, vary(dice, file));
    if (dice.chance(25)) put(c, path, vary(dice, file));
    if (dice.chance(10)) put(b, makePath(dice, odd), file);
  }
  if (hasDirs) {
    for (const plan of [a, b]) {
      while (dice.chance(20)) put(plan, dice.pick(['empty', 'd/none', 'e', 'dir/x/y', 'a']), 'dir');
    }
  }
  const fitting = Object.entries(c ?? {}).filter(
    ([path]) =>
      !hasDirs || [a ?? {}, b ?? {}].every((plan) => path in plan || !clashes(plan, path)),
  );
  return { a: a ?? {}, b: b ?? {}, c: Object.fromEntries(fitting) };
}

/** Many small files, nearly all in one directory: more than one batch of deletions, and more than one page. */
export function makeMany(dice: Dice, count: number): Plan {
  const plan: Record<string, Planted> = {};
  for (let i = 0; i < count; i++) {
    plan[`m${i % 50 === 0 ? 1 : 0}/f${i}`] = [dice.below(3), i % 256, '1000000000'];
  }
  return plan;
}

function isTaken(plan: Plan, path: string, isCaseless: boolean, hasDirs: boolean): boolean {
  if (path in plan || (hasDirs && clashes(plan, path))) return true;
  const fold = (text: string) => text.normalize('NFC').toLowerCase();
  if (!isCaseless) return Object.keys(plan).some((key) => key.normalize() === path.normalize());
  const folded = Object.fromEntries(Object.entries(plan).map(([key, what]) => [fold(key), what]));
  return fold(path) in folded || clashes(folded, fold(path));
}

/** A path for a file. */
export function makePath(dice: Dice, odd: boolean): string {
  const name = dice.pick(odd && dice.chance(60) ? ODD_NAMES : PLAIN_NAMES);
  if (dice.chance(45)) return name;
  const dir = dice.pick(DIRS);
  return `${dir}/${name}`;
}

function makeFile(dice: Dice): Planted {
  return [dice.pick(SIZES), dice.below(6), dice.pick(TIMES)];
}

/** The same file, or one that differs in one thing. */
function vary(dice: Dice, file: Planted): Planted {
  if (typeof file === 'string') return file;
  const [size, id, time] = file;
  return dice.pick<Planted>([
    file,
    file,
    [size, id + 1, time],
    [size, id, dice.pick(TIMES)],
    [size, id, dice.pick(TIMES)],
    [size, id + 1, dice.pick(TIMES)],
    [size + 1, id, time],
    makeFile(dice),
  ]);
}
