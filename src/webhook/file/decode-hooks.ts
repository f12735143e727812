import { METHODS } from 'node:http';
import { GoFault, isHeaderName } from '../../go/go-texts.ts';
import { parseDuration } from '../../go/quantities.ts';
import type { Hook, HookMatch, Parameter, Rule, RunLimits } from '../hook.ts';
import { statusText } from '../http/answer.ts';
import { bodyKind } from '../payload/parse-body.ts';
import { compileRegex, wrongNetwork } from '../rule/judge-rule.ts';
import { type HookFault, HookFields } from './hook-fields.ts';
import { HookFileFault, type HookFileNode, type HookFilePlace } from './read-hook-file.ts';
import { isReference, type ReferenceReader } from './reference-reader.ts';

/** What a timer can wait for: 2^31 ms, with room for what comes after it. */
const MAX_TIMEOUT_MS = (596 * 60 + 30) * 60_000;

/** Fields of a hook that webhook 2.8.0 does not know. */
const OWN_FIELDS = [
  ...['command-timeout', 'max-concurrency', 'queue-size', 'on-full', 'coalesce', 'rate-limit'],
  ...['stream-command-output', 'response-mode'],
];

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
    const id = new HookFields(item, reading).text('id');
    const owner = id === '' ? reading.owner : `hook "${id}"`;
    const hook = decodeHook(new HookFields(item, { owner, references, faults }));
    return { ...hook, secrets: references.takeSecrets() };
  });
  faults.sort(({ place: a }, { place: b }) => a.line - b.line || a.column - b.column);
  return { hooks, places: root.items.map(({ place }) => place), faults };
}

function decodeHook(fields: HookFields): Omit<Hook, 'secrets'> {
  const parameters = (name: string, use: ParameterUse) =>
    (fields.parts(name) ?? []).map((part) => {
      const parameter = readParameter(part);
      checkParameter(part, parameter, use);
      return parameter;
    });
  const limits = decodeLimits(fields);
  const hook = {
    id: fields.text('id'),
    executeCommand: fields.text('execute-command'),
    workingDirectory: fields.text('command-working-directory'),
    responseMessage: fields.text('response-message'),
    responseHeaders: (fields.parts('response-headers') ?? []).map(decodeHeader),
    successCode: fields.whole('success-http-response-code'),
    mismatchCode: fields.whole('trigger-rule-mismatch-http-response-code'),
    contentType: fields.text('incoming-payload-content-type'),
    methods: fields.texts('http-methods').map((method) => method.trim().toUpperCase()),
    includeOutput: fields.bool('include-command-output-in-response'),
    includeOutputOnError: fields.bool('include-command-output-in-response-on-error'),
    arguments: parameters('pass-arguments-to-command', 'argument'),
    environment: parameters('pass-environment-to-command', 'environment'),
    files: parameters('pass-file-to-command', 'file'),
    jsonParameters: parameters('parse-parameters-as-json', 'json'),
    ...(fields.has('trigger-rule') && { rule: decodeRule(fields.part('trigger-rule')) }),
    softSignatures: fields.bool('trigger-signature-soft-failures'),
    timeoutMs: decodeTimeout(fields),
    streamOutput: fields.bool('stream-command-output'),
    ...(limits && { limits }),
    ...decodeResponseMode(fields),
    extended: OWN_FIELDS.some((name) => fields.has(name)),
  };
  // What can never work, and what may be a mistake.
  fields.noteUnknown(hook.rule === undefined ? '; the hook has no rule' : '');
  if (hook.executeCommand === '') fields.note('error', 'execute-command', ' is missing');
  const codes = ['success-http-response-code', 'trigger-rule-mismatch-http-response-code'];
  for (const name of codes) {
    const code = fields.whole(name);
    if (code === 0 || statusText(code) !== undefined) continue;
    fields.note('error', name, `: unknown status ${code}`);
  }
  if (hook.includeOutputOnError && !hook.includeOutput && !hook.streamOutput) {
    const text = ' has no effect without include-command-output-in-response';
    fields.note('warning', 'include-command-output-in-response-on-error', text);
  }
  for (const method of hook.methods) {
    if (METHODS.includes(method)) continue;
    const why = method.includes(',') ? 'list the methods one by one' : 'no request has this method';
    fields.note('error', 'http-methods', `: "${method}": ${why}`);
  }
  if (hook.contentType !== '' && bodyKind(hook.contentType) === 'none') {
    const text = `: no body is parsed as "${hook.contentType}", so the payload is empty`;
    fields.note('warning', 'incoming-payload-content-type', text);
  }
  if (hook.rule !== undefined) return hook;
  const open = 'every request runs the command';
  const useless = ` has no effect: the hook has no rule, and ${open}`;
  if (fields.hasNull('trigger-rule')) fields.note('warning', 'trigger-rule', ` is null: ${open}`);
  if (hook.mismatchCode !== 0) {
    fields.note('warning', 'trigger-rule-mismatch-http-response-code', useless);
  }
  if (hook.softSignatures) fields.note('warning', 'trigger-signature-soft-failures', useless);
  return hook;
}

