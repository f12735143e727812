import {
  FIELDS,
  type FileField,
  HEADER_FIELDS,
  IGNORED_FIELDS,
  type Kind,
  MATCH_FIELDS,
  MATCH_TYPES,
  PARAMETER_FIELDS,
  RULE_FIELDS,
} from '../../../src/webhook/field-table.ts';
import type { PackedFile } from './packed-file.ts';

/** The JSON schema of hook files, beside the programs that read them. */
export const SCHEMAS: Readonly<Record<string, () => readonly PackedFile[]>> = {
  webhook: () => [
    {
      path: 'hooks.schema.json',
      content: `${JSON.stringify(hooksSchema(FIELDS), undefined, 2)}\n`,
    },
  ],
};

type Schema = Readonly<Record<string, unknown>>;

type Table = Readonly<Record<string, FileField>>;

/** Numbers and booleans are read as texts, too. */
const TEXT: Schema = { type: ['string', 'number', 'boolean'] };

const NOT_EMPTY: Schema = { minLength: 1 };

const listOf = (items: Schema): Schema => ({ type: 'array', items });

const defined = (name: string): Schema => ({ $ref: `#/definitions/${name}` });

const KINDS: Readonly<Record<Kind, Schema>> = {
  text: TEXT,
  word: {},
  bool: { type: 'boolean' },
  status: { type: 'integer' },
  count: { type: 'integer', minimum: 0 },
  duration: { ...TEXT, examples: ['30s', '1h'] },
  rate: { type: 'string', pattern: '^([0-9]+/.+)?$', examples: ['10/s', '100/1m30s'] },
  methods: listOf({ type: 'string', examples: ['GET', 'POST'] }),
  headers: listOf(defined('header')),
  parameters: listOf(defined('parameter')),
  parameter: defined('parameter'),
  rule: defined('rule'),
  rules: listOf(defined('rule')),
  match: defined('match'),
};

/** The schema of hook files with these fields (draft 7, which editors support). */
export function hooksSchema(fields: Table): Schema {
  const ignored = IGNORED_FIELDS.map((name) => [name, {}] as const);
  const hook = mapping(fields);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Hook file of webhook',
    ...listOf({
      ...hook,
      properties: { ...(hook['properties'] as Schema), ...Object.fromEntries(ignored) },
    }),
    definitions: {
      header: mapping(HEADER_FIELDS),
      rule: { ...mapping(RULE_FIELDS), minProperties: 1, maxProperties: 1 },
      match: { ...mapping(MATCH_FIELDS), allOf: Object.entries(MATCH_TYPES).map(needsCompared) },
      parameter: mapping(PARAMETER_FIELDS),
    },
  };
}

function mapping(table: Table): Schema {
  const rows = Object.entries(table);
  const properties = rows.map(([name, { kind, words, isRequired, about }]) => {
    const values = { ...(words && { enum: words }), ...(isRequired && NOT_EMPTY) };
    return [name, { description: about, ...KINDS[kind], ...values }] as const;
  });
  const required = rows.flatMap(([name, { isRequired }]) => (isRequired ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** A condition has the field that its type compares. */
function needsCompared([type, compared]: readonly [string, string]): Schema {
  const then = { required: [compared], properties: { [compared]: NOT_EMPTY } };
  return { if: { properties: { type: { const: type } } }, then };
}
