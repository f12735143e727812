import type { IncomingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import {
  checkDeleteConditions,
  checkReadConditions,
  checkWriteConditions,
} from '../../../../../src/serve/s3/operations/call.ts';
import type { ObjectRecord } from '../../../../../src/serve/s3/store/object-record.ts';
import { S3Error } from '../../../../../src/serve/s3/wire/s3-error.ts';

const modified = Date.UTC(2026, 10, 20, 12) + 500;
const object: ObjectRecord = {
  ...{ key: 'k', file: 'k', size: 1, mtimeMs: 1, ino: 1, etag: 'abc', modified, headers: {} },
};
const before = new Date(modified - 60_000).toUTCString();
const same = new Date(modified).toUTCString();
const after = new Date(modified + 60_000).toUTCString();

function codeOf(check: () => void): string {
  try {
    check();
    return 'passes';
  } catch (error) {
    return error instanceof S3Error ? error.code : String(error);
  }
}

test.each<[IncomingHttpHeaders, string]>([
  [{}, 'passes'],
  [{ 'if-match': '"abc"' }, 'passes'],
  [{ 'if-match': '"x", "abc"' }, 'passes'],
  [{ 'if-match': '*' }, 'passes'],
  [{ 'if-match': 'x, abc' }, 'passes'],
  [{ 'if-match': 'W/"abc"' }, 'passes'],
  [{ 'if-match': '"x"' }, 'PreconditionFailed'],
  [{ 'if-none-match': '"abc"' }, 'NotModified'],
  [{ 'if-none-match': 'W/"abc"' }, 'NotModified'],
  [{ 'if-none-match': '"x"' }, 'passes'],
  [{ 'if-modified-since': before }, 'passes'],
  [{ 'if-modified-since': same }, 'NotModified'],
  [{ 'if-modified-since': after }, 'NotModified'],
  [{ 'if-modified-since': 'yesterday' }, 'passes'],
  [{ 'if-unmodified-since': before }, 'PreconditionFailed'],
  [{ 'if-unmodified-since': same }, 'passes'],
  // RFC 9110: the ETag decides where both are given.
  [{ 'if-match': '"abc"', 'if-unmodified-since': before }, 'passes'],
  [{ 'if-none-match': '"x"', 'if-modified-since': after }, 'passes'],
  [{ 'if-match': '"x"', 'if-none-match': '"abc"' }, 'PreconditionFailed'],
])('reading with %j', (headers, outcome) => {
  expect(codeOf(() => checkReadConditions(headers, object))).toBe(outcome);
});

test('copying has conditions of its own, and never is "not modified"', () => {
  const of = (headers: IncomingHttpHeaders) =>
    codeOf(() => checkReadConditions(headers, object, 'x-amz-copy-source-'));
  expect(of({ 'if-match': '"x"' })).toBe('passes');
  expect(of({ 'x-amz-copy-source-if-match': '"x"' })).toBe('PreconditionFailed');
  expect(of({ 'x-amz-copy-source-if-none-match': '"abc"' })).toBe('PreconditionFailed');
  expect(of({ 'x-amz-copy-source-if-modified-since': after })).toBe('PreconditionFailed');
});

test.each<[IncomingHttpHeaders, ObjectRecord | undefined, string]>([
  [{ 'if-none-match': '*' }, undefined, 'passes'],
  [{ 'if-none-match': '*' }, object, 'PreconditionFailed'],
  [{ 'if-none-match': '"abc"' }, object, 'PreconditionFailed'],
  [{ 'if-none-match': '"x"' }, object, 'passes'],
  [{ 'if-match': '"abc"' }, object, 'passes'],
  [{ 'if-match': '"x"' }, object, 'PreconditionFailed'],
  [{ 'if-match': '"abc"' }, undefined, 'NoSuchKey'],
  [{ 'if-unmodified-since': before }, object, 'PreconditionFailed'],
  [{ 'if-unmodified-since': after }, object, 'passes'],
  [{ 'if-unmodified-since': before }, undefined, 'passes'],
  [{ 'if-modified-since': after }, object, 'passes'],
])('writing with %j', (headers, current, outcome) => {
  expect(codeOf(() => checkWriteConditions(headers, current))).toBe(outcome);
});

test.each<[IncomingHttpHeaders, ObjectRecord | undefined, string]>([
  [{ 'if-match': '"x"' }, undefined, 'passes'],
  [{ 'if-match': '"x"' }, object, 'PreconditionFailed'],
  [{ 'if-match': '"abc"' }, object, 'passes'],
  [{ 'x-amz-if-match-size': '1' }, object, 'passes'],
  [{ 'x-amz-if-match-size': '2' }, object, 'PreconditionFailed'],
  [{ 'x-amz-if-match-size': '' }, object, 'PreconditionFailed'],
  [{ 'x-amz-if-match-last-modified-time': same }, object, 'passes'],
  [{ 'x-amz-if-match-last-modified-time': before }, object, 'PreconditionFailed'],
  [{ 'x-amz-if-match-last-modified-time': 'no date' }, object, 'PreconditionFailed'],
])('deleting with %j', (headers, current, outcome) => {
  expect(codeOf(() => checkDeleteConditions(headers, current))).toBe(outcome);
});
