import { SyncerError, toSyncerError } from '../core/errors.ts';
import { formatSize, parseByteSize } from '../go/quantities.ts';

/** How fast data may go, in bytes a second; `undefined` for no limit. */
export interface BandwidthLimit {
  readonly upload: number | undefined;
  readonly download: number | undefined;
}

/** A limit and the minute of the week (from Sunday 00:00, local time) at which it begins. */
export interface BandwidthSlot {
  readonly minute: number;
  readonly limit: BandwidthLimit;
}

/** What `--bwlimit` says: the slots of a week, as they were given. */
export type BandwidthTimetable = readonly BandwidthSlot[];

const MINUTES_PER_DAY = 24 * 60;
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/**
 * Reads `--bwlimit` as rclone does: a rate (`10M`, `off`), rates up and down (`10M:100k`), or a timetable of
 * `hh:mm,rate` and `Mon-hh:mm,rate`, separated by spaces. A bare number is KiB/s; 0 and `off` mean no limit. Throws
 * `usage`.
 */
export function parseBandwidth(text: string): BandwidthTimetable {
  if (!/[ ,;]/.test(text)) return [{ minute: 0, limit: parseLimit(text) }];
  const slots = text.split(/[ ;]+/).filter((slot) => slot !== '');
  return slots.flatMap((slot) => parseSlot(slot));
}

/** What is wrong with the text of `--bwlimit`; `undefined` for a valid one. */
export function wrongBandwidth(text: string): string | undefined {
  try {
    parseBandwidth(text);
    return undefined;
  } catch (thrown) {
    return toSyncerError(thrown).message;
  }
}

function parseSlot(text: string): BandwidthSlot[] {
  const [when = '', rate, ...more] = text.split(',');
  if (rate === undefined || more.length > 0) {
    throw new SyncerError('usage', `not a time and a rate: "${text}" (example: 08:00,512k)`);
  }
  const badTime = (time: string) =>
    new SyncerError('usage', `not a time of day: "${time}" (from 00:00 to 23:59)`);
  const [first = '', second, ...others] = when.split('-');
  if (others.length > 0) throw badTime(when);
  const name = first.toLowerCase();
  const day = DAYS.findIndex((full) => name === full || name === full.slice(0, 3));
  if (second !== undefined && day < 0)
    throw new SyncerError('usage', `not a day of the week: "${first}" (example: Mon)`);
  const time = second ?? first;
  const match = /^(\d\d):(\d\d)$/.exec(time);
  const [hour = 24, minute = 60] = match?.slice(1).map(Number) ?? [];
  if (hour > 23 || minute > 59) throw badTime(time);
  const limit = parseLimit(rate);
  const days = second === undefined ? DAYS.keys() : [day];
  return Array.from(days, (of) => ({ minute: of * MINUTES_PER_DAY + hour * 60 + minute, limit }));
}

function parseLimit(text: string): BandwidthLimit {
  const colon = text.indexOf(':');
  const upload = parseRate(colon < 0 ? text : text.slice(0, colon));
  return { upload, download: colon < 0 ? upload : parseRate(text.slice(colon + 1)) };
}

function parseRate(text: string): number | undefined {
  const rate = parseByteSize(text);
  return rate > 0 ? rate : undefined;
}

/** The limit that holds at a local time: that of the slot that began last, if need be in the week before. */
export function bandwidthAt(timetable: BandwidthTimetable, time: Date): BandwidthLimit {
  const now = time.getDay() * MINUTES_PER_DAY + time.getHours() * 60 + time.getMinutes();
  const week = 7 * MINUTES_PER_DAY;
  const age = (slot: BandwidthSlot) => (now - slot.minute + week) % week;
  let current: BandwidthSlot | undefined;
  for (const slot of timetable) {
    if (current === undefined || age(slot) <= age(current)) current = slot;
  }
  return current?.limit ?? { upload: undefined, download: undefined };
}

/** `limited to 1Mi/s up, 2Mi/s down`, without unlimited directions; rates in bytes per second. */
export function bandwidthText({ upload, download }: BandwidthLimit): string {
  if (upload === undefined && download === undefined) return 'not limited';
  if (upload === download) return `limited to ${formatSize(upload ?? -1)}/s`;
  const up = upload === undefined ? [] : [`${formatSize(upload)}/s up`];
  const down = download === undefined ? [] : [`${formatSize(download)}/s down`];
  return `limited to ${[...up, ...down].join(', ')}`;
}

/**
 * A rate in bytes a second as `--bwlimit` takes it, without rates of their own for the two directions and without
 * times; Infinity for `off`. `undefined` for anything else.
 */
export function singleRate(text: string): number | undefined {
  if (text === '' || /[ ,:;]/.test(text)) return undefined;
  try {
    const { upload } = bandwidthAt(parseBandwidth(text), new Date(0));
    return upload ?? Number.POSITIVE_INFINITY;
  } catch {
    return undefined;
  }
}
