import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { fieldTables, withFieldTables } from '../../scripts/docs/field-tables.ts';
import { hooksSchema } from '../../scripts/release/package/hooks-schema.ts';
import {
  FIELDS,
  type Field,
  type FileField,
  HEADER_FIELDS,
  MATCH_FIELDS,
  PARAMETER_FIELDS,
  RULE_FIELDS,
} from '../../src/webhook/field-table.ts';
import { decodeHookText } from '../../src/webhook/file/load-hooks.ts';

const TABLES: readonly Readonly<Record<string, FileField>>[] = [
  FIELDS,
  HEADER_FIELDS,
  RULE_FIELDS,
  MATCH_FIELDS,
  PARAMETER_FIELDS,
];

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly minLength?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly { readonly if: Schema; readonly then: Schema }[];
  readonly $ref?: string;
  readonly additionalProperties?: boolean;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

const schema: Schema = hooksSchema(FIELDS);

/** Where a value does not fit a schema; of JSON schema, only the words that ours has. */
function misfits(value: unknown, to: Schema, path = ''): string[] {
  if (to.$ref !== undefined) {
    const target = schema.definitions?.[to.$ref.replace('#/definitions/', '')];
    return target === undefined ? [`${path}: ${to.$ref}`] : misfits(value, target, path);
  }
  const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  const isKind = (name: string) => name === kind || (name === 'integer' && Number.isInteger(value));
  const found: string[] = [];
  const hold = (isFine: boolean, what: string) => isFine || found.push(`${path}: ${what}`);
  if (to.type !== undefined) hold([to.type].flat().some(isKind), 'type');
  if (to.enum !== undefined) hold(to.enum.includes(value), 'enum');
  if (to.const !== undefined) hold(to.const === value, 'const');
  if (to.pattern !== undefined && kind === 'string') {
    hold(new RegExp(to.pattern).test(String(value)), 'pattern');
  }
  if (to.minimum !== undefined && kind === 'number') hold(Number(value) >= to.minimum, 'minimum');
  if (kind === 'string') hold(String(value).length >= (to.minLength ?? 0), 'minLength');
  if (Array.isArray(value)) {
    return [...found, ...value.flatMap((item) => misfits(item, to.items ?? {}, `${path}[]`))];
  }
  if (kind !== 'object') return found;
  const members = Object.entries(value as object);
  hold(members.length >= (to.minProperties ?? 0), 'minProperties');
  hold(members.length <= (to.maxProperties ?? members.length), 'maxProperties');
  for (const name of to.required ?? []) hold(Object.hasOwn(value as object, name), name);
  for (const [name, member] of members) {
    const inner = to.properties?.[name];
    if (inner !== undefined) found.push(...misfits(member, inner, `${path}.${name}`));
    else hold(to.additionalProperties !== false, `unknown ${name}`);
  }
  for (const { if: when, then } of to.allOf ?? []) {
    if (misfits(value, when).length === 0) found.push(...misfits(value, then, path));
  }
  return found;
}

/** What `-check` reports, or why the file cannot be loaded. */
async function faultsOf(hooks: unknown): Promise<readonly string[]> {
  const options = { template: false, env: {} };
  // References stand for nothing here.
  const text = JSON.stringify(hooks).replaceAll('${credential:', '${');
  try {
    return (await decodeHookText(Buffer.from(text), options)).faults.map((fault) => fault.text);
  } catch (thrown) {
    return [(thrown as Error).message];
  }
}

const HOOK = { id: 'a', 'execute-command': '/bin/true' };
const PARAMETER = { source: 'header', name: 'X-Token' };
const MATCH = { type: 'value', value: 'x', parameter: PARAMETER };

