import { METHODS } from 'node:http';
import { GoFault } from '../../go/go-errno.ts';
import { isHeaderName } from '../../go/go-texts.ts';
import { statusText } from '../http/answer.ts';
import { bodyKind } from '../payload/parse-body.ts';
import { compileRegex, wrongNetwork } from '../rule/evaluate-rule.ts';
import type { Hook, HookMatch, Parameter, Rule } from './hook.ts';
import { FieldCheck, type HookFault } from './hook-fault.ts';
import { type LoadedHooks, type LoadOptions, loadHooks } from './load-hooks.ts';
import type { HookFileNode } from './read-hook-file.ts';

/** The keys of hooks; any other one is ignored when a file is loaded. */
const KEYS = [
  ...['id', 'execute-command', 'command-working-directory', 'command-timeout', 'http-methods'],
  ...['response-message', 'response-headers', 'response-mode', 'success-http-response-code'],
  ...['incoming-payload-content-type', 'include-command-output-in-response', 'trigger-rule'],
  ...['include-command-output-in-response-on-error', 'stream-command-output', 'coalesce'],
  ...['pass-arguments-to-command', 'pass-environment-to-command', 'pass-file-to-command'],
  ...['parse-parameters-as-json', 'trigger-rule-mismatch-http-response-code'],
  ...['trigger-signature-soft-failures', 'max-concurrency', 'queue-size', 'on-full'],
  'rate-limit',
];

/** Headers that the server sets itself. */
const OWN_HEADERS = /^(?:content-length|transfer-encoding|trailer)$/i;

/** What can never work in a hook that could be read, and what may be a mistake. */
function checkHook(node: HookFileNode, hook: Hook): HookFault[] {
  const check = new FieldCheck(node, '');
  const { fields, faults } = check;
  check.unknown(KEYS, hook.rule === undefined ? '; the hook has no rule' : '');
  if (hook.executeCommand === '') check.add('error', 'execute-command', ' is missing');
  checkAnswer(check, hook);
  checkMethods(check, hook);
  if (hook.contentType !== '' && bodyKind(hook.contentType) === 'none') {
    const text = `: no body is parsed as "${hook.contentType}", so the payload is empty`;
    check.add('warning', 'incoming-payload-content-type', text);
  }
  const passed = [
    ['pass-arguments-to-command', hook.arguments, 'argument'],
    ['pass-environment-to-command', hook.environment, 'environment'],
    ['pass-file-to-command', hook.files, 'file'],
    ['parse-parameters-as-json', hook.jsonParameters, 'json'],
  ] as const;
  for (const [name, parameters, use] of passed) {
    const items = fields.list(name) ?? [];
    for (const [i, parameter] of parameters.entries()) {
      const item = items[i];
      if (item === undefined) continue;
      faults.push(...checkParameter(item, name, parameter, use));
    }
  }
  return faults;
}

function checkAnswer(check: FieldCheck, hook: Hook): void {
  const { fields, faults } = check;
  const codes = [
    ['success-http-response-code', hook.successCode],
    ['trigger-rule-mismatch-http-response-code', hook.mismatchCode],
  ] as const;
  for (const [name, code] of codes) {
    if (code === 0 || statusText(code) !== undefined) continue;
    check.add('error', name, `: unknown status ${code}`);
  }
  for (const [i, item] of (fields.list('response-headers') ?? []).entries()) {
    const header = new FieldCheck(item, 'response-headers');
    header.unknown(['name', 'value']);
    const [name] = hook.responseHeaders[i] ?? [''];
    if (header.needs('name', 'it is not sent')) {
      if (!isHeaderName(name)) header.add('error', 'name', `: "${name}" is no name of a header`);
      else if (OWN_HEADERS.test(name)) header.add('warning', 'name', `: ${name} is ignored`);
    }
    faults.push(...header.faults);
  }
  if (hook.includeOutputOnError && !hook.includeOutput && !hook.streamOutput) {
    const text = ' has no effect without include-command-output-in-response';
    check.add('warning', 'include-command-output-in-response-on-error', text);
  }
}

function checkMethods(check: FieldCheck, { methods }: Hook): void {
  for (const method of methods) {
    if (METHODS.includes(method)) continue;
    const why = method.includes(',') ? 'list the methods one by one' : 'no request has this method';
    check.add('error', 'http-methods', `: "${method}": ${why}`);
  }
}

