import { describe, expect, test } from 'vitest';
import { compileProgram } from '../../../src/regexp/compile-program.ts';
import { FirstMatch } from '../../../src/regexp/first-match.ts';
import { parseRegexp } from '../../../src/regexp/parse-regexp.ts';
import { SyntaxFault } from '../../../src/regexp/syntax-tree.ts';

const matches = (expression: string, text: string) =>
  new FirstMatch([parseRegexp(expression)]).find(text) === 0;

/** Expression, texts that it matches as a whole, texts that it does not. */
const CASES: readonly [expression: string, matching: string[], others: string[]][] = [
  ['abc', ['abc'], ['', 'ab', 'abcd', 'ABC']],
  ['a|bc|', ['a', 'bc', ''], ['b', 'abc']],
  ['a.c', ['abc', 'a😀c', 'a\ud800c', 'a\udc80c'], ['ac', 'a\nc', 'abbc']],
  ['(?s)a.c', ['a\nc'], ['ac']],
  ['(?s:.)(?-s:.)', ['\nx'], ['x\n']],
  ['a*b+c?', ['b', 'aabbc'], ['a', 'bcc']],
  ['a*?b+?c??', ['b', 'aabbc'], ['a', 'bcc']],
  ['a{2}', ['aa'], ['a', 'aaa']],
  ['a{2,}', ['aa', 'aaaaa'], ['a']],
  ['a{1,3}?', ['a', 'aaa'], ['', 'aaaa']],
  ['a{0}b', ['b'], ['ab']],
  ['a{,2}', ['a{,2}'], ['', 'a', 'aa']],
  ['a{01}{b', ['a{01}{b'], ['ab']],
  ['(ab)+', ['ab', 'abab'], ['a', 'aba']],
  ['(?:a|b)*', ['', 'abba'], ['abc']],
  ['(?P<x>a)(?P<y_1>b)', ['ab'], ['a']],
  ['(?P<x>a)(?P<x>b)', ['ab'], ['a']],
  ['(a*)*', ['', 'aaa'], ['b']],
  ['(|a)+', ['', 'aa'], ['b']],
  ['^*a', ['a'], ['b']],
  ['()', [''], ['a']],
  ['[abc]', ['a', 'c'], ['d', '']],
  ['[^abc]', ['d', '\n', '😀'], ['a']],
  ['[a-c😀-😂]', ['b', '😁'], ['d']],
  ['[]a]', [']', 'a'], ['b']],
  ['[^]a]', ['b'], [']', 'a']],
  ['[-a]', ['-', 'a'], ['b']],
  ['[a-]', ['-', 'a'], ['b']],
  ['[a\\-c]', ['-', 'a', 'c'], ['b']],
  ['[[a]', ['[', 'a'], ['b']],
  ['[a&&b]', ['a', '&', 'b'], ['c']],
  ['[{}()|/]', ['{', '(', '|', '/'], ['a']],
  ['[\\d_]', ['7', '_'], ['a']],
  ['[\\D]', ['a', '٣'], ['7']],
  ['[^\\w.]', ['-', 'é'], ['a', '.']],
  ['[[:alpha:]7]', ['a', 'Z', '7'], ['8', 'é']],
  ['[[:^alpha:]]', ['8', 'é'], ['a']],
  ['[[:word:]-[:space:]]+', ['a_ -\v'], ['.']],
  ['[[:punct:]]+', ['!/:@[`{~'], ['a']],
  ['[[:cntrl:][:xdigit:]]+', ['\u0000\u001f\u007fAf9'], ['g']],
  ['[[:alpha]', ['a', ':', '['], ['b']],
  ['\\d\\D', ['1a'], ['a1', '٣a']],
  ['\\w\\W', ['_-', 'aé'], ['éa']],
  ['\\s\\S', [' a', '\ta'], ['\va', '\u00a0a']],
  ['\\pL\\pN', ['é9', 'я٣'], ['99']],
  ['\\p{Greek}+', ['αβγ'], ['abc']],
  ['\\p{^Greek}\\P{Greek}', ['ab'], ['aα']],
  ['\\P{^Lu}', ['A'], ['a']],
  ['\\p{Old_Italic}|\\p{SignWriting}|\\p{Thai}', ['𐌀', 'ก'], ['a']],
  ['\\p{C}', ['\u0001', '\u{e000}'], ['\u0378', 'a']],
  ['\\p{Any}', ['a', '\n'], ['']],
  ['\\a\\f\\n\\r\\t\\v', ['\x07\f\n\r\t\v'], []],
  ['\\x41\\x{1F600}\\101\\012\\0', ['A😀A\n\0'], []],
  ['\\.\\*\\_\\-\\/\\ ', ['.*_-/ '], []],
  ['\\Qa.b*(\\E+', ['a.b*(', 'a.b*(('], ['aab*(']],
  ['\\Aab\\z', ['ab'], ['abc']],
  ['\\bab\\b-\\Bé', ['ab-é'], []],
  ['a\\Bb', ['ab'], []],
  ['a\\bb', [], ['ab']],
  ['(?m)^a$\\n^b$', ['a\nb'], ['ab']],
  ['^a$\\n^b$', [], ['a\nb']],
  ['(?i)straße', ['STRAßE', 'ſtraẞe'], ['strasse']],
  ['(?i)k', ['k', 'K', '\u212a'], ['x']],
  ['(?i)[^k]', ['x'], ['K', '\u212a']],
  ['(?i)[a-c]\\W', ['B-'], ['Bſ']],
  ['(?i)\\p{Lu}[[:upper:]]', ['aa'], ['1a']],
  ['a(?i)b|c', ['aB', 'C'], ['AB']],
  ['(?:a(?i)b)c', ['aBc'], ['aBC']],
  ['(?i:a)b(?i-s)c', ['Abc', 'AbC'], ['ABc']],
  ['(?U)a+?(?)b', ['ab'], []],
  ['日本.*', ['日本', '日本語'], ['日']],
];

