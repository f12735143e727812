import { describe, expect, test } from 'vitest';
import {
  directoryGlobs,
  globToRegexp,
  textGlobToRegexp,
} from '../../../src/filter/glob-to-regexp.ts';

test('a pattern for any text', () => {
  expect(textGlobToRegexp('a*b?', true)).toBe('(?i)^a.*b.$');
  expect(textGlobToRegexp('{a,/b}', false)).toBe('(?i)(a|/b)');
  expect(() => textGlobToRegexp('a**', false)).toThrow('too many stars');
});

describe('globToRegexp', () => {
  test.each([
    ['', '(^|/)$'],
    ['name', '(^|/)name$'],
    ['/name', '^name$'],
    ['//name', '^/name$'],
    ['a,b', '(^|/)a,b$'],
    ['a?b', '(^|/)a[^/]b$'],
    ['*.jpg', String.raw`(^|/)[^/]*\.jpg$`],
    ['a**b', '(^|/)a.*b$'],
    ['*/**/*', '(^|/)[^/]*/.*/[^/]*$'],
    ['[a-z][^b][[:alpha:]]', '(^|/)[a-z][^b][[:alpha:]]$'],
    ['[*?{,}.]', '(^|/)[*?{,}.]$'],
    [String.raw`[\[\]]`, String.raw`(^|/)[\[\]]$`],
    ['a{b,c,}d', '(^|/)a(b|c|)d$'],
    ['a{b[}]c}', '(^|/)a(b[}]c)$'],
    ['{a/*,b**}', '(^|/)(a/[^/]*|b.*)$'],
    [String.raw`a\*\?\[\{\\`, String.raw`(^|/)a\*\?\[\{\\$`],
    [String.raw`\d`, String.raw`(^|/)\d$`],
    [`'.' '+' '(' ')' '|' '^' '$'`, String.raw`(^|/)'\.' '\+' '\(' '\)' '\|' '\^' '\$'$`],
    ['{{.*}}', '(^|/)(.*)$'],
    ['*{{[a,b]?}}*', '(^|/)[^/]*([a,b]?)[^/]*$'],
    ['{{a{2}}}', '(^|/)(a{2})$'],
    ['{{a{2}}}}', '(^|/)(a{2}})$'],
    ['{{a}}{b,c}{{d}}', '(^|/)(a)(b|c)(d)$'],
    ['{{}}', '(^|/)()$'],
    ['a{b,{c,d}}e', '(^|/)a(b|(c|d))e$'],
    ['{a,{b,c},{d,{e,f}}}', '(^|/)(a|(b|c)|(d|(e|f)))$'],
    ['{a,b/{c,d}/**}', '(^|/)(a|b/(c|d)/.*)$'],
    ['{a{b}}', '(^|/)(a(b))$'],
    ['{a{{b}},c}', '(^|/)(a(b)|c)$'],
    ['😀*', '(^|/)😀[^/]*$'],
  ])('%s', (glob, regexp) => {
    expect(globToRegexp(glob, false)).toBe(regexp);
    expect(globToRegexp(glob, true)).toBe(`(?i)${regexp}`);
  });

  test.each([
    ['***', 'too many stars in "***"'],
    ['a***b', 'too many stars'],
    ['ab]c', "mismatched ']'"],
    ['[]a]', "mismatched ']'"],
    ['ab[c', "mismatched '[' and ']'"],
    ['[[]', "mismatched '[' and ']'"],
    ['ab{c', "mismatched '{' and '}'"],
    ['ab}c', "mismatched '{' and '}'"],
    ['ab{}}cd', "mismatched '{' and '}'"],
    [String.raw`\{{a}}`, "mismatched '{' and '}'"],
    ['{a,{b,c}', "mismatched '{' and '}'"],
    ['ab{x{cd', "mismatched '{' and '}' in glob \"ab{x{cd\""],
    ['{a{{b}}}', "mismatched '{' and '}'"],
    ['{{a', "mismatched '{{' and '}}'"],
    ['{{a}', "mismatched '{{' and '}}'"],
  ])('refuses %s', (glob, reason) => {
    expect(() => globToRegexp(glob, false)).toThrow(reason);
    expect(() => globToRegexp(glob, false)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});

describe('directoryGlobs', () => {
  test.each([
    ['*', ['/**']],
    ['*.jpg', ['/**']],
    ['/*', []],
    ['///*.jpg', []],
    ['/a/*.jpg', ['/a/']],
    ['/a//b///c', ['/a/b/', '/a/']],
    ['a/b/*.jpg', ['a/b/', 'a/']],
    ['a/b/', ['a/b/', 'a/']],
    ['*/*/x', ['*/*/', '*/']],
    ['a/b/*.{jpg,png}', ['a/b/', 'a/']],
    ['/a/{b,c}/*', ['/a/{b,c}/', '/a/']],
    ['a/{b,c/d}/e', ['/**']],
    ['a/{b,c**}/e', ['/**']],
    ['a/{{b}}', ['/**']],
    ['a/{b,{c,d}}/*.jpg', ['/**']],
    ['**', ['**/']],
    ['a**b', ['a**/']],
    ['a**b/c**d', ['a**b/c**/', 'a**b/', 'a**/']],
    ['/var/**/x', ['/var/**/', '/var/']],
  ])('%s', (glob, directories) => expect(directoryGlobs(glob)).toEqual(directories));

  test('of a pattern deeper than any path are not told apart', () => {
    expect(directoryGlobs(`${'a/'.repeat(200)}*.jpg`)).toHaveLength(200);
    expect(directoryGlobs(`${'a/'.repeat(5000)}*.jpg`)).toEqual(['/**']);
  });
});