/** What is wrong with the rule of a hook, and what has no effect because there is none. */
function checkHookRule(node: HookFileNode, hook: Hook): HookFault[] {
  const check = new FieldCheck(node, '');
  const { fields, faults } = check;
  const rule = fields.node('trigger-rule');
  if (rule !== undefined && hook.rule !== undefined) {
    return checkRule(rule, hook.rule, 'trigger-rule');
  }
  const open = 'every request runs the command';
  if (fields.besides([]).includes('trigger-rule')) {
    check.add('warning', 'trigger-rule', ` is null: ${open}`);
  }
  const useless = [
    ['trigger-rule-mismatch-http-response-code', hook.mismatchCode !== 0],
    ['trigger-signature-soft-failures', hook.softSignatures],
  ] as const;
  for (const [name, isSet] of useless) {
    if (isSet) check.add('warning', name, ` has no effect: the hook has no rule, and ${open}`);
  }
  return faults;
}

/** A fault as one line, which names file, place and hook. */
export interface FaultLine extends Pick<HookFault, 'weight'> {
  readonly line: string;
  /** It is about the rule, which decides whose requests run the command. */
  readonly isOfRule: boolean;
}

/** What is wrong with the hooks of a file that could be loaded, in the order of the file. */
export function hookFaults(
  path: string,
  { hooks, root }: Pick<LoadedHooks, 'hooks' | 'root'>,
): FaultLine[] {
  const nodes = root.kind === 'list' ? root.items : [];
  return hooks.flatMap((hook, index) => {
    const node = nodes[index];
    if (node === undefined) return [];
    const lineOf = (isOfRule: boolean) => (fault: HookFault) => ({
      line: faultLine(path, hook, fault),
      weight: fault.weight,
      isOfRule,
    });
    return [
      ...checkHook(node, hook).map(lineOf(false)),
      ...checkHookRule(node, hook).map(lineOf(true)),
    ];
  });
}

function faultLine(path: string, { id }: Hook, { place, text, weight }: HookFault): string {
  const before = weight === 'error' ? '' : 'warning: ';
  return `${path}: line ${place.line}, column ${place.column}: ${before}hook "${id}": ${text}`;
}

/**
 * What is wrong with hook files, one line each: what stops them from being loaded, what never works or lets in requests
 * that it should refuse, and warnings of what may be a mistake.
 */
export async function checkFiles(
  paths: readonly string[],
  options: LoadOptions,
): Promise<{ readonly faults: readonly string[]; readonly warnings: readonly string[] }> {
  const owners = new Map<string, string>();
  const faults: string[] = [];
  const warnings: string[] = [];
  for (const path of paths) {
    try {
      const loaded = await loadHooks(path, options);
      const nodes = loaded.root.kind === 'list' ? loaded.root.items : [];
      for (const [index, hook] of loaded.hooks.entries()) {
        const owner = owners.get(hook.id);
        const place = nodes[index]?.place;
        if (owner !== undefined && place !== undefined) {
          const text = `duplicate id, also in ${owner}`;
          faults.push(faultLine(path, hook, { place, text, weight: 'error' }));
        }
        owners.set(hook.id, path);
      }
      for (const { line, weight } of hookFaults(path, loaded)) {
        (weight === 'error' ? faults : warnings).push(line);
      }
    } catch (thrown) {
      faults.push(`${path}: ${(thrown as Error).message}`);
    }
  }
  return { faults, warnings };
}

/** The parts of a rule; of several the first in this order counts. */
const PARTS = ['and', 'or', 'not', 'match'] as const;

/** What a condition compares with. */
const COMPARED = ['value', 'regex', 'secret', 'ip-range'] as const;
type Compared = (typeof COMPARED)[number];

const TYPES: ReadonlyMap<string, Compared> = new Map([
  ['value', 'value'],
  ['regex', 'regex'],
  ['ip-whitelist', 'ip-range'],
  ['scalr-signature', 'secret'],
  ...['hmac', 'hash'].flatMap((kind) =>
    ['sha1', 'sha256', 'sha512'].map((hash) => [`payload-${kind}-${hash}`, 'secret'] as const),
  ),
]);

/** What happens if there is nothing to compare with. */
const EFFECTS: Readonly<Record<Compared, string>> = {
  value: 'an empty parameter satisfies it; if that is meant, use the regex "^$"',
  regex: 'every text satisfies it; if that is meant, use ".*"',
  secret: 'no signature satisfies it',
  'ip-range': 'no address satisfies it',
};

