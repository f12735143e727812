import { shortSize } from '../../src/shell/progress/short-size.ts';
import { RAW_PHOTOS } from './capture-store.ts';
import type { CaptureWorld } from './capture-world.ts';
import type { Scenario } from './scenario.ts';

const REVIEW: Pick<Scenario, 'command' | 'prepare'> = {
  command: 'syncer sync photos: copies --review',
  /** A destination that differs from the photos in every way there is. */
  prepare: (world) =>
    world.run(
      [
        'mkdir -p copies/old/2019',
        'truncate -s 3100000 copies/old/2019/a.jpg',
        'truncate -s 2900000 copies/old/2019/b.jpg',
        'truncate -s 18000 copies/index.html',
        "syncer copy photos:2024/iceland copies/2024/iceland --include '*.jpg'",
      ].join('; '),
    ),
};

/** What the screen with the plan says, and the planning before it does not. */
const PLANNED = / changes\n/;

const COPY = 'syncer copy photos:raw raw -P --transfers 4';

const MEBIBYTE = 1024 * 1024;

/** The shares of the transfers in what arrives; the fourth gets the rest. */
const SHARES = [0.34, 0.28, 0.22];

/**
 * MiB that have arrived after each second of a run, halfway between two sums that the view shows: it shows the larger
 * one when the last byte is there and not before.
 */
const ARRIVED = [1.45, 3.35, 5.25, 7.65, 10.5, 12.5, 15.5, 17.5, 19.5, 22.5, 25.5, 27.5];

/** Makes a copy of the raw photos receive as much, and waits each time until the view shows it. */
async function receive(
  { terminal, holder, advance }: CaptureWorld,
  arrived: readonly number[],
): Promise<void> {
  const waiting = [...RAW_PHOTOS].map(([name, left]) => ({ name, left }));
  const rows = waiting.splice(0, SHARES.length + 1);
  let total = 0;
  let files = 0;
  await terminal.waitFor(rows.map(({ name }) => name));
  for (const [at, mebibytes] of arrived.entries()) {
    let due = Math.ceil(mebibytes * MEBIBYTE) - total;
    total += due;
    const release = (photo: { name: string; left: number }, most: number) => {
      const bytes = Math.min(photo.left, most);
      holder.release(`/photos/raw/${photo.name}`, bytes);
      photo.left -= bytes;
      due -= bytes;
    };
    const shares = SHARES.map((share) => Math.floor(share * due));
    for (const [row, photo] of rows.entries()) release(photo, shares[row] ?? due);
    for (const photo of rows) release(photo, due);
    for (const [row, photo] of rows.entries()) {
      if (photo.left > 0) continue;
      files++;
      rows[row] = waiting.shift() ?? photo;
    }
    const names = rows.map(({ name }) => name);
    await terminal.waitFor([`${shortSize(total)} of`, `files ${files} of`, ...names]);
    await advance(1);
    await terminal.waitFor(`12 · ${at + 1}s`);
  }
}

/** Two directories that were alike, and what was done to both since. */
const CONFLICT: Pick<Scenario, 'command' | 'prepare'> = {
  command: 'syncer bisync notes shelf --review',
  prepare: (world) =>
    world.run(
      [
        'mkdir -p notes/trips shelf',
        ...written('notes/shopping.txt', ['milk', 'bread', 'eggs', 'apples'], '16T18:00'),
        ...written('notes/trips/lisbon.txt', ['tram 28', 'harbour'], '16T18:05'),
        ...written('notes/todo.txt', ['call Ben'], '16T18:10'),
        'syncer bisync notes shelf',
        ...written('notes/shopping.txt', ['milk', 'rye bread', 'eggs', 'apples'], '18T08:12'),
        ...written('shelf/shopping.txt', ['milk', 'bread', 'eggs', 'pears', 'tea'], '19T21:40'),
        ...written('shelf/trips/porto.txt', ['bridge', 'cellars'], '19T21:45'),
        'rm notes/todo.txt',
      ].join('; '),
    ),
};

/** Shell commands that write a file of November 2026. */
function written(path: string, lines: readonly string[], day: string): readonly string[] {
  return [
    `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')} >${path}`,
    `touch -d 2026-11-${day}Z ${path}`,
  ];
}

/** The captures of `--progress` and `--review`. */
export const RUN_SCENARIOS: readonly Scenario[] = [
  { name: 'progress', command: COPY, rows: 12, reach: (world) => receive(world, ARRIVED) },
  {
    name: 'progress-keys',
    command: COPY,
    rows: 17,
    async reach(world) {
      await receive(world, ARRIVED.slice(0, 4));
      await world.terminal.keys('p');
      await world.terminal.waitFor('paused');
      // Keys count only alone.
      await world.advance(0.3);
      await world.terminal.keys('?');
      await world.terminal.waitFor(['paused', 'fg resumes']);
    },
  },
  {
    name: 'progress-small',
    command: COPY,
    columns: 40,
    rows: 12,
    reach: (world) => receive(world, ARRIVED.slice(0, 5)),
  },
  { name: 'review', ...REVIEW, reach: ({ terminal }) => terminal.waitFor(PLANNED) },
  {
    name: 'review-excluded',
    ...REVIEW,
    rows: 12,
    async reach({ terminal }) {
      await terminal.waitFor(PLANNED);
      await terminal.keys('Down', 'Space');
      await terminal.waitFor('excluded');
    },
  },
  {
    name: 'review-conflict',
    ...CONFLICT,
    rows: 20,
    async reach({ terminal }) {
      await terminal.waitFor(PLANNED);
      await terminal.keys('Enter');
      await terminal.waitFor('rye bread');
    },
  },
];
