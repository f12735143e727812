import { describe, expect, test } from 'vitest';
import { readCsvRecord } from '../../../../src/shell/command-line/csv-record.ts';

describe('readCsvRecord', () => {
  test.each([
    ['', []],
    ['\n', []],
    ['*.jpg', ['*.jpg']],
    ['*.jpg,*.png', ['*.jpg', '*.png']],
    ['*.jpg, *.png', ['*.jpg', ' *.png']],
    ['a,', ['a', '']],
    [',', ['', '']],
    ['"a,b",c', ['a,b', 'c']],
    ['"*.{jpg,png}"', ['*.{jpg,png}']],
    ['"q""x"', ['q"x']],
    ['""', ['']],
    ['"*.,,,","*.png"', ['*.,,,', '*.png']],
    ['#x,y', ['#x', 'y']],
    ['\r\n\n*.jpg\r\n', ['*.jpg']],
    ['a\r', ['a']],
    ['"a\r\nb"', ['a\nb']],
  ])('%j', (text, values) => {
    expect(readCsvRecord(text)).toEqual(values);
  });

  test.each([
    ['q"x', 'bare " in non-quoted-field'],
    ['"q"x', 'extraneous or missing " in quoted-field'],
    ['"a" ,b', 'extraneous or missing " in quoted-field'],
    ['"q', 'extraneous or missing " in quoted-field'],
    ['a,"b\nc', 'extraneous or missing " in quoted-field'],
    ['a\nb', 'it must be one line of comma-separated values'],
  ])('refuses %j', (text, why) => {
    expect(() => readCsvRecord(text)).toThrow(
      expect.objectContaining({ code: 'usage', message: why }),
    );
  });
});
