import { describe, expect, test } from 'vitest';
import { bandwidthAt, parseBandwidth } from '../../../src/engine/bandwidth-timetable.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const none = { upload: undefined, download: undefined };
const both = (rate: number) => ({ upload: rate, download: rate });

describe('a single rate', () => {
  test.each([
    ['1M', both(MIB)],
    ['512', both(512 * KIB)],
    ['100B', both(100)],
    ['10M:100k', { upload: 10 * MIB, download: 100 * KIB }],
    ['1M:off', { upload: MIB, download: undefined }],
    ['0:1M', { upload: undefined, download: MIB }],
    ['off', none],
    ['0', none],
  ])('%s', (text, limit) => expect(parseBandwidth(text)).toEqual([{ minute: 0, limit }]));
});

describe('a timetable', () => {
  test('slots are separated by spaces or semicolons', () => {
    const slots = parseBandwidth('08:00,1M 12:00,2M');
    for (const text of ['08:00,1M;12:00,2M', '08:00,1M; 12:00,2M;', ' 08:00,1M  12:00,2M'])
      expect(parseBandwidth(text)).toEqual(slots);
  });

  test('a time without a day is for every day', () => {
    expect(parseBandwidth('08:30,1M')).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((day) => ({ minute: day * 1440 + 510, limit: both(MIB) })),
    );
  });

  test('days by short and long name, in any case', () => {
    expect(parseBandwidth('Mon-00:00,1 saturday-23:59,2M:off SUN-10:00,off')).toEqual([
      { minute: 1440, limit: both(KIB) },
      { minute: 6 * 1440 + 1439, limit: { upload: 2 * MIB, download: undefined } },
      { minute: 600, limit: none },
    ]);
  });

  test.each([
    '',
    '1M:',
    ':1M',
    '10M:100k:5',
    '-1',
    '1Q',
    '1,5M',
    '8:00,1M',
    '08:0,1M',
    '24:00,1M',
    '23:60,1M',
    'Mo-08:00,1M',
    'thurs-08:00,1M',
    'Mon-08:00 1M',
    'Mon-Tue-08:00,1M',
    'Mon-08:00,1M,2M',
    'Mon-08:00,',
    '1M 2M',
    '08:-1,1M',
    'bad,bad',
    'Mon-bad,1M',
  ])('refuses "%s"', (text) =>
    expect(() => parseBandwidth(text)).toThrow(expect.objectContaining({ code: 'usage' })),
  );
});

describe('the limit at a time', () => {
  // 2026-11-15 is a Sunday.
  const at = (day: number, time: string) => {
    const [hour = 0, minute = 0] = time.split(':').map(Number);
    return new Date(2026, 10, 15 + day, hour, minute);
  };

  test.each([
    [0, '00:00', undefined],
    [0, '08:00', 512 * KIB],
    [3, '11:59', 512 * KIB],
    [3, '12:00', 10 * MIB],
    [3, '22:59', 30 * MIB],
    [6, '23:00', undefined],
    [1, '07:59', undefined],
  ])('every day alike: day %d, %s', (day, time, rate) => {
    const table = parseBandwidth('08:00,512 12:00,10M 13:00,512 18:00,30M 23:00,off');
    expect(bandwidthAt(table, at(day, time)).upload).toBe(rate);
  });

  test.each([
    [1, '00:00', 512 * KIB],
    [5, '23:58', 512 * KIB],
    [5, '23:59', 10 * MIB],
    [6, '09:59', 10 * MIB],
    [6, '10:00', MIB],
    [0, '19:59', MIB],
    [0, '20:00', undefined],
  ])('a week with days: day %d, %s', (day, time, rate) => {
    const table = parseBandwidth('Mon-00:00,512 Fri-23:59,10M Sat-10:00,1M Sun-20:00,off');
    expect(bandwidthAt(table, at(day, time)).download).toBe(rate);
  });

  test('of two slots at the same time the later one counts', () => {
    const table = parseBandwidth('08:00,1M Tue-08:00,2M');
    expect(bandwidthAt(table, at(2, '09:00')).upload).toBe(2 * MIB);
    expect(bandwidthAt(table, at(3, '09:00')).upload).toBe(MIB);
  });

  test('a single rate holds always, no slot at all is no limit', () => {
    expect(bandwidthAt(parseBandwidth('1M:2M'), at(4, '04:44'))).toEqual({
      upload: MIB,
      download: 2 * MIB,
    });
    expect(bandwidthAt([], at(4, '04:44'))).toEqual(none);
  });
});
