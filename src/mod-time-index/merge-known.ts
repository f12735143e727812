import { compareNames } from '../core/name-order.ts';
import { contradict, type KnownTime } from './known-time.ts';

/** Records in the order of their names. */
export type KnownTimes = Iterator<KnownTime>;

/**
 * One sequence of what several sorted ones hold, one record a name: of those that cannot both be true now the one of
 * the object written last; none where two contradict each other.
 */
export function* mergeKnown(sources: readonly KnownTimes[]): Generator<KnownTime> {
  const heads = sources.map((source) => ({ source, at: take(source) }));
  for (;;) {
    let least: string | undefined;
    for (const { at } of heads) {
      if (at === undefined) continue;
      if (least === undefined || compareNames(at.name, least) < 0) least = at.name;
    }
    if (least === undefined) return;
    const same: KnownTime[] = [];
    for (const head of heads) {
      if (head.at?.name !== least) continue;
      same.push(head.at);
      head.at = take(head.source);
    }
    const kept = chooseKnown(same);
    if (kept !== undefined) yield kept;
  }
}

/** The record to keep of several of one name. */
function chooseKnown(all: readonly KnownTime[]): KnownTime | undefined {
  let latest = all[0];
  for (const one of all) if (latest === undefined || one.toMs > latest.toMs) latest = one;
  const last = latest;
  return last === undefined || all.some((one) => contradict(one, last)) ? undefined : last;
}

function take(source: KnownTimes): KnownTime | undefined {
  const { value, done } = source.next();
  return done === true ? undefined : value;
}
