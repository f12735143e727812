import { expect, test } from 'vitest';
import { aboutJson, aboutText } from '../../../../commands/about/about.ts';

test('a line for each number that is known', () => {
  const about = { total: 18_253_611_008, used: 0, free: 1023, trashed: 104_857_602, objects: 1001 };
  expect(aboutText(about, false)).toBe(
    'Total:   17 GiB\nUsed:    0 B\nFree:    1023 B\nTrashed: 100.000 MiB\nObjects: 1.001k\n',
  );
  expect(aboutText(about, true)).toBe(
    'Total:   18253611008\nUsed:    0\nFree:    1023\nTrashed: 104857602\nObjects: 1001\n',
  );
  expect(aboutText({ used: 5 }, false)).toBe('Used:    5 B\n');
});

test('JSON leaves out what is not known', () => {
  expect(aboutJson({ free: 1, used: 2 })).toBe('{\n\t"used": 2,\n\t"free": 1\n}\n');
});
