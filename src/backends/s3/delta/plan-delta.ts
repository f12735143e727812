import type { CommonRange } from '../../../core/content-pieces.ts';

/** A part of a new object: bytes that are sent, or with `from` copied from there in the old object. All in bytes. */
export interface Stretch {
  readonly offset: number;
  readonly length: number;
  readonly from?: number;
}

/** What parts may be. */
export interface PartLimits {
  /** The least of all but the last, in bytes. */
  readonly least: number;
  /** What a part that is sent has in a usual upload, in bytes. */
  readonly sent: number;
  /** The most of a copied part, in bytes. */
  readonly copied: number;
  /** How many there may be. */
  readonly count: number;
  /** All but the last have one size: that of `sent`. */
  readonly areEqual: boolean;
}

/** The parts of a new object. */
export interface DeltaLayout {
  /** In order, and all of the content. */
  readonly stretches: readonly Stretch[];
  /** They are those of a usual upload, some of which are copied. */
  readonly isRegular: boolean;
  /** How many bytes are sent. */
  readonly sent: number;
}

/** With more than this share to send, the whole is sent. */
const WORTH = 3 / 4;

/** Usual parts are preferred if they send at most this times as much: then the object is as after a usual upload. */
const REGULAR_WORTH = 1.1;

/**
 * Which ranges of a content of `size` bytes are copied from an old object, and which are sent, so that few are sent;
 * `undefined` if that is not worth it.
 *
 * @param matches in the order of their offsets, without overlaps
 */
export function planDelta(
  size: number,
  matches: readonly CommonRange[],
  limits: PartLimits,
): DeltaLayout | undefined {
  const runs = joined(matches);
  const regular = regularParts(size, runs, limits);
  if (limits.areEqual) return regular !== undefined && isWorth(regular, size) ? regular : undefined;
  const free = freeParts(size, runs, limits);
  const isRegularGood =
    regular !== undefined && regular.sent <= REGULAR_WORTH * (free?.sent ?? size);
  const best = isRegularGood ? regular : free;
  return best !== undefined && isWorth(best, size) ? best : undefined;
}

const isWorth = ({ sent }: DeltaLayout, size: number): boolean => sent <= WORTH * size;

/** The matches, with those joined that continue each other in both contents. */
function joined(matches: readonly CommonRange[]): readonly CommonRange[] {
  const runs: { offset: number; length: number; from: number }[] = [];
  for (const { offset, length, from } of matches) {
    const last = runs.at(-1);
    const continues =
      last !== undefined &&
      last.offset + last.length === offset &&
      last.from + last.length === from;
    if (continues) last.length += length;
    else runs.push({ offset, length, from });
  }
  return runs;
}

/** The parts of a usual upload; copied are those that the old object has at the same place. */
function regularParts(
  size: number,
  runs: readonly CommonRange[],
  { sent: partSize, count }: PartLimits,
): DeltaLayout | undefined {
  if (Math.ceil(size / partSize) > count) return undefined;
  const inPlace = runs.filter(({ offset, from }) => offset === from);
  const stretches: Stretch[] = [];
  let run = 0;
  for (let offset = 0; offset < size; offset += partSize) {
    const length = Math.min(partSize, size - offset);
    const endOf = ({ offset: begin, length: all }: CommonRange) => begin + all;
    for (; run < inPlace.length && endOf(inPlace[run] as CommonRange) < offset + length; run++);
    const isThere = (inPlace[run]?.offset ?? size) <= offset;
    stretches.push(isThere ? { offset, length, from: offset } : { offset, length });
  }
  return { stretches, isRegular: true, sent: sentIn(stretches) };
}

/** Parts of any sizes. If there are too many, all of them become longer. */
function freeParts(
  size: number,
  runs: readonly CommonRange[],
  limits: PartLimits,
): DeltaLayout | undefined {
  for (let least = limits.least; least < size; least *= 2) {
    const copies = chosenCopies(size, runs, least);
    const sent = Math.max(least, limits.sent);
    const copied = Math.max(2 * least, limits.copied);
    const stretches = withSent(size, copies, { sent, copied });
    if (stretches.length > limits.count) continue;
    return { stretches, isRegular: false, sent: sentIn(stretches) };
  }
  return undefined;
}

