import { expect, test } from 'vitest';
import { shownRemote } from '../../../src/core/shown-remote.ts';

test.each([
  ['s3', 's3'],
  ['s3{Jkht3}', 's3'],
  [':s3{w7T2s}', ':s3'],
  ['', ''],
])('%j is shown as %j', (name, shown) => expect(shownRemote(name)).toBe(shown));
