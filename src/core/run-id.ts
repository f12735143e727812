/** Digits and letters that cannot be mistaken for each other. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';

/** The id of a run that began at `nowMs`: `20261121-113012-7k3f`, in UTC, so that ids sort by time. */
export function newRunId(nowMs: number): string {
  const [date, time] = new Date(nowMs).toISOString().replace(/[-:]/g, '').split(/[T.]/);
  // An id is no secret; loading `node:crypto` would cost every command.
  const letter = () => ALPHABET[Math.floor(Math.random() * ALPHABET.length)];
  const end = Array.from({ length: 4 }, letter).join('');
  return `${date}-${time}-${end}`;
}

/** Whether a text is the id of a run. */
export const isRunId = (text: string): boolean => /^\d{8}-\d{6}-[2-9a-z]{4}$/.test(text);

/** The shortest end of a run's id that people type: `7k3f`. */
export const shortRunId = (id: string): string => id.slice(id.lastIndexOf('-') + 1);

/** The one id that `typed` names: the whole of it or any unique end. `undefined` if none or several do. */
export function findRunId(typed: string, ids: readonly string[]): string | undefined {
  if (ids.includes(typed)) return typed;
  const found = typed === '' ? [] : ids.filter((id) => id.endsWith(typed));
  return found.length === 1 ? found[0] : undefined;
}

/** Whether the clock of its machine had been set when a run began: none did before 2026. Otherwise its age is unknown. */
export const isClockSet = (beganMs: number): boolean => beganMs >= Date.UTC(2026, 0);

/** Whether a run began before `timeMs`; unknown, and `false`, if its machine's clock had not been set: `20000101-…`. */
export function hasBegunBefore(id: string, timeMs: number): boolean {
  const beganMs = runTimeMs(id);
  return isClockSet(beganMs) && beganMs < timeMs;
}

/** For how long a clock must have been as it is before what it calls old is deleted, in milliseconds: a day. */
export const CLOCK_PROOF_MS = 24 * 3_600_000;

/**
 * The time that runs prove, in milliseconds since the epoch: that of the newest which began a day ago or more; -Infinity
 * if there is none. A clock that is months ahead would have all of them deleted at once.
 */
export function provenTimeMs(ids: readonly string[], nowMs: number): number {
  const times = ids.map(runTimeMs).filter((timeMs) => timeMs <= nowMs - CLOCK_PROOF_MS);
  return times.reduce((last, timeMs) => Math.max(last, timeMs), Number.NEGATIVE_INFINITY);
}

/** When the run of an id began, in milliseconds since the epoch, to the second. */
export function runTimeMs(id: string): number {
  const [, date = '', time = ''] = /^(\d{8})-(\d{6})/.exec(id) ?? [];
  const text = `${date.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`;
  return Date.parse(text);
}
