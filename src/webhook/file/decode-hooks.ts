import { METHODS } from 'node:http';
import { isHeaderName } from '../../go/go-texts.ts';
import { parseDuration } from '../../go/quantities.ts';
import type { Hook, RunLimits } from '../hook.ts';
import { statusText } from '../http/answer.ts';
import { bodyKind } from '../payload/parse-body.ts';
import { checkParameter, decodeRule, type ParameterUse, readParameter } from './decode-rule.ts';
import { type HookFault, HookFields } from './hook-fields.ts';
import { HookFileFault, type HookFileNode, type HookFilePlace } from './read-hook-file.ts';
import type { ReferenceReader } from './reference-reader.ts';

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
