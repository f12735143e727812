import { expect, test } from 'vitest';
import { parseFlags } from '../../../src/webhook/command-line/parse-flags.ts';
import { optionsOf } from '../../../src/webhook/start/server-options-of.ts';

test.each([
  ['', []],
  [' ', []],
  ['post, Put', ['POST', 'PUT']],
  [',', ['', '']],
  ['post,', ['POST', '']],
])('-http-methods %j allows %j', (text, methods) => {
  expect(optionsOf(parseFlags(['-http-methods', text])).methods).toEqual(methods);
});
