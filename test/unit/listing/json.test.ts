import { expect, test } from 'vitest';
import { type LsjsonRules, lsjsonRecord } from '../../../commands/list/lsjson.ts';
import type { Entry } from '../../../src/core/remote.ts';
import { goJson, goJsonString } from '../../../src/go/go-json.ts';
import { lsfLine, parseLsfFormat } from '../../../src/listing/lsf-format.ts';

test('strings are escaped as Go escapes them', () => {
  expect(goJsonString('q"u\\o<t>&\'e')).toBe('"q\\"u\\\\o\\u003ct\\u003e\\u0026\'e"');
  expect(goJsonString('\n\r\t\b\f\x1b\x7f\u2028\u2029')).toBe(
    '"\\n\\r\\t\\u0008\\u000c\\u001b\x7f\\u2028\\u2029"',
  );
  expect(goJsonString('😀ü')).toBe('"😀ü"');
  expect(goJsonString('bad\udcff\udcfe')).toBe('"bad\\ufffd\\ufffd"');
});

test('objects keep their order and drop what is undefined', () => {
  const value = { b: 1, a: 'x', c: undefined, d: { y: true, z: null } };
  expect(goJson(value)).toBe('{"b":1,"a":"x","d":{"y":true,"z":null}}');
  expect(goJson(value, '\t')).toBe(
    '{\n\t"b": 1,\n\t"a": "x",\n\t"d": {\n\t\t"y": true,\n\t\t"z": null\n\t}\n}',
  );
  expect(goJson({}, '\t')).toBe('{}');
});

const rules: LsjsonRules = {
  now: 1_000_000_000n,
  fractionDigits: 9,
  modTime: true,
  mimeType: true,
  mimeTypes: () => 'text/plain; charset=utf-8',
  hashes: ['md5', 'sha1'],
  original: true,
  metadata: true,
  tier: true,
  dirSize: -1,
};
const file: Entry = {
  kind: 'file',
  path: 'd/a.txt',
  size: 6,
  modTime: 0n,
  storedTime: 0n,
  hashes: { sha1: 'ss', md5: 'mm', crc32: 'cc' },
  id: 'i1',
  tier: 'STANDARD',
  metadata: { z: '1', a: '2' },
};

test('an lsjson record has rclone’s fields in rclone’s order', () => {
  expect(goJson(lsjsonRecord(file, rules))).toBe(
    '{"Path":"d/a.txt","Name":"a.txt","Size":6,"MimeType":"text/plain; charset=utf-8",' +
      '"ModTime":"1970-01-01T00:00:00.000000000Z","IsDir":false,"Hashes":{"md5":"mm","sha1":"ss"},' +
      '"ID":"i1","OrigID":"i1","Tier":"STANDARD","Metadata":{"a":"2","z":"1"}}',
  );
  const bucket = { kind: 'dir', path: 'b', isBucket: true } as const;
  expect(goJson(lsjsonRecord(bucket, rules))).toBe(
    '{"Path":"b","Name":"b","Size":-1,"MimeType":"inode/directory",' +
      '"ModTime":"1970-01-01T00:00:01.000000000Z","IsDir":true,"IsBucket":true}',
  );
});

test('what is not wanted or not known is left out of a record', () => {
  const few = {
    ...rules,
    modTime: false,
    mimeType: false,
    hashes: [],
    original: false,
    metadata: false,
    tier: false,
  };
  const hashes = { md5: 'm' };
  expect(
    goJson(lsjsonRecord({ kind: 'file', path: 'x', size: 1, hashes, tier: 'GLACIER' }, few)),
  ).toBe('{"Path":"x","Name":"x","Size":1,"ModTime":"","IsDir":false}');
});

test('lsf prints the columns that are asked for', () => {
  const columns = parseLsfFormat('pshioTMm');
  const shared = { columns, separator: ';', csv: false, dirSlash: true, absolute: false } as const;
  const lsf = {
    ...shared,
    hash: 'md5',
    mimeTypes: rules.mimeTypes,
    dirSize: -1,
    now: 0n,
    tier: true,
  } as const;
  expect(lsfLine(file, lsf)).toBe(
    'd/a.txt;6;mm;i1;i1;STANDARD;{"a":"2","z":"1"};text/plain; charset=utf-8\n',
  );
  expect(lsfLine(file, { ...lsf, columns: parseLsfFormat('pT'), tier: false })).toBe('d/a.txt;\n');
  expect(lsfLine({ kind: 'dir', path: 'd' }, { ...lsf, absolute: true })).toBe(
    '/d/;-1;;;;;{};inode/directory\n',
  );
  expect(lsfLine({ kind: 'dir', path: 'd' }, { ...lsf, dirSlash: false, csv: true })).toBe(
    'd;-1;;;;;{};inode/directory\n',
  );
  expect(() => parseLsfFormat('px')).toThrow("unknown format character 'x'");
});
