import { GoFault } from '../../go/go-texts.ts';
import {
  MATCH_FIELDS,
  MATCH_TYPES,
  type NameUse,
  PARAMETER_FIELDS,
  type ParameterUse,
  RULE_FIELDS,
  SOURCES,
} from '../field-table.ts';
import type { HookMatch, Parameter, Rule } from '../hook.ts';
import { SERVICE_SIGNATURES } from '../rule/check-signature.ts';
import { compileRegex, wrongNetwork } from '../rule/judge-rule.ts';
import type { HookFields } from './hook-fields.ts';
import { isReference } from './reference-reader.ts';

/** What a condition compares with. */
const COMPARED = ['value', 'regex', 'secret', 'ip-range'] as const;

type Compared = (typeof COMPARED)[number];

const TYPES: ReadonlyMap<string, Compared> = new Map(Object.entries(MATCH_TYPES));

/** What happens if there is nothing to compare with. */
const EFFECTS: Readonly<Record<Compared, string>> = {
  value: 'an empty parameter satisfies it; if that is meant, use the regex "^$"',
  regex: 'every text satisfies it; if that is meant, use ".*"',
  secret: 'no signature satisfies it',
  'ip-range': 'no address satisfies it',
};

/**
 * Reads a rule and all in it, and notes what can never work. Throws `HookFileFault`.
 *
 * @param inAnd it stands directly in an `and`
 * @param inNot it stands anywhere in a `not`
 */
export function decodeRule(fields: RuleFields, inAnd = false, inNot = false): Rule {
  const rules = (name: 'and' | 'or') =>
    fields.parts(name, RULE_FIELDS)?.map((part) => decodeRule(part, name === 'and', inNot));
  const [and, or] = [rules('and'), rules('or')];
  const not = fields.has('not')
    ? decodeRule(fields.part('not', RULE_FIELDS), false, true)
    : undefined;
  const match = fields.has('match') ? decodeMatch(fields.part('match', MATCH_FIELDS)) : undefined;
  fields.noteUnknown();
  // Of several the first in this order counts.
  const parts = ['and', 'or', 'not', 'match'] as const;
  const [counts, ...ignored] = parts.filter((name) => fields.has(name));
  if (counts === undefined) {
    fields.noteWhole('error', ': without and, or, not or match it is never satisfied');
  }
  for (const name of ignored) {
    fields.note('error', name, ` has no effect: beside "${counts}" it is never read`);
  }
  if (counts === 'and' && and?.length === 0) {
    fields.note('warning', 'and', ': without a rule in it it is always satisfied');
  }
  if (counts === 'or' && or?.length === 0) {
    fields.note('warning', 'or', ': without a rule in it it is never satisfied');
  }
  const missing = inNot || not === undefined ? [] : whatMayBeMissing(not);
  // There both say no.
  const isSame = inAnd && not !== undefined && !hasOr(not);
  if (missing.length > 0 && !isSame) {
    const what = [...new Set(missing)].join(' or ');
    const text = `: a request without ${what} does not satisfy it; webhook 2.8.0 lets it in`;
    fields.note('note', 'not', text);
  }
  return {
    ...(and && { and }),
    ...(or && { or }),
    ...(not && { not }),
    ...(match && { match }),
  };
}

function hasOr({ and, or, not }: Rule): boolean {
  return or !== undefined || (and ?? []).some(hasOr) || (not !== undefined && hasOr(not));
}

/** The parameters of a rule that a request may lack, in words. */
function whatMayBeMissing({ and, or, not, match }: Rule): string[] {
  const parts = and ?? or ?? (not === undefined ? undefined : [not]);
  if (parts !== undefined) return parts.flatMap(whatMayBeMissing);
  if (match === undefined || match.type === 'ip-whitelist') return [];
  const service = SERVICE_SIGNATURES.get(match.type);
  if (service !== undefined) return [service.headers];
  const { source, name } = match.parameter;
  return NAME_USES.get(source) === 'field' && name !== '' ? [`the ${source} ${name}`] : [];
}

