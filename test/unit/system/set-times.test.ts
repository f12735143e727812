import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { setTimesRoughly, timePrecision } from '../../../src/system/set-times.ts';
import { newFolder } from '../backends/local/local-world.ts';

describe('setTimesRoughly', () => {
  it.each([
    ['now', 1_700_000_000_123_456_789n],
    ['the epoch', 0n],
    ['before 1970', -86_400_000_000_001n],
    ['1902', -2_145_916_799_500_000_000n],
    ['the year 2200', 7_258_118_400_123_456_700n],
  ])('is off by less than a microsecond: %s', (_, time) => {
    const path = join(newFolder(), 'file');
    fs.writeFileSync(path, '');
    setTimesRoughly(path, time);
    const difference = fs.statSync(path, { bigint: true }).mtimeNs - time;
    expect(difference < 1000n && difference > -1000n).toBe(true);
  });

  it('sets the time of a link, not of what it leads to', () => {
    const dir = newFolder();
    fs.writeFileSync(join(dir, 'file'), '');
    fs.symlinkSync('file', join(dir, 'link'));
    setTimesRoughly(join(dir, 'link'), 1_000_000_000n);
    expect(fs.lstatSync(join(dir, 'link')).mtimeMs).toBe(1000);
    expect(fs.statSync(join(dir, 'file')).mtimeMs).toBeGreaterThan(1000);
  });
});

describe('timePrecision', () => {
  it('is a nanosecond or what a double leaves', () => {
    expect([1n, 1000n]).toContain(timePrecision());
  });
});