function decodeResponseMode(fields: HookFields): Pick<Hook, 'responseMode'> {
  const responseMode = fields.word('response-mode', ['sync', 'async']);
  for (const name of ['include-command-output-in-response', 'stream-command-output']) {
    if (responseMode === 'async' && fields.bool(name)) {
      throw fields.fault('response-mode', `cannot be "async" with ${name}`);
    }
  }
  if (fields.bool('stream-command-output') && fields.bool('include-command-output-in-response')) {
    const other = 'include-command-output-in-response';
    throw fields.fault('stream-command-output', `cannot be true with ${other}`);
  }
  return responseMode === undefined ? {} : { responseMode };
}

function decodeHeader(fields: HookFields): Hook['responseHeaders'][number] {
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

/** Reads what limits the runs of a hook; `undefined` where nothing does. Throws `HookFileFault`. */
function decodeLimits(fields: HookFields): RunLimits | undefined {
  const coalesce = fields.bool('coalesce');
  const maxConcurrency = fields.count('max-concurrency') || (coalesce ? 1 : 0);
  const rate = decodeRate(fields);
  const onFull = fields.word('on-full', ['reject', 'drop-newest', 'drop-oldest']);
  const queueSize = fields.count('queue-size');
  for (const name of ['queue-size', 'on-full']) {
    if (fields.has(name) && maxConcurrency === 0) {
      throw fields.fault(name, 'has no effect without max-concurrency');
    }
  }
  if (maxConcurrency === 0 && rate === undefined) return undefined;
  return {
    maxConcurrency,
    queueSize: fields.has('queue-size') ? queueSize : 100,
    onFull: onFull ?? 'reject',
    coalesce,
    ...(rate && { rate }),
  };
}

/** `10/s`, `100/1m30s`. */
function decodeRate(fields: HookFields): RunLimits['rate'] {
  const text = fields.text('rate-limit');
  if (text === '') return undefined;
  const [, count = '', per = ''] = /^(\d+)\/(.+)$/.exec(text) ?? [];
  const perMs = duration(/^\d/.test(per) ? per : `1${per}`);
  if (Number(count) > 0 && perMs !== undefined && perMs > 0) return { count: Number(count), perMs };
  throw fields.fault('rate-limit', 'must be a number of runs and a time, such as 10/s or 100/1m');
}

/** Reads a hook's `command-timeout`, in milliseconds; 0 where there is none. Throws `HookFileFault`. */
function decodeTimeout(fields: HookFields): number {
  const text = fields.text('command-timeout');
  if (text === '') return 0;
  const ms = duration(text);
  if (ms === undefined) throw fields.fault('command-timeout', 'must be a duration such as 30s');
  if (ms > MAX_TIMEOUT_MS) throw fields.fault('command-timeout', 'must be at most 596h30m');
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

/**
 * Reads a rule and all in it, and notes what can never work. Throws `HookFileFault`.
 *
 * @param inAnd it stands directly in an `and`
 * @param inNot it stands anywhere in a `not`
 */
function decodeRule(fields: HookFields, inAnd = false, inNot = false): Rule {
  const rules = (name: 'and' | 'or') =>
    fields.parts(name)?.map((part) => decodeRule(part, name === 'and', inNot));
  const [and, or] = [rules('and'), rules('or')];
  const not = fields.has('not') ? decodeRule(fields.part('not'), false, true) : undefined;
  const match = fields.has('match') ? decodeMatch(fields.part('match')) : undefined;
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
  if (match.type === 'scalr-signature') return ['X-Signature and Date'];
  const { source, name } = match.parameter;
  return NAMED.test(source) && name !== '' ? [`the ${source} ${name}`] : [];
}

function decodeMatch(fields: HookFields): HookMatch {
  const given = fields.part('parameter');
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
  if (!/^(?:ip-whitelist|scalr-signature)$/.test(type)) checkParameter(given, parameter, 'rule');
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

/** What a parameter is for. */
type ParameterUse = 'rule' | 'argument' | 'environment' | 'file' | 'json';

const NAMED = /^(?:url|query|header|payload)$/;
const WHOLE = /^(?:raw-request-body|entire-(?:payload|headers|query))$/;
const FIXED = 'string';
/** Headers that a server takes out of a request before hooks see it. */
const UNSEEN = /^(?:host|transfer-encoding)$/i;

function readParameter(fields: HookFields): Parameter {
  const source = fields.text('source');
  const name = fields.text('name');
  return {
    source,
    // Other references may be meant for a shell.
    name: source === FIXED && isReference(name) ? fields.expanded('name') : name,
    envName: fields.text('envname'),
    base64Decode: fields.bool('base64decode'),
  };
}

function checkParameter(fields: HookFields, parameter: Parameter, use: ParameterUse): void {
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

function checkSource(fields: HookFields, { source, name }: Parameter, use: ParameterUse): void {
  const isWhole = WHOLE.test(source);
  if (use === 'json' && (isWhole || source === FIXED || source === 'request')) {
    fields.note('error', 'source', `: "${source}" is never parsed as JSON`);
  } else if (NAMED.test(source)) {
    if (!fields.needs('name', `there is no value in "${source}"`)) return;
    if (source !== 'header' || !UNSEEN.test(name)) return;
    fields.note('error', 'name', `: hooks do not see the header ${name}`);
  } else if (source === 'request') {
    if (/^(?:method|remote-addr)$/i.test(name)) return;
    fields.note('error', 'name', ': the source "request" has only "method" and "remote-addr"');
  } else if (source === FIXED) {
    if (use === 'rule') {
      fields.note('warning', 'source', `: "${source}" is a fixed text, the same for every request`);
    }
    if (!fields.has('name')) fields.note('warning', 'name', ' is missing: the text is empty');
  } else if (isWhole) {
    if (name === '' || use === 'environment' || use === 'file') return;
    fields.note('warning', 'name', ` has no effect: the source "${source}" has no names`);
  } else {
    fields.note('error', 'source', `: unknown source "${source}"`);
  }
}

function checkVariable(
  fields: HookFields,
  { source, name, envName }: Parameter,
  use: ParameterUse,
): void {
  const field = envName === '' ? 'name' : 'envname';
  const variable = envName || `HOOK_${use === 'file' ? name.toUpperCase() : name}`;
  if (envName === '' && (source === FIXED || name === '')) {
    const text = ' is missing: the name of the variable is made from the value';
    fields.note('warning', 'envname', text);
  }
  if (use === 'file' && /[/\0]/.test(variable)) {
    fields.note('error', field, ': no file is created for a variable with "/" in its name');
  } else if (/[=\0]/.test(variable)) {
    fields.note('error', field, ': a variable cannot have "=" in its name');
  }
}
