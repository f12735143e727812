import { expect, test } from 'vitest';
import { parseFlags } from '../../../src/webhook/flag-table.ts';
import { serverOptions } from '../../../src/webhook/server/request-handler.ts';

test.each([
  ['', []],
  [' ', []],
  ['post, Put', ['POST', 'PUT']],
  [',', ['', '']],
  ['post,', ['POST', '']],
])('-http-methods %j allows %j', (text, methods) => {
  expect(serverOptions(parseFlags(['-http-methods', text])).methods).toEqual(methods);
});