describe('expressions in the syntax of Go', () => {
  test.each(CASES)('%s', (expression, matching, others) => {
    const whole = `^(?:${expression})$`;
    expect(matching.filter((text) => !matches(whole, text))).toEqual([]);
    expect(others.filter((text) => matches(whole, text))).toEqual([]);
  });

  test('match anywhere in a text where they are not tied', () => {
    expect(matches('b', 'abc')).toBe(true);
    expect(matches('^b', 'abc')).toBe(false);
    expect(matches('', '')).toBe(true);
    expect(matches('b$|^z', 'ab')).toBe(true);
    expect(matches('\\bc', 'a c')).toBe(true);
    expect(matches('^\\Qa.b$', 'a.b$')).toBe(true);
  });
});

describe('what Go refuses', () => {
  test.each([
    '(?=a)',
    '(?!a)',
    '(?<=a)',
    '(?<!a)',
    '(?>a)',
    '(?<n>a)',
    '(?P=n)',
    '(?P>n)',
    '(?#c)',
    '(?x)a',
    '(?P<a',
    '(?P<>a)',
    '(?P<a-b>c)',
    '(?-)a',
    '(?i-:a)',
    '(?i',
    '(?',
    '(a)\\1',
    '\\8',
    '\\1',
    '\\q',
    '\\E',
    '\\Z',
    '\\C',
    '\\e',
    '\\cA',
    '\\u0041',
    '\\é',
    '\\',
    '\\x',
    '\\x4',
    '\\x{}',
    '\\x{110000}',
    '\\x{zz}',
    '\\pX',
    '\\p',
    '\\p{}',
    '\\p{L',
    '\\p{Nope}',
    '\\p{Latn}',
    '\\p{latin}',
    '\\p{Script=Latin}',
    '[a',
    '[',
    '[]',
    '[^]',
    '[z-a]',
    '[a-\\d]',
    '[\\q]',
    '[[:foo:]]',
    '[[:ALPHA:]]',
    '[a--b]',
    '[\\Qa\\E]',
    '(a',
    '(',
    'a)',
    ')',
    '*',
    '+a',
    '?',
    '|*',
    '(*)',
    '(?i)*',
    '{2}',
    'a**',
    'a+*',
    'a++',
    'a???',
    'a{2}{3}',
    'a{2}*',
    'a{1001}',
    'a{2,1}',
    'a{1,1001}',
    '(a{100}){100}',
    '((a{11}){10}){10}',
  ])('%s', (expression) =>
    expect(() => compileProgram([parseRegexp(expression)])).toThrow(SyntaxFault),
  );

  test.each(['(', '(?:a|'])('too deep: 2000 times %s', (part) => {
    const close = ')'.repeat(2000);
    expect(() => parseRegexp(part.repeat(2000) + close)).toThrow('expression nests too deeply');
  });

  test('too deep: repetitions of repetitions', () => {
    const deep = parseRegexp(`a*${'(?i)*'.repeat(50_000)}`);
    expect(() => compileProgram([deep])).toThrow('expression nests too deeply');
  });

  test('too large', () => {
    const large = parseRegexp('(?:abcdefghij){1000}'.repeat(100));
    expect(() => compileProgram([large])).toThrow('expression too large');
  });
});
