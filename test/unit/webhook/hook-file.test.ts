import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeHookText } from '../../../src/webhook/file/load-hooks.ts';

const decode = async (text: string, env?: Record<string, string>) => {
  const options = { template: env !== undefined, env: env ?? {} };
  return (await decodeHookText(Buffer.from(text), options)).hooks;
};
const idsOf = async (text: string, env?: Record<string, string>) =>
  (await decode(text, env)).map(({ id }) => id);

describe('what a hook file may look like', () => {
  test.each([
    ['nothing', '', []],
    ['null', 'null', []],
    ['a comment', '# none\n', []],
    [
      'JSON with comments, trailing commas and tabs',
      '[\n\t{"id": "a",}, # first\n\t{id: \'b\'},\n]',
      ['a', 'b'],
    ],
    ['escaped slashes and surrogate pairs', '[{"id":"a\\/\\ud83d\\ude00"}]', ['a/😀']],
    ["escaped apostrophes, as Go's js writes them", '[{"id":"a\\\'b\\\\\'"}]', ["a'b\\'"]],
    [
      'characters that only look like control characters',
      '- id: "\ta\u00a0\u00ad\ufeff\ufffd\ue000😀"\r\n',
      ['\ta\u00a0\u00ad\ufeff\ufffd\ue000😀'],
    ],
    ['a byte order mark', '\ufeff[{"id":"a"}]', ['a']],
    ['CRLF', '- id: a\r\n- id: b\r\n', ['a', 'b']],
    ['anchors and merges', '- &a {id: x, response-message: m}\n- <<: *a\n  id: z\n', ['x', 'z']],
    ['the first of two documents', '- id: a\n---\n- id: b\n', ['a']],
    ['names in another case; the last of two counts', '[{"ID":"a","id":"b"}]', ['b']],
    ['… in the order of bytes', '[{"id":"a","ID":"b"}]', ['a']],
    ['null leaves what was', '[{"id":"a","Id":null}]', ['a']],
    ['an empty hook', '[null]', ['']],
    ['a text of two lines in a list', '[{"id":"a","http-methods":["x\n y",p:q]}]', ['a']],
    [
      'lines in brackets without indentation',
      '- id: a\n  http-methods: [GET,\nPUT]\n- id: b\n',
      ['a', 'b'],
    ],
    ['… with tabs', '- id: a\n  trigger-rule: {\n\t"match": {\n\t}\n\t}\n- id: b\n', ['a', 'b']],
    [
      'a text in quotes without indentation',
      '- id: "a\nb"\n  "execute-command": c\n- id: d\n',
      ['a b', 'd'],
    ],
    ['… in apostrophes', "- id: 'a\n\n  b'\n- id: d\n", ['a\nb', 'd']],
    ['comments right behind a value', '[{"id":"a",#b\n}#c\n]', ['a']],
    ['a line that was taken out', '[{"id":"a",\n// "id": "b",\n}]', ['a']],
    ['a key of two lines behind a question mark', '[{? "x\n y": 1, "id": "a"}]', ['a']],
  ])('%s', async (_, text, ids) => expect(await idsOf(text)).toEqual(ids));

  test.each([
    ['LE', (text: string) => Buffer.from(text, 'utf16le')],
    ['BE', (text: string) => Buffer.from(text, 'utf16le').swap16()],
  ])('UTF-16%s with a byte order mark', async (_, encode) => {
    const options = { template: false, env: {} };
    const { hooks } = await decodeHookText(encode('\ufeff- id: é😀\n'), options);
    expect(hooks.map(({ id }) => id)).toEqual(['é😀']);
  });

  test.each([
    ['0123', '83'],
    ['0o17', '15'],
    ['0x1F', '31'],
    ['0b11', '3'],
    ['1_000', '1000'],
    ['1.10', '1.1'],
    ['1e3', '1e3'],
    ['1e+3', '1000'],
    ['1.', '1.'],
    ['12:30', '12:30'],
    ['2020-01-02', '2020-01-02'],
    ['yes', 'true'],
    ['off', 'false'],
    ['"yes"', 'yes'],
    ['!!bool "yes"', 'true'],
    ["!!int '0x1F'", '31'],
    ['!!null "~"', ''],
    ['!!str 0123', '0123'],
    ['~', ''],
    ['12345678901234567890', '12345678901234567890'],
    ['1234567.5', '1.2345675e+06'],
    ['1000000.0', '1e+06'],
    ['100000.0', '100000'],
    ['0.00001', '1e-05'],
    ['18446744073709551616', '1.8446744e+19'],
    ['-0.0', '-0'],
    ['.inf', '+Inf'],
    ['-.Inf', '-Inf'],
    ['.nan', 'NaN'],
    ['!!binary aGVsbG8=', 'hello'],
  ])('the word %s as a text is %s', async (word, text) =>
    expect(await idsOf(`- id: ${word}\n`)).toEqual([text]),
  );
});

