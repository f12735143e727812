import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { hasCode } from '../../../src/core/errors.ts';
import {
  type BandwidthSlot,
  type BandwidthTimetable,
  parseBandwidth,
} from '../../../src/engine/bandwidth-timetable.ts';
import { formatSize, parseByteSize, parseDuration } from '../../../src/go/quantities.ts';
import { hasRclone, isRcloneNow, runRclone } from '../../support/rclone.ts';

/** What rclone made of the value of a flag, as its remote control tells; `undefined` where it refused it. */
async function rcloneValue(flag: string, text: string, section: string, key: string) {
  const args = ['rc', '--loopback', `--${flag}=${text}`, 'options/get'];
  const { code, stdout } = await runRclone(args, { cwd: tmpdir() });
  return code === 0 ? JSON.parse(stdout.toString())[section][key] : undefined;
}

/** What `read` makes of a text; `undefined` where it refuses it. */
function ours<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (hasCode(thrown, 'usage')) return undefined;
    throw thrown;
  }
}

const join = (...pieces: fc.Arbitrary<string>[]) =>
  fc.tuple(...pieces).map((parts) => parts.join(''));
const maybe = (piece: fc.Arbitrary<string>) => fc.oneof(fc.constant(''), piece);
const number = fc.constantFrom(
  '0',
  '1',
  '10',
  '1.5',
  '.25',
  '7.',
  '1e2',
  '0.001',
  '+3',
  '-2',
  '1_0',
  '0x1p3',
  '',
  '1.2.3',
);

/** Runs `check` for each, two at a time: each starts a program. */
async function forEach<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const work = async () => {
    for (let item = queue.pop(); item !== undefined; item = queue.pop()) await check(item);
  };
  await Promise.all([work(), work()]);
}

beforeAll(() => vi.stubEnv('TZ', 'UTC'));

describe.skipIf(!hasRclone)('numbers beside rclone', { timeout: 240_000 }, () => {
  test('sizes', async () => {
    const unit = fc.constantFrom(
      '',
      'B',
      'b',
      'k',
      'K',
      'Ki',
      'KiB',
      'kib',
      'M',
      'Mi',
      'MiB',
      'MB',
      'G',
      'gi',
      'T',
    );
    const odd = fc.constantFrom('off', 'OFF', ' ', 'i', 'iB', 'x', 'KK', 'E', 'e', 'P', 'Z', '%');
    const size = join(
      number,
      fc.oneof({ weight: 4, arbitrary: unit }, odd),
      maybe(fc.constantFrom('B', ' ', 's')),
    );
    await forEach([...new Set(fc.sample(size, 90))], async (text) => {
      const theirs = await rcloneValue('min-size', text, 'filter', 'MinSize');
      // 8 EiB and more overflow in rclone and switch the limit off; here they are refused.
      const overflows = theirs < -1 || (theirs === -1 && /^[^-]*[epz]/i.test(text));
      const expected = overflows ? undefined : theirs;
      const value = ours(() => parseByteSize(text));
      // Since 1.70 or so it goes through its text, with three decimals, before it is told.
      const isRounded = value !== undefined && value >= 1024 && isRcloneNow;
      const told = isRounded ? parseByteSize(formatSize(value)) : value;
      expect(told, text).toBe(expected);
    });
  });

  test('durations', async () => {
    const unit = fc.constantFrom(
      'ns',
      'us',
      'µs',
      'ms',
      's',
      'm',
      'h',
      'd',
      'w',
      'M',
      'y',
      '',
      'x',
      'H',
      'min',
      ' ',
    );
    const date = join(
      fc.constantFrom('2026-02-28', '2026-02-29', '1999-12-31', '2026-2-1', '2026-13-01'),
      maybe(
        join(
          fc.constantFrom('T', ' ', 't'),
          fc.constantFrom('00:00:00', '9:05:07', '24:00:00', '23:59'),
        ),
      ),
      maybe(fc.constantFrom('.5', ',25', 'Z', '+02:00', '-0200')),
    );
    const duration = fc.oneof(join(number, unit), join(number, unit, number, unit), date);
    const now = Date.now();
    await forEach([...new Set(fc.sample(duration, 90))], async (text) => {
      const theirs = await rcloneValue('max-age', text, 'filter', 'MaxAge');
      const value = ours(() => parseDuration(text, now));
      const what = `${JSON.stringify(text)}: ${value} ms, rclone: ${theirs} ns`;
      expect(value === undefined, what).toBe(theirs === undefined);
      if (value === undefined) return;
      // The clock goes on while rclone starts; what names no date must be exact to the nanosecond.
      const slack = /^\d{4}-/.test(text) ? 300_000 : Math.max(1.5e-6, Math.abs(value) * 1e-12);
      expect(Math.abs(value - theirs / 1e6), what).toBeLessThan(slack);
    });
  });

  test('bandwidth', async () => {
    const rate = fc.constantFrom('1M', '512', '100B', 'off', '0', '1.5G', 'x', '');
    const limit = join(rate, maybe(join(fc.constant(':'), rate)));
    const day = fc.constantFrom('Mon', 'sunday', 'SAT', 'Mo', 'Thursday');
    const time = fc.constantFrom('00:00', '08:30', '23:59', '24:00', '8:00', '12:60');
    const slot = join(maybe(join(day, fc.constant('-'))), time, fc.constant(','), limit);
    const table = fc.array(slot, { minLength: 1, maxLength: 3 }).map((slots) => slots.join(' '));
    await forEach([...new Set(fc.sample(fc.oneof(limit, table), 60))], async (text) => {
      const theirs = await rcloneValue('bwlimit', text, 'main', 'BwLimit');
      const value = ours(() => parseBandwidth(text));
      expect(value && formatTimetable(value), text).toBe(theirs && withoutZeros(theirs));
    });
  });
});

/** A rate of 0 is no limit, as `off`. */
function withoutZeros(table: string): string {
  // Since 1.70 or so, bytes have their letter.
  const plain = table.replaceAll('B', '');
  return plain.replace(/(?<=^|,|[a-zA-Z0-9]:)0(?=$|:| )/g, 'off').replaceAll('off:off', 'off');
}

/** A timetable as rclone prints it. */
function formatTimetable(table: BandwidthTimetable): string {
  const [only] = table;
  if (table.length === 1 && only?.minute === 0) return formatLimit(only);
  const two = (value: number) => String(value).padStart(2, '0');
  return table
    .map((slot) => {
      const day = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][Math.floor(slot.minute / 1440)];
      const minute = slot.minute % 1440;
      return `${day}-${two(Math.floor(minute / 60))}:${two(minute % 60)},${formatLimit(slot)}`;
    })
    .join(' ');
}

function formatLimit({ limit: { upload = -1, download = -1 } }: BandwidthSlot): string {
  return upload === download ? formatSize(upload) : `${formatSize(upload)}:${formatSize(download)}`;
}
