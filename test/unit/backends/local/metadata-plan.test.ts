import { describe, expect, test } from 'vitest';
import { planMetadata } from '../../../../src/backends/local/metadata.ts';

describe('planMetadata', () => {
  test('reads what a disk keeps, and makes attributes of the rest', () => {
    const plan = planMetadata({
      mode: '100640',
      uid: '1000',
      gid: '100',
      rdev: '0',
      atime: '1970-01-01T00:00:01Z',
      mtime: '1970-01-01T00:00:02Z',
      btime: '1970-01-01T00:00:03Z',
      'content-type': 'text/plain',
      Colour: 'red',
      empty: '',
    });
    expect(plan).toEqual({
      mode: 0o640,
      owner: { uid: 1000, gid: 100 },
      accessTime: 1_000_000_000n,
      attributes: [
        ['user.content-type', 'text/plain'],
        ['user.colour', 'red'],
        ['user.empty', ''],
      ],
      senseless: [],
    });
  });

  test('a user alone has the group of the same number, a group alone does not count', () => {
    expect(planMetadata({ uid: '7' }).owner).toEqual({ uid: 7, gid: 7 });
    expect(planMetadata({ gid: '7' })).toEqual({ attributes: [], senseless: [] });
  });

  test('of a mode only the permissions count', () => {
    expect(planMetadata({ mode: '104755' }).mode).toBe(0o755);
    expect(planMetadata({ mode: '0' }).mode).toBe(0);
    expect(planMetadata({ mode: '104755' }, true).mode).toBe(0o4755);
  });

  test.each([
    ['mode', '9'],
    ['mode', 'rw-r--r--'],
    ['mode', ''],
    ['uid', '-1'],
    ['uid', 'root'],
    ['uid', '4294967295'],
    ['gid', '1.5'],
    ['atime', '1700000000'],
    ['mtime', 'never'],
  ])('%s cannot be %j', (key, value) => {
    const plan = planMetadata({ [key]: value });
    expect(plan).toEqual({ attributes: [], senseless: [key] });
  });
});