const PARAMETERLESS = /^(?:ip-whitelist|scalr-signature)$/;

/** What is wrong with a rule and all in it. */
function checkRule(node: HookFileNode, rule: Rule, owner: string): HookFault[] {
  return checkPart(node, rule, { owner, inAnd: false, inNot: false });
}

/** Where a rule stands. */
interface RulePlace {
  readonly owner: string;
  /** Directly in an `and`. */
  readonly inAnd: boolean;
  /** Anywhere in a `not`. */
  readonly inNot: boolean;
}

function checkPart(node: HookFileNode, rule: Rule, place: RulePlace): HookFault[] {
  const { owner, inAnd, inNot } = place;
  const check = new FieldCheck(node, owner);
  const { fields, faults } = check;
  check.unknown(PARTS);
  const [counts, ...ignored] = PARTS.filter((name) => fields.has(name));
  if (counts === undefined) {
    check.addWhole('error', ': without and, or, not or match it is never satisfied');
  }
  for (const name of ignored) {
    check.add('error', name, ` has no effect: beside "${counts}" it is never read`);
  }
  if (counts === 'and' && rule.and?.length === 0) {
    check.add('warning', 'and', ': without a rule in it it is always satisfied');
  }
  if (counts === 'or' && rule.or?.length === 0) {
    check.add('warning', 'or', ': without a rule in it it is never satisfied');
  }
  for (const name of ['and', 'or'] as const) {
    for (const [i, item] of (fields.list(name) ?? []).entries()) {
      const part = rule[name]?.[i];
      if (part === undefined) continue;
      const inside = { owner: `${owner}.${name}[${i}]`, inAnd: name === 'and', inNot };
      faults.push(...checkPart(item, part, inside));
    }
  }
  const negated = fields.node('not');
  if (negated !== undefined && rule.not !== undefined) {
    const missing = inNot ? [] : whatMayBeMissing(rule.not);
    // There both say no.
    if (missing.length > 0 && !(inAnd && !hasOr(rule.not))) {
      const what = [...new Set(missing)].join(' or ');
      check.add(
        'note',
        'not',
        `: a request without ${what} does not satisfy it; webhook 2.8.0 lets it in`,
      );
    }
    faults.push(
      ...checkPart(negated, rule.not, { owner: `${owner}.not`, inAnd: false, inNot: true }),
    );
  }
  const condition = fields.node('match');
  if (condition !== undefined && rule.match !== undefined) {
    faults.push(...checkMatch(condition, rule.match, `${owner}.match`));
  }
  return faults;
}

function hasOr({ and, or, not }: Rule): boolean {
  return or !== undefined || (and ?? []).some(hasOr) || (not !== undefined && hasOr(not));
}

/** The parameters of a rule that a request may lack, in words. */
function whatMayBeMissing({ and, or, not, match }: Rule): string[] {
  const parts = and ?? or ?? (not === undefined ? undefined : [not]);
  if (parts !== undefined) return parts.flatMap(whatMayBeMissing);
  if (match === undefined || match.type === 'ip-whitelist') return [];
  if (match.type === 'scalr-signature') return ['X-Signature and Date'];
  const { source, name } = match.parameter;
  return /^(?:url|query|header|payload)$/.test(source) && name !== ''
    ? [`the ${source} ${name}`]
    : [];
}

function checkMatch(node: HookFileNode, match: HookMatch, owner: string): HookFault[] {
  const check = new FieldCheck(node, owner);
  const { fields, faults } = check;
  const { type, regex, ipRange, parameter } = match;
  check.unknown(['type', 'parameter', ...COMPARED]);
  const compared = TYPES.get(type);
  if (compared === undefined) {
    const isGiven = fields.has('type');
    if (isGiven) check.add('error', 'type', `: unknown type "${type}"`);
    else check.add('error', 'type', ' is missing: it is never satisfied');
    return faults;
  }
  const isGiven = check.needs(compared, EFFECTS[compared]);
  for (const name of COMPARED) {
    if (name === compared || fields.text(name) === '') continue;
    check.add('error', name, ` has no effect: the type "${type}" does not use it`);
  }
  if (compared === 'ip-range' && isGiven) checkNetworks(check, ipRange);
  const given = fields.node('parameter') ?? { kind: 'null', place: node.place };
  if (!PARAMETERLESS.test(type)) {
    faults.push(...checkParameter(given, `${owner}.parameter`, parameter, 'rule'));
  } else if (parameter.source !== '' || parameter.name !== '') {
    check.add('warning', 'parameter', ` has no effect: the type "${type}" does not use it`);
  }
  const fault = compared === 'regex' ? regexFault(regex) : undefined;
  if (fault !== undefined) check.add('error', 'regex', `: ${fault}`);
  return faults;
}