describe('the table of fields of a hook file', async () => {
  const page = await readFile('docs/webhook.md', 'utf8');

  it('equals what docs/webhook.md shows, which `npm run docs` writes', () => {
    expect(withFieldTables(page)).toBe(page);
  });

  it('explains each field in a sentence', () => {
    const abouts = TABLES.flatMap((table) => Object.values(table).map(({ about }) => about));
    expect(abouts.filter((about) => !/^\S.*\.$/.test(about))).toEqual([]);
    // @ts-expect-error: a row without its sentence does not compile
    const silent: Field = { member: 'silent', kind: 'text', from: 'syncer' };
    expect(silent).not.toHaveProperty('about');
  });

  it('gives each member of a hook to one field', () => {
    const members = Object.values(FIELDS).map(({ member }) => member);
    const single = members.filter((member) => member !== 'limits');
    expect(single).toEqual([...new Set(single)]);
  });

  it('changes page and schema with a planted field', () => {
    const planted: Field = { member: 'x', kind: 'bool', from: 'syncer', about: 'Planted.' };
    const fields = { ...FIELDS, planted };
    expect(withFieldTables(page, fieldTables(fields))).not.toBe(page);
    expect(JSON.stringify(hooksSchema(fields))).toContain('Planted.');
  });
});

describe('the JSON schema of hook files', async () => {
  const page = await readFile('docs/webhook.md', 'utf8');
  const examples = [...page.matchAll(/```json\n(\[\n[\s\S]*?\n\])\n```/g)].map(
    ([, text = '']) => text,
  );

  it('accepts the hooks of docs/webhook.md', async () => {
    expect(examples.length).toBeGreaterThan(0);
    for (const text of examples) {
      expect(misfits(JSON.parse(text), schema)).toEqual([]);
      expect(await faultsOf(JSON.parse(text))).toEqual([]);
    }
  });

  it.each<object>([
    { $schema: 'hooks.schema.json' },
    { 'response-message': 5, 'success-http-response-code': 201, 'http-methods': ['POST', 'put'] },
    { 'response-headers': [{ name: 'X-A', value: 'b' }], 'response-mode': 'async' },
    { 'max-concurrency': 2, 'queue-size': 0, 'on-full': 'drop-newest', 'rate-limit': '5/1m30s' },
    { coalesce: true, 'command-timeout': '1m', 'stream-command-output': true },
    { 'pass-file-to-command': [{ ...PARAMETER, envname: 'A', base64decode: true }] },
    { 'trigger-rule': { or: [{ match: MATCH }, { and: [{ match: MATCH }] }] } },
    { 'trigger-rule': { match: { type: 'ip-whitelist', 'ip-range': '::1' } } },
  ])('accepts what -check does not report: %j', async (fields) => {
    const hooks = [{ ...HOOK, ...fields }];
    expect(await faultsOf(hooks)).toEqual([]);
    expect(misfits(hooks, schema)).toEqual([]);
  });

  it.each<object>([
    { unknown: 1 },
    { 'execute-command': undefined },
    { 'execute-command': '' },
    { 'http-methods': 'POST' },
    { 'success-http-response-code': '200' },
    { coalesce: 1 },
    { 'max-concurrency': -1 },
    { 'max-concurrency': 1, 'on-full': 'wait' },
    { 'rate-limit': 'ten' },
    { 'response-mode': 'later' },
    { 'response-headers': [{ value: 'x' }] },
    { 'pass-arguments-to-command': [null] },
    { 'pass-arguments-to-command': [{ name: 'a' }] },
    { 'pass-arguments-to-command': [{ ...PARAMETER, source: 'Header' }] },
    { 'pass-arguments-to-command': [{ ...PARAMETER, envName: 'a', unknown: 1 }] },
    { 'trigger-rule': {} },
    { 'trigger-rule': { match: MATCH, not: { match: MATCH } } },
    { 'trigger-rule': { and: { match: MATCH } } },
    { 'trigger-rule': { match: { ...MATCH, type: 'Value' } } },
    { 'trigger-rule': { match: { ...MATCH, type: 'payload-hmac-sha256' } } },
    { 'trigger-rule': { match: { ...MATCH, value: '' } } },
    { 'trigger-rule': { match: { ...MATCH, typ: 'value' } } },
  ])('rejects what -check reports: %j', async (fields) => {
    const hooks = JSON.parse(JSON.stringify([{ ...HOOK, ...fields }]));
    expect(await faultsOf(hooks)).not.toEqual([]);
    expect(misfits(hooks, schema)).not.toEqual([]);
  });
});
