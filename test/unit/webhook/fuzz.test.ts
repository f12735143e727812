import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GoFault } from '../../../src/go/go-texts.ts';
import { type GoValue, goJson } from '../../../src/go/go-value.ts';
import { parseGoJson } from '../../../src/go/parse-go-json.ts';
import { decodeHookText } from '../../../src/webhook/file/load-hooks.ts';
import { HookFileFault } from '../../../src/webhook/file/read-hook-file.ts';
import { BadRequest, readHead } from '../../../src/webhook/http/request-head.ts';
import { parseQuery, parseXml } from '../../../src/webhook/payload/parse-body.ts';
import { findRoute } from '../../../src/webhook/server/request-handler.ts';
import { ALL } from '../../support/in-part.ts';

const TIMES = ALL ? 5 : 1;

/** Runs it; a fault of the wanted kind is as good as a result. */
function attempt<T>(work: () => T, ...faults: (new (...args: never[]) => Error)[]): T | undefined {
  try {
    return work();
  } catch (thrown) {
    if (faults.some((fault) => thrown instanceof fault)) return undefined;
    throw thrown;
  }
}

const FILE = `- id: a
  execute-command: /bin/true
  max-concurrency: 2
  pass-arguments-to-command: [{source: string, name: "x"}]
  trigger-rule: {and: [{match: {type: value, value: "1", parameter: {source: url, name: q}}}]}
- &b {"id": "b", "command-timeout": "1s", 'http-methods': [get, post]}
- *b
`;

/** A text with some pieces of it taken out, doubled or replaced. */
const damaged = (text: string) =>
  fc
    .array(
      fc.tuple(
        fc.nat(text.length),
        fc.nat(8),
        fc.oneof(
          fc.string({ maxLength: 4 }),
          fc.constantFrom('- ', '{', '[', '&b', '*b', '\t', '\n'),
        ),
      ),
      { maxLength: 4 },
    )
    .map((edits) =>
      edits.reduce((done, [at, length, piece]) => {
        return done.slice(0, at) + piece + done.slice(at + length);
      }, text),
    );

test('a hook file is read or refused with a place', async () => {
  const load = async (text: string) => {
    try {
      await decodeHookText(Buffer.from(text), { template: false, env: {} });
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(HookFileFault);
      expect((thrown as Error).message).toMatch(/^line [1-9]\d*, column [1-9]\d*: ./s);
    }
  };
  await fc.assert(fc.asyncProperty(damaged(FILE), load), { numRuns: 300 * TIMES });
  await fc.assert(fc.asyncProperty(fc.json(), load), { numRuns: 60 * TIMES });
});

test('a template is run or refused', async () => {
  const load = async (text: string) => {
    const loaded = await decodeHookText(Buffer.from(text), {
      template: true,
      env: { A: '1' },
    }).catch((thrown: unknown) => thrown);
    if (loaded instanceof Error) expect(loaded.message).not.toMatch(/undefined|is not a function/);
  };
  const text = '[{"id": "{{ getenv "A" | js }}{{ if eq 1 2 }}x{{ else }}y{{ end }}"}]';
  await fc.assert(fc.asyncProperty(damaged(text), load), { numRuns: 160 * TIMES });
});

test("a request's head is understood or refused", () => {
  const read = (url: string, value: string) => {
    const rawHeaders = ['Host', 'h:1', 'Transfer-Encoding', value, 'X-A', value];
    const request = { method: 'POST', url, httpVersion: '1.1', rawHeaders };
    const found = attempt(() => readHead(request), BadRequest);
    if (found !== undefined) attempt(() => findRoute(found.target, 'hooks'), GoFault);
  };
  const target = damaged('http://h/hooks/a?q=%20&\xc3\xa4');
  fc.assert(fc.property(target, damaged('chunked'), read), { numRuns: 600 * TIMES });
  fc.assert(fc.property(fc.string(), fc.string(), read));
});

test('queries and XML are read or refused', async () => {
  const xml = '<a x="1">t<b/><!-- c --><![CDATA[d]]>&amp;&#65;</a>';
  fc.assert(fc.property(fc.string(), (text) => void parseQuery(text)));
  const read = async (text: string) => {
    const found = await parseXml(Buffer.from(text)).catch((thrown: unknown) => thrown);
    expect(found instanceof Map || found instanceof GoFault).toBe(true);
  };
  await fc.assert(fc.asyncProperty(damaged(xml), read), { numRuns: 400 * TIMES });
});

test('JSON is read as JSON.parse reads it', () => {
  const plain = (value: GoValue): unknown => {
    if (value instanceof Map) {
      return Object.fromEntries([...value].map(([key, item]) => [key, plain(item)]));
    }
    if (Array.isArray(value)) return value.map(plain);
    return typeof value === 'object' && value !== null ? Number(value.spelled) : value;
  };
  fc.assert(
    fc.property(fc.json({ noUnicodeString: false } as object), (text) => {
      const value = parseGoJson(Buffer.from(text));
      expect(JSON.stringify(plain(value))).toBe(
        JSON.stringify(JSON.parse(Buffer.from(text).toString())),
      );
      attempt(() => goJson(value), GoFault);
    }),
    { numRuns: 100 * TIMES },
  );
});
