import {
  FIELDS,
  type Field,
  type FileField,
  MATCH_FIELDS,
  PARAMETER_FIELDS,
  RULE_FIELDS,
} from '../../src/webhook/field-table.ts';

type Rows = readonly (readonly [name: string, field: FileField])[];

/** The tables of fields in docs/webhook.md, by the name in the comment before each. */
export function fieldTables(
  fields: Readonly<Record<string, Field>> = FIELDS,
): ReadonlyMap<string, string> {
  const rowsFrom = (from: Field['from']) =>
    Object.entries(fields).filter(([, field]) => field.from === from);
  const tables: readonly (readonly [string, Rows])[] = [
    ['hook', rowsFrom('webhook')],
    ['own', rowsFrom('syncer')],
    ['rule', Object.entries(RULE_FIELDS)],
    ['match', Object.entries(MATCH_FIELDS)],
    ['parameter', Object.entries(PARAMETER_FIELDS)],
  ];
  return new Map(tables.map(([name, rows]) => [name, table(rows)]));
}

function table(rows: Rows): string {
  const lines = rows.map(
    ([name, { about }]) => `| \`${name}\` | ${about.replaceAll('|', '\\|')} |\n`,
  );
  return `| Field | Meaning |\n|---|---|\n${lines.join('')}`;
}

/** A page with its tables of fields replaced. Throws if one is not on it. */
export function withFieldTables(page: string, tables = fieldTables()): string {
  let text = page;
  for (const [name, rows] of tables) {
    const start = `<!-- npm run docs: fields of ${name} -->\n\n`;
    const [before, after] = text.split(start);
    if (before === undefined || after === undefined) throw new Error(`no table: ${start.trim()}`);
    text = `${before}${start}${rows}\n${after.replace(/^(?:\|.*\n)*\n*/, '')}`;
  }
  return text;
}
