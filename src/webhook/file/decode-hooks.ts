import { isHeaderName } from '../../go/go-texts.ts';
import { parseDuration } from '../../go/quantities.ts';
import {
  FIELDS,
  type Field,
  type FieldName,
  HEADER_FIELDS,
  type HookKind,
  IGNORED_FIELDS,
  PARAMETER_FIELDS,
  RULE_FIELDS,
} from '../field-table.ts';
import type { FieldValues, Hook, HookValues, RunLimits } from '../hook.ts';
import { checkParameter, decodeRule, readParameter } from './decode-rule.ts';
import { type HookFault, HookFields } from './hook-fields.ts';
import { HookFileFault, type HookFileNode, type HookFilePlace } from './read-hook-file.ts';
import type { ReferenceReader } from './reference-reader.ts';

/** What a timer can wait for: 2^31 ms, with room for what comes after it. */
const MAX_TIMEOUT_MS = (596 * 60 + 30) * 60_000;

/** The hooks that a file describes. */
export interface DecodedHooks {
  readonly hooks: readonly Hook[];
  /** Where each of them stands. */
  readonly places: readonly HookFilePlace[];
  /** What is wrong with them, in the order of the file. */
  readonly faults: readonly HookFault[];
}

/** The hooks of a file; an empty one has none. Throws `HookFileFault` for what makes the file unusable. */
export function decodeHooks(root: HookFileNode, references: ReferenceReader): DecodedHooks {
  const faults: HookFault[] = [];
  if (root.kind === 'null') return { hooks: [], places: [], faults };
  if (root.kind !== 'list') throw new HookFileFault(root.place, 'the file must be a list of hooks');
  const hooks = root.items.map((item, index) => {
    const reading = { owner: `hook number ${index + 1}`, references, faults };
    const id = new HookFields(item, FIELDS, reading).text('id');
    const owner = id === '' ? reading.owner : `hook "${id}"`;
    return decodeHook(new HookFields(item, FIELDS, { owner, references, faults }), references);
  });
  faults.sort(({ place: a }, { place: b }) => a.line - b.line || a.column - b.column);
  return { hooks, places: root.items.map(({ place }) => place), faults };
}

const ROWS = Object.entries(FIELDS) as readonly (readonly [FieldName, Field])[];

function decodeHook(fields: HookFields<FieldName>, references: ReferenceReader): Hook {
  const values: Partial<Record<FieldName, unknown>> = {};
  const members: Record<string, unknown> = {};
  for (const [name, field] of ROWS) {
    const value = READERS[field.kind](fields, name, field);
    values[name] = value;
    if (value !== undefined && field.member !== 'limits') members[field.member] = value;
  }
  for (const [name, { isRequired, check }] of ROWS) {
    const isMissing = values[name] === '' || !fields.has(name);
    if (isRequired && isMissing) fields.note('error', name, ' is missing');
    check?.(fields, name);
  }
  fields.noteUnknown(IGNORED_FIELDS, fields.has('trigger-rule') ? '' : '; the hook has no rule');
  const limits = limitsOf(values as HookValues);
  return {
    // `Hook` and this object are made from the same rows.
    ...(members as unknown as Hook),
    ...(limits && { limits }),
    extended: ROWS.some(([name, { from }]) => from === 'syncer' && fields.has(name)),
    secrets: references.takeSecrets(),
  };
}

/** Reads a field of each kind. All throw `HookFileFault`. */
const READERS: {
  readonly [K in HookKind]: (
    fields: HookFields<FieldName>,
    name: FieldName,
    field: Field,
  ) => FieldValues[K];
} = {
  text: (fields, name) => fields.text(name),
  bool: (fields, name) => fields.bool(name),
  word: (fields, name, { words = [] }) => fields.word(name, words),
  status: (fields, name) => fields.whole(name),
  count: (fields, name) => (fields.has(name) ? fields.count(name) : undefined),
  duration: readTimeout,
  rate: readRate,
  methods: (fields, name) => fields.texts(name).map((method) => method.trim().toUpperCase()),
  headers: (fields, name) => (fields.parts(name, HEADER_FIELDS) ?? []).map(readHeader),
  parameters: (fields, name, { use = 'argument' }) =>
    (fields.parts(name, PARAMETER_FIELDS) ?? []).map((part) => {
      const parameter = readParameter(part);
      checkParameter(part, parameter, use);
      return parameter;
    }),
  rule: (fields, name) =>
    fields.has(name) ? decodeRule(fields.part(name, RULE_FIELDS)) : undefined,
};

/** What limits the runs of a hook; `undefined` where nothing does. */
function limitsOf(values: HookValues): RunLimits | undefined {
  const { coalesce, 'rate-limit': rate } = values;
  const maxConcurrency = values['max-concurrency'] || (coalesce ? 1 : 0);
  if (maxConcurrency === 0 && rate === undefined) return undefined;
  return {
    maxConcurrency,
    queueSize: values['queue-size'] ?? 100,
    onFull: values['on-full'] ?? 'reject',
    coalesce,
    ...(rate && { rate }),
  };
}

function readHeader(fields: HookFields<keyof typeof HEADER_FIELDS>): readonly [string, string] {
  const name = fields.text('name');
  const value = fields.expanded('value');
  fields.noteUnknown();
  if (fields.needs('name', 'it is not sent')) {
    if (!isHeaderName(name)) fields.note('error', 'name', `: "${name}" is no name of a header`);
    // The server sets these itself.
    else if (/^(?:content-length|transfer-encoding|trailer)$/i.test(name)) {
      fields.note('warning', 'name', `: ${name} is ignored`);
    }
  }
  return [name, value];
}

/** `10/s`, `100/1m30s`. */
function readRate(fields: HookFields<FieldName>, name: FieldName): FieldValues['rate'] {
  const text = fields.text(name);
  if (text === '') return undefined;
  const [, count = '', per = ''] = /^(\d+)\/(.+)$/.exec(text) ?? [];
  const perMs = duration(/^\d/.test(per) ? per : `1${per}`);
  if (Number(count) > 0 && perMs !== undefined && perMs > 0) return { count: Number(count), perMs };
  throw fields.fault(name, 'must be a number of runs and a time, such as 10/s or 100/1m');
}

/** Milliseconds that a timer can wait; 0 where there is none. */
function readTimeout(fields: HookFields<FieldName>, name: FieldName): number {
  const text = fields.text(name);
  if (text === '') return 0;
  const ms = duration(text);
  if (ms === undefined) throw fields.fault(name, 'must be a duration such as 30s');
  if (ms > MAX_TIMEOUT_MS) throw fields.fault(name, 'must be at most 596h30m');
  return ms;
}

/** Milliseconds; `undefined` for what is no length of time. */
function duration(text: string): number | undefined {
  if (!/^[\d.]+(?:ns|us|µs|ms|s|m|h|$)/.test(text)) return undefined;
  try {
    return parseDuration(text, 0);
  } catch {
    return undefined;
  }
}
