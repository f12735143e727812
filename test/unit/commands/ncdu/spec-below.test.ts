import { expect, test } from 'vitest';
import { specBelow } from '../../../../commands/ncdu/transfer-nodes.ts';

test.each([
  ['s3:', 'bucket/a', 's3:bucket/a'],
  ['s3:bucket', 'a/b', 's3:bucket/a/b'],
  ['/', 'etc', '/etc'],
  ['/srv', '', '/srv'],
])('below %j, %j is %j', (spec, path, typed) => expect(specBelow(spec, path)).toBe(typed));

test.each([['/a'], ['a//b'], ['a/'], ['a/../b'], ['./a']])(
  'the object %j is never another one that can be typed',
  (path) => expect(() => specBelow('s3:bucket', path)).toThrow('has an empty name'),
);
