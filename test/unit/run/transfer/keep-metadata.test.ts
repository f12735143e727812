import { expect, test } from 'vitest';
import { keepMetadata, readMetadataSet } from '../../../../src/run/transfer/sync-options.ts';
import type { Flags } from '../../../../src/shell/flags/flag-table.ts';
import { quietContext } from '../../../support/memory-world.ts';

function keep(metadata: boolean, set: readonly string[]) {
  const { context, logLines } = quietContext();
  const flags = { metadata, 'metadata-set': set } as unknown as Flags;
  return { found: keepMetadata(flags, context), log: logLines() };
}

test('keys are in lower case, values as they are; the last of one key counts', () => {
  expect(readMetadataSet(['Foo=a=b', 'x=', 'foo=C'])).toEqual({ foo: 'C', x: '' });
});

test('what is no pair is refused, with --metadata or not', () => {
  expect(() => readMetadataSet(['foo'])).toThrow("failed to parse 'foo' as metadata key=value");
  expect(() => keep(false, ['foo'])).toThrow('as metadata key=value');
});

test('nothing is kept without --metadata, and --metadata-set says so', () => {
  expect(keep(false, [])).toEqual({ found: undefined, log: [] });
  const { found, log } = keep(false, ['a=b']);
  expect(found).toBeUndefined();
  expect(log).toEqual(['notice: Ignoring --metadata-set as --metadata is not set']);
  expect(keep(true, ['a=b'])).toEqual({ found: { set: { a: 'b' } }, log: [] });
});