function decodeMatch(fields: HookFields<keyof typeof MATCH_FIELDS>): HookMatch {
  const given = fields.part('parameter', PARAMETER_FIELDS);
  const match = {
    type: fields.text('type'),
    value: fields.expanded('value'),
    regex: fields.text('regex'),
    secret: fields.expanded('secret'),
    ipRange: fields.text('ip-range'),
    parameter: readParameter(given),
  };
  fields.noteUnknown();
  const { type, regex, ipRange, parameter } = match;
  const compared = TYPES.get(type);
  if (compared === undefined) {
    const isGiven = fields.has('type');
    const text = isGiven ? `: unknown type "${type}"` : ' is missing: it is never satisfied';
    fields.note('error', 'type', text);
    return match;
  }
  const isGiven = fields.needs(compared, EFFECTS[compared]);
  for (const name of COMPARED) {
    if (name === compared || fields.text(name) === '') continue;
    fields.note('error', name, ` has no effect: the type "${type}" does not use it`);
  }
  if (compared === 'ip-range' && isGiven) {
    const wrong = wrongNetwork(ipRange);
    if (wrong !== undefined) fields.note('error', 'ip-range', `: invalid CIDR address: ${wrong}`);
    else if (/^[\s\u0085\u00a0]*$/.test(ipRange)) {
      fields.note('error', 'ip-range', ` is blank: ${EFFECTS['ip-range']}`);
    }
  }
  const hasParameter = type !== 'ip-whitelist' && !SERVICE_SIGNATURES.has(type);
  if (hasParameter) checkParameter(given, parameter, 'rule');
  else if (parameter.source !== '' || parameter.name !== '') {
    fields.note('warning', 'parameter', ` has no effect: the type "${type}" does not use it`);
  }
  try {
    if (compared === 'regex') compileRegex(regex);
  } catch (thrown) {
    if (!(thrown instanceof GoFault)) throw thrown;
    fields.note('error', 'regex', `: ${thrown.message}`);
  }
  return match;
}

type RuleFields = HookFields<keyof typeof RULE_FIELDS>;

type ParameterFields = HookFields<keyof typeof PARAMETER_FIELDS>;

const NAME_USES: ReadonlyMap<string, NameUse> = new Map(Object.entries(SOURCES));

/** Headers that a server takes out of a request before hooks see it. */
const UNSEEN = /^(?:host|transfer-encoding)$/i;

/** Reads a parameter, with what its references stand for. Throws `HookFileFault`. */
export function readParameter(fields: ParameterFields): Parameter {
  const source = fields.text('source');
  const name = fields.text('name');
  return {
    source,
    // Other references may be meant for a shell.
    name: NAME_USES.get(source) === 'text' && isReference(name) ? fields.expanded('name') : name,
    envName: fields.text('envname'),
    base64Decode: fields.bool('base64decode'),
  };
}

/** Notes what can never work in a parameter, and what may be a mistake. */
export function checkParameter(
  fields: ParameterFields,
  parameter: Parameter,
  use: ParameterUse,
): void {
  if (fields.isNull) {
    const what = use === 'rule' ? 'is missing' : 'has an entry that is null';
    fields.noteWhole('error', ` ${what}: there is no value`);
    return;
  }
  fields.noteUnknown();
  if (!fields.needs('source', 'there is no value')) return;
  checkSource(fields, parameter, use);
  if (use === 'environment' || use === 'file') checkVariable(fields, parameter, use);
  else if (parameter.envName !== '') fields.note('warning', 'envname', ' has no effect here');
  if (parameter.base64Decode && use !== 'file') {
    const text = ' has no effect here: only pass-file-to-command decodes';
    fields.note('warning', 'base64decode', text);
  }
}

function checkSource(
  fields: ParameterFields,
  { source, name }: Parameter,
  use: ParameterUse,
): void {
  const nameUse = NAME_USES.get(source);
  if (use === 'json' && nameUse !== undefined && nameUse !== 'field') {
    fields.note('error', 'source', `: "${source}" is never parsed as JSON`);
  } else if (nameUse === 'field') {
    if (!fields.needs('name', `there is no value in "${source}"`)) return;
    if (source !== 'header' || !UNSEEN.test(name)) return;
    fields.note('error', 'name', `: hooks do not see the header ${name}`);
  } else if (nameUse === 'request') {
    if (/^(?:method|remote-addr)$/i.test(name)) return;
    fields.note('error', 'name', ': the source "request" has only "method" and "remote-addr"');
  } else if (nameUse === 'text') {
    if (use === 'rule') {
      fields.note('warning', 'source', `: "${source}" is a fixed text, the same for every request`);
    }
    if (!fields.has('name')) fields.note('warning', 'name', ' is missing: the text is empty');
  } else if (nameUse === 'none') {
    if (name === '' || use === 'environment' || use === 'file') return;
    fields.note('warning', 'name', ` has no effect: the source "${source}" has no names`);
  } else {
    fields.note('error', 'source', `: unknown source "${source}"`);
  }
}

function checkVariable(
  fields: ParameterFields,
  { source, name, envName }: Parameter,
  use: ParameterUse,
): void {
  const field = envName === '' ? 'name' : 'envname';
  const variable = envName || `HOOK_${use === 'file' ? name.toUpperCase() : name}`;
  if (envName === '' && (NAME_USES.get(source) === 'text' || name === '')) {
    const text = ' is missing: the name of the variable is made from the value';
    fields.note('warning', 'envname', text);
  }
  if (use === 'file' && /[/\0]/.test(variable)) {
    fields.note('error', field, ': no file is created for a variable with "/" in its name');
  } else if (/[=\0]/.test(variable)) {
    fields.note('error', field, ': a variable cannot have "=" in its name');
  }
}
