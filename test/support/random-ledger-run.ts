import { expect } from 'vitest';
import { compareNames } from '../../src/core/name-order.ts';
import {
  CLAIMS,
  coversAllNames,
  type HeldRange,
  Ledger,
  type RangeStore,
} from '../../src/run/ranges/ledger.ts';
import { randomFrom } from './random-from.ts';

const NAMES = Array.from({ length: 40 }, (_, i) => String.fromCharCode(0x41 + i));

/** Who works on what, as the workers themselves see it. */
interface Holder {
  readonly held: HeldRange;
  /** The names that it has handled. */
  readonly seen: string[];
  /** Its process is gone, or stopped: whoever claims its range is right. */
  isSilent: boolean;
}

/**
 * A run of random claims, reaches, cuts, ends, failures, lost holders with late results and phases, several of them
 * at the same time, over a store of a ledger. Fails if ranges leave a gap or overlap, if two holders that the ledger
 * believes work on one name, or if anything is deleted before all is copied.
 *
 * @param reopened another store of the same ledger, for a process that is new
 */
export async function randomLedgerRun(
  seed: number,
  store: RangeStore,
  reopened: () => RangeStore = () => store,
  steps = 120,
): Promise<void> {
  const random = randomFrom(seed);
  const pick = <T>(from: readonly T[]): T | undefined => from[random(from.length)];
  let ledger = new Ledger(store);
  let holders: Holder[] = [];
  let tokens = 0;
  const copied = new Set<string>();
  const extra = new Set(NAMES.filter(() => random(10) === 0));
  const deleted = new Set<string>();
  const inside = ({ held: { after, last } }: Holder) =>
    NAMES.filter(
      (name) =>
        (after === undefined || compareNames(name, after) > 0) &&
        (last === undefined || compareNames(name, last) <= 0),
    );
  const take = (held: HeldRange | undefined) => {
    if (held !== undefined) holders.push({ held, seen: [], isSilent: false });
  };
  const claim = async () => take(await ledger.claim(`t${++tokens}`, 'node'));
  const leave = (holder: Holder) => {
    holders = holders.filter((one) => one !== holder);
  };
  const finish = async (holder: Holder) => {
    const names = inside(holder);
    const counts = { files: names.length, extra: names.filter((name) => extra.has(name)).length };
    leave(holder);
    const isDone = await holder.held.done(counts);
    if (!holder.isSilent) expect(isDone, 'the result of its holder').toBe(true);
    expect(await holder.held.done(counts), 'a late result').toBe(false);
    if (!isDone) return;
    expect(holder.seen).toEqual(names);
    if (holder.held.phase === 'copying') for (const name of names) copied.add(name);
  };
  const handleOne = async (holder: Holder) => {
    const next = inside(holder).find((name) => !holder.seen.includes(name));
    if (next === undefined) return finish(holder);
    const reached = await holder.held.reach(
      { first: next, last: next, points: [], isSlow: false },
      false,
    );
    if (reached === 'lost') {
      expect(holder.isSilent, 'lost without being silent').toBe(true);
      return leave(holder);
    }
    if (reached === 'ended') return;
    holder.seen.push(next);
    if (holder.held.phase === 'deleting') {
      expect(copied.size, 'deleted before all was copied').toBe(NAMES.length);
      if (extra.has(next)) deleted.add(next);
    }
  };
  const busy = new Set<Holder>();
  const withOne = (does: (holder: Holder) => Promise<void>) => async () => {
    const holder = pick(holders.filter((one) => !busy.has(one)));
    if (holder === undefined) return;
    busy.add(holder);
    await does(holder);
    busy.delete(holder);
  };
  const cut = withOne(async (holder) => {
    const reached = holder.seen.at(-1);
    const point = pick([...NAMES, 'Aa', 'b~', '']) ?? '';
    const isCut = await holder.held.cut(point);
    if (isCut && reached !== undefined) expect(compareNames(point, reached) >= 0).toBe(true);
  });
  const cutOfOthers = async () => {
    const { phase, ranges } = await ledger.read();
    const range = pick(ranges.filter(({ state }) => state === 'held'));
    if (range !== undefined) await ledger.cut(phase, range, pick(NAMES) ?? '');
  };
  const end = withOne(async (holder) => {
    const isOurs = random(2) === 0 ? await holder.held.fail() : await holder.held.release();
    if (!holder.isSilent) expect(isOurs).toBe(true);
    leave(holder);
    expect(
      await holder.held.reach({ first: 'A', last: 'A', points: [], isSlow: false }, false),
    ).not.toBe('reached');
    expect(await holder.held.cut('B')).toBe(false);
  });
  const lose = withOne(async (holder) => {
    const { tries = 0 } = holder.held.record;
    if (holder.isSilent || tries >= CLAIMS.most) return;
    holder.isSilent = true;
    const { after } = holder.held;
    const { phase, ranges } = await ledger.read();
    const range = ranges.find((one) => one.state === 'held' && one.after === after);
    if (range !== undefined && (await ledger.free(phase, range)))
      take(await ledger.claim(`t${++tokens}`, 'other'));
    if (random(2) === 0) leave(holder);
  });
  const kinds: (() => Promise<unknown>)[] = [
    ...[claim, claim, cut, cutOfOthers, end],
    ...Array.from({ length: 12 }, () => withOne(handleOne)),
    () => ledger.reopen(),
    async () => ledger.join(await ledger.read()),
    () => ledger.nextPhase(true),
    async () => {
      if (random(3) === 0) await lose();
      if (random(8) === 0) ledger = new Ledger(reopened());
    },
  ];
  for (let step = 0; step < steps; step++) {
    await Promise.all(Array.from({ length: 1 + random(4) }, () => pick(kinds)?.()));
    const { ranges } = await ledger.read();
    if (!coversAllNames(ranges)) expect.fail(`a gap or an overlap: ${JSON.stringify(ranges)}`);
    const held = holders.filter(({ isSilent }) => !isSilent).flatMap((one) => one.seen.concat());
    const both = held.filter((name, i) => held.indexOf(name) !== i);
    if (both.length > 0) expect.fail(`two work on ${both.join(' ')}`);
  }
  holders = holders.filter(({ isSilent }) => !isSilent);
  const isOver = async () => (await ledger.read()).phase === 'done';
  for (let step = 0; step < 10_000 && !(await isOver()); step++) {
    if (holders.length === 0) await claim();
    const [holder] = holders;
    if (holder !== undefined) await handleOne(holder);
    else if (!(await ledger.reopen()) && !(await ledger.nextPhase(true)) && !(await isOver())) {
      // What its holders have left.
      const { phase, ranges } = await ledger.read();
      for (const range of ranges) {
        if (range.state !== 'held' || !(await ledger.free(phase, range))) continue;
        take(await ledger.claim(`t${++tokens}`, 'last'));
      }
    }
  }
  expect((await ledger.read()).phase).toBe('done');
  expect([...copied].sort(compareNames)).toEqual(NAMES);
  expect([...deleted].sort()).toEqual([...extra].sort());
}