/** How many bytes are sent. */
function sentIn(stretches: readonly Stretch[]): number {
  let sent = 0;
  for (const { length, from } of stretches) if (from === undefined) sent += length;
  return sent;
}

/** A run that is copied, if the ones before it are chosen as its chain says. */
interface Choice {
  /** Where its copy begins and ends, in the new content. */
  readonly begin: number;
  readonly end: number;
  /** What is sent before it, in bytes. */
  readonly sent: number;
  readonly run: CommonRange;
  readonly before?: { readonly choice: Choice; readonly end: number };
}

/** How many runs in a row may be left out between two that are copied: more would never be cheaper. */
const LEFT_OUT = 16;

/**
 * The ranges to copy. What is sent between two of them has `least` bytes or more; what it lacks is taken from the end
 * of the one before, then from the start of the one behind. Each keeps `least`, unless it is the end of the content.
 */
function chosenCopies(
  size: number,
  runs: readonly CommonRange[],
  least: number,
): readonly CommonRange[] {
  const isLast = ({ offset, length }: CommonRange) => offset + length === size;
  const usable = runs.filter((run) => run.length >= least || isLast(run));
  const choices: (Choice | undefined)[] = [];
  for (const [at, run] of usable.entries()) {
    const end = run.offset + run.length;
    const best = { choice: undefined as Choice | undefined };
    const offer = (sentBefore: number, from: number, before?: Choice) => {
      const gap = run.offset - from;
      const lacks = gap === 0 ? 0 : Math.max(0, least - gap);
      const spare = before === undefined ? 0 : Math.max(0, before.end - before.begin - least);
      const ofBefore = Math.min(lacks, spare);
      const begin = run.offset + lacks - ofBefore;
      if (end - begin < (isLast(run) ? 1 : least)) return;
      const sent = sentBefore + gap + lacks;
      const known = best.choice;
      if (
        known !== undefined &&
        (known.sent < sent || (known.sent === sent && known.begin <= begin))
      )
        return;
      const chain = before && { before: { choice: before, end: before.end - ofBefore } };
      best.choice = { begin, end, sent, run, ...chain };
    };
    offer(0, 0);
    for (let earlier = at - 1; earlier >= Math.max(0, at - LEFT_OUT); earlier--) {
      const before = choices[earlier];
      if (before !== undefined) offer(before.sent, before.end, before);
    }
    choices.push(best.choice);
  }
  let last: Choice | undefined;
  for (const choice of choices) {
    const costOf = (one: Choice | undefined) =>
      one === undefined ? size : one.sent + size - one.end;
    if (choice !== undefined && costOf(choice) <= costOf(last)) last = choice;
  }
  const copies: CommonRange[] = [];
  let until = last?.end ?? 0;
  while (last !== undefined) {
    const { begin, run, before } = last;
    copies.push({ offset: begin, length: until - begin, from: run.from + begin - run.offset });
    until = before?.end ?? 0;
    last = before?.choice;
  }
  return copies.reverse();
}

/** The copies in parts, with what is sent between them. */
function withSent(
  size: number,
  copies: readonly CommonRange[],
  { sent, copied }: Pick<PartLimits, 'sent' | 'copied'>,
): Stretch[] {
  const stretches: Stretch[] = [];
  let done = 0;
  const add = (length: number) => {
    stretches.push({ offset: done, length });
    done += length;
  };
  for (const { offset, length, from } of copies) {
    // A part may have up to twice the usual size, so that none is too small.
    for (const share of shares(offset - done, Math.floor((offset - done) / sent))) add(share);
    for (const share of shares(length, Math.ceil(length / copied))) {
      stretches.push({ offset: done, length: share, from: from + done - offset });
      done += share;
    }
  }
  while (done < size) add(Math.min(sent, size - done));
  return stretches;
}

/** A length in `count` shares, at least one, that differ by a byte at most; none of nothing. */
function shares(length: number, count: number): number[] {
  if (length === 0) return [];
  const parts = Math.max(1, count);
  const share = Math.floor(length / parts);
  const longer = length - share * parts;
  return Array.from({ length: parts }, (_, at) => (at < longer ? share + 1 : share));
}