describe('what is wrong is named with its place', () => {
  test.each([
    [
      '[{"id":"a","success-http-response-code":"x"}]',
      /^line 1, column 41: hook "a": success-http-response-code must be a whole number, not a string$/,
    ],
    [
      '- id: a\n  trigger-rule:\n    and:\n      - match: 5\n',
      /^line 4, column 16: hook "a": trigger-rule\.and\[0\]\.match must be a mapping$/,
    ],
    ['- id: a\n  include-command-output-in-response: 1\n', /must be true or false, not a number$/],
    ['- id: a\n  success-http-response-code: 201.5\n', /whole number/],
    ['- id: [a]\n', /id must be a string, not a list/],
    ['{}', /^line 1, column 1: the file must be a list of hooks$/],
    ['[a]', /hook number 1 must be a mapping/],
    ['[{"id":"a"', /^line 1, column /],
    ['- id: *x\n', /anchor/],
    [
      '[{"id":"a", // guarded\n"trigger-rule":{"match":{"type":"value"}}}]',
      /^line 1, column 13: not a key; comments begin with #$/,
    ],
    ['[{"id":"a", /* c */\n"trigger-rule":{}}]', /not a key/],
    ['[{"id":"a", /* c */ "execute-command":"x"}]', /not a key/],
    ['[{"id":"a", /* c */ "trigger-rule": {}}]', /not a key/],
    ['[{"id":"a","trigger-\nrule":{}}]', /not a key/],
    ['[{"id":"a", // "b"\n"trigger-rule":{}}]', /not a key/],
    ['- id: "a\n  response-message: "b"\n', /^line 1, column 9: Missing closing "quote$/],
    ['- id: a\n  command-timeout: soon\n', /command-timeout must be a duration/],
  ])('%s', (text, message) => expect(decode(text)).rejects.toThrow(message));

  test.each([
    ...['\0', '\x01', '\b', '\v', '\f', '\x0e', '\x1b', '\x7f', '\x80', '\x9f', '\ufffe', '\uffff'],
  ])('the control character %j', async (char) => {
    const code = char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    const fault = `control characters are not allowed: U+${code}`;
    await expect(decode(`- id: a\n  # ${char}\n`)).rejects.toThrow(`line 2, column 5: ${fault}`);
    await expect(decode(`- id: a\n---\n- id: ${char}b\n`)).rejects.toThrow(fault);
    await expect(decode(`[{"id":"a"}]${char}`)).rejects.toThrow(`line 1, column 13: ${fault}`);
  });

  test('what is no base64', () =>
    expect(decode('- id: !!binary aGVsbG8\n')).rejects.toThrow(
      /^line 1, column 16: !!binary value contains invalid base64 data$/,
    ));

  test('bytes that are not UTF-8', () =>
    expect(decodeHookText(Buffer.from([0x5b, 0xff]), { template: false, env: {} })).rejects.toThrow(
      'UTF-8',
    ));

  const deep = (levels: number) => '{"and":['.repeat(levels) + ']}'.repeat(levels);

  test.each([
    ['[{"id":"a\\\'\\\'","success-http-response-code":"x"}]', /^line 1, column 45: hook "a''":/],
    ['["a\\q"]', /^line 1, column 4: Invalid escape/],
    [`[{"id":"a","trigger-rule":${deep(5000)}}]`, /^line 1, column \d+: .* nested too deeply/],
    [`&a ${'['.repeat(300)}${']'.repeat(300)}\n`, /must be a mapping$/],
    [
      `- &a ${'['.repeat(300)}${']'.repeat(300)}\n- ${'['.repeat(300)}*a${']'.repeat(300)}\n`,
      /nested too deeply/,
    ],
  ])('%.60s', (text, message) => expect(decode(text)).rejects.toThrow(message));

  test('an anchor that contains itself', () =>
    expect(decode('- &a\n  id: x\n  trigger-rule:\n    and: [*a]\n')).rejects.toThrow(/itself/));
});

describe('templates', () => {
  const env = { NAME: 'a"b', EMPTY: '', QUOTE: "it's" };

  test.each([
    ['[{"id":"{{ getenv "NAME" | js }}"}]', 'a"b'],
    ['[{"id":"{{ getenv "QUOTE" | js }}"}]', "it's"],
    ['[{"id":"{{ getenv "MISSING" }}"}]', ''],
    ['[{"id":"{{ if getenv "EMPTY" }}x{{ else if eq 1 1 }}y{{ else }}z{{ end }}"}]', 'y'],
    ['[{"id":"a {{- /* none */ -}} b"}]', 'ab'],
    ['[{"id":"{{ if and (getenv "NAME") (ne "a" "b") | not }}x{{ else }}y{{ end }}"}]', 'y'],
    ['[{"id":"{{ or (getenv "EMPTY") `raw` }}{{ print 1 true "x" }}"}]', 'raw1 truex'],
    ['[{"id":"{{ printf "%s-%v-%d-%q%%" "a" true 7 "b" | js }}"}]', 'a-true-7-"b"%'],
  ])('%s', async (text, id) => expect(await idsOf(text, env)).toEqual([id]));

  test.each([
    [
      '{{ nope }}',
      /^template, line 1, column 4: nope is not supported in hook files: there is no such function$/,
    ],
    ['{{ if 1 }}', /{{end}} of {{if}} is missing/],
    ['{{ if 1 }}{{ else }}', /{{end}} of {{if}} is missing/],
    ['{{ end }}', /unexpected {{end}}/],
    [
      '{{ $x := 1 }}',
      /^template, line 1, column 4: \$x is not supported in hook files: they have no variables$/,
    ],
    ['\n{{ getenv }}', /^template, line 2, column 4: getenv: expects one value, not 0$/],
    ['{{ "a', /unexpected "\\""/],
    ['{{ print (1 }}', /\) is missing/],
    ['{{ print 1 | 2 }}', /a function is missing behind \|/],
    ['{{ printf "%c" 1 }}', /%c is not supported/],
    ['{{ .Foo }}', /\.Foo is not supported in hook files: they get no data/],
    ['{{ range . }}{{ end }}', /range is not supported in hook files/],
    ['{{ with 1 }}{{ end }}', /with is not supported in hook files/],
    [
      '{{ if\n len "a" }}',
      /^template, line 2, column 2: len is not .*: they lack this function of Go$/,
    ],
    ['{{ print "a" $x }}', /^template, line 1, column 14: \$x is not/],
    ['{{ define "t" }}x{{ end }}{{ template "t" }}', /define is not supported/],
  ])('a fault is told: %s', (text, message) => expect(decode(text, env)).rejects.toThrow(message));
});

describe('templates read files and credentials', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hook-file-'));
    await writeFile(join(folder, 'key'), 'one\ntwo\n\n');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const idOf = async (id: string, env: Record<string, string>) =>
    (await idsOf(`[{"id":"<{{ ${id} | js }}>"}]`, env))[0];

  test('cat gives a file without the line feed at its end, and nothing where there is none', async () => {
    expect(await idOf(`cat "${folder}/key"`, {})).toBe('<one\ntwo\n>');
    expect(await idOf(`cat "${folder}/none"`, {})).toBe('<>');
    expect(await idOf(`cat "${folder}"`, {})).toBe('<>');
    expect(await idOf('getenv "FILE" | cat', { FILE: `${folder}/key` })).toBe('<one\ntwo\n>');
  });

  test('cat gives nothing of a pipe, which may never end', async () => {
    execFileSync('mkfifo', [`${folder}/pipe`]);
    const writer = spawn('/bin/sh', ['-c', `echo written > ${folder}/pipe`]);
    try {
      expect(await idOf(`cat "${folder}/pipe"`, {})).toBe('<>');
    } finally {
      writer.kill();
    }
  });

  test('credential gives a credential, or a variable where there is no folder of them', async () => {
    const CREDENTIALS_DIRECTORY = folder;
    expect(await idOf('credential "key"', { CREDENTIALS_DIRECTORY, key: 'x' })).toBe(
      '<one\ntwo\n>',
    );
    expect(await idOf('credential "none"', { CREDENTIALS_DIRECTORY, none: 'x' })).toBe('<>');
    expect(await idOf('credential "key"', { key: 'x' })).toBe('<x>');
    expect(await idOf('credential "none"', {})).toBe('<>');
  });

  test.each(['cat', 'credential', 'cat "a" "b"'])('a wrong call is told: %s', (call) =>
    expect(idOf(call, {})).rejects.toThrow(
      /line 1, column 13: (cat|credential): expects one value/,
    ),
  );
});