function checkNetworks(check: FieldCheck, range: string): void {
  const wrong = wrongNetwork(range);
  if (wrong !== undefined) check.add('error', 'ip-range', `: invalid CIDR address: ${wrong}`);
  else if (/^[\s\u0085\u00a0]*$/.test(range)) {
    check.add('error', 'ip-range', ` is blank: ${EFFECTS['ip-range']}`);
  }
}

function regexFault(regex: string): string | undefined {
  try {
    compileRegex(regex);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof GoFault) return thrown.message;
    throw thrown;
  }
}

/** What a parameter is for. */
type ParameterUse = 'rule' | 'argument' | 'environment' | 'file' | 'json';

const PARAMETER_KEYS = ['source', 'name', 'envname', 'base64decode'];
const NAMED = /^(?:url|query|header|payload)$/;
const WHOLE = /^(?:raw-request-body|entire-(?:payload|headers|query))$/;
const FIXED = 'string';
/** Headers that a server takes out of a request before hooks see it. */
const UNSEEN = /^(?:host|transfer-encoding)$/i;

/** What is wrong with a parameter. `node`: absent where the file has none. */
function checkParameter(
  node: HookFileNode,
  owner: string,
  parameter: Parameter,
  use: ParameterUse,
): HookFault[] {
  const check = new FieldCheck(node, owner);
  if (node.kind === 'null') {
    const what = use === 'rule' ? 'is missing' : 'has an entry that is null';
    check.addWhole('error', ` ${what}: there is no value`);
    return check.faults;
  }
  check.unknown(PARAMETER_KEYS);
  if (!check.needs('source', 'there is no value')) return check.faults;
  checkSource(check, parameter, use, owner);
  if (use === 'environment' || use === 'file') checkVariable(check, parameter, use);
  else if (parameter.envName !== '') check.add('warning', 'envname', ' has no effect here');
  if (parameter.base64Decode && use !== 'file') {
    check.add('warning', 'base64decode', ' has no effect here: only pass-file-to-command decodes');
  }
  return check.faults;
}

function checkSource(
  check: FieldCheck,
  { source, name }: Parameter,
  use: ParameterUse,
  owner: string,
): void {
  if (use === 'json' && !NAMED.test(source) && (source === FIXED || isKnown(source))) {
    check.add('error', 'source', `: "${source}" is never parsed as JSON`);
  } else if (NAMED.test(source)) {
    if (!check.needs('name', `there is no value in "${source}"`)) return;
    if (source !== 'header' || !UNSEEN.test(name)) return;
    check.add('error', 'name', `: hooks do not see the header ${name}`);
  } else if (source === 'request') {
    if (/^(?:method|remote-addr)$/i.test(name)) return;
    check.add('error', 'name', ': the source "request" has only "method" and "remote-addr"');
  } else if (source === FIXED) {
    if (use === 'rule') {
      check.add('warning', 'source', `: "${source}" is a fixed text, the same for every request`);
    }
    if (!check.fields.has('name')) check.add('warning', 'name', ' is missing: the text is empty');
  } else if (WHOLE.test(source)) {
    if (name === '' || use === 'environment' || use === 'file') return;
    check.add('warning', 'name', ` has no effect: the source "${source}" has no names`);
  } else {
    const place = check.fields.placeOf('source');
    check.faults.push({ place, text: `${owner}: unknown source "${source}"`, weight: 'error' });
  }
}

function isKnown(source: string): boolean {
  return source === 'request' || WHOLE.test(source);
}

function checkVariable(check: FieldCheck, { source, name, envName }: Parameter, use: string): void {
  const field = envName === '' ? 'name' : 'envname';
  const variable = envName || `HOOK_${use === 'file' ? name.toUpperCase() : name}`;
  if (envName === '' && (source === FIXED || name === '')) {
    check.add('warning', 'envname', ' is missing: the name of the variable is made from the value');
  }
  if (use === 'file' && /[/\0]/.test(variable)) {
    check.add('error', field, ': no file is created for a variable with "/" in its name');
  } else if (/[=\0]/.test(variable)) {
    check.add('error', field, ': a variable cannot have "=" in its name');
  }
}
