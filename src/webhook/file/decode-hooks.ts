import { parseDuration } from '../../go/duration.ts';
import { FieldReader } from './field-reader.ts';
import type { Hook, HookMatch, Parameter, Rule, RunLimits } from './hook.ts';
import { HookFileFault, type HookFileNode } from './read-hook-file.ts';
import type { ReferenceReader } from './reference-reader.ts';

/** Runs of a hook that may wait where its file does not say how many. */
const DEFAULT_QUEUE_SIZE = 100;

/** What a timer can wait for: 2^31 ms, with room for what comes after it. */
const MAX_TIMEOUT_MS = (596 * 60 + 30) * 60_000;

/** Fields of a hook that webhook 2.8.0 does not know. */
const OWN_FIELDS = [
  ...['command-timeout', 'max-concurrency', 'queue-size', 'on-full', 'coalesce', 'rate-limit'],
  ...['stream-command-output', 'response-mode'],
];

/** The hooks that a file describes. An empty file has none. Throws `HookFileFault` for the first thing wrong. */
export function decodeHooks(root: HookFileNode, references: ReferenceReader): Hook[] {
  if (root.kind === 'null') return [];
  if (root.kind !== 'list') throw new HookFileFault(root.place, 'the file must be a list of hooks');
  return root.items.map((item, index) => decodeHook(item, index, references));
}

function decodeHook(node: HookFileNode, index: number, references: ReferenceReader): Hook {
  const number = `hook number ${index + 1}`;
  const id = new FieldReader(node, number).text('id');
  const owner = id === '' ? number : `hook "${id}"`;
  const fields = new FieldReader(node, owner);
  const parameters = (name: string) =>
    (fields.list(name) ?? []).map((item) => decodeParameter(item, `${owner}: ${name}`, references));
  const rule = fields.node('trigger-rule');
  const limits = decodeLimits(fields);
  const hook = {
    id,
    executeCommand: fields.text('execute-command'),
    workingDirectory: fields.text('command-working-directory'),
    responseMessage: fields.text('response-message'),
    responseHeaders: (fields.list('response-headers') ?? []).map((item) =>
      decodeHeader(item, `${owner}: response-headers`, references),
    ),
    successCode: fields.whole('success-http-response-code'),
    mismatchCode: fields.whole('trigger-rule-mismatch-http-response-code'),
    contentType: fields.text('incoming-payload-content-type'),
    methods: (fields.list('http-methods') ?? []).map((item) => decodeMethod(item, owner)),
    includeOutput: fields.bool('include-command-output-in-response'),
    includeOutputOnError: fields.bool('include-command-output-in-response-on-error'),
    arguments: parameters('pass-arguments-to-command'),
    environment: parameters('pass-environment-to-command'),
    files: parameters('pass-file-to-command'),
    jsonParameters: parameters('parse-parameters-as-json'),
    ...(rule && { rule: decodeRule(rule, `${owner}: trigger-rule`, references) }),
    softSignatures: fields.bool('trigger-signature-soft-failures'),
    timeoutMs: decodeTimeout(fields),
    streamOutput: fields.bool('stream-command-output'),
    ...(limits && { limits }),
    ...decodeResponseMode(fields),
    extended: OWN_FIELDS.some((name) => fields.has(name)),
  };
  return { ...hook, secrets: references.takeSecrets() };
}

function decodeResponseMode(fields: FieldReader): Pick<Hook, 'responseMode'> {
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

function decodeHeader(
  node: HookFileNode,
  owner: string,
  references: ReferenceReader,
): Hook['responseHeaders'][number] {
  const fields = new FieldReader(node, owner);
  const value = fields.text('value');
  const place = fields.placeOf('value');
  return [fields.text('name'), references.expand(value, place, `${owner}.value`)];
}

function decodeMethod(node: HookFileNode, owner: string): string {
  const wrapped: HookFileNode = {
    kind: 'map',
    place: node.place,
    members: [['http-methods', node]],
  };
  return new FieldReader(wrapped, owner).text('http-methods').trim().toUpperCase();
}

/** Reads what limits the runs of a hook; `undefined` where nothing does. Throws `HookFileFault`. */
function decodeLimits(fields: FieldReader): RunLimits | undefined {
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
    queueSize: fields.has('queue-size') ? queueSize : DEFAULT_QUEUE_SIZE,
    onFull: onFull ?? 'reject',
    coalesce,
    ...(rate && { rate }),
  };
}

/** `10/s`, `100/1m30s`. */
function decodeRate(fields: FieldReader): RunLimits['rate'] {
  const text = fields.text('rate-limit');
  if (text === '') return undefined;
  const [, count = '', per = ''] = /^(\d+)\/(.+)$/.exec(text) ?? [];
  const perMs = duration(/^\d/.test(per) ? per : `1${per}`);
  if (Number(count) > 0 && perMs !== undefined && perMs > 0) return { count: Number(count), perMs };
  throw fields.fault('rate-limit', 'must be a number of runs and a time, such as 10/s or 100/1m');
}

/** Reads a hook's `command-timeout`, in milliseconds; 0 where there is none. Throws `HookFileFault`. */
function decodeTimeout(fields: FieldReader): number {
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

/** Reads a rule and all in it. Throws `HookFileFault`. */
function decodeRule(node: HookFileNode, owner: string, references: ReferenceReader): Rule {
  const fields = new FieldReader(node, owner);
  const and = fields.list('and')?.map((part) => decodeRule(part, `${owner}.and`, references));
  const or = fields.list('or')?.map((part) => decodeRule(part, `${owner}.or`, references));
  const not = fields.node('not');
  const match = fields.node('match');
  return {
    ...(and && { and }),
    ...(or && { or }),
    ...(not && { not: decodeRule(not, `${owner}.not`, references) }),
    ...(match && { match: decodeMatch(match, `${owner}.match`, references) }),
  };
}

function decodeMatch(node: HookFileNode, owner: string, references: ReferenceReader): HookMatch {
  const fields = new FieldReader(node, owner);
  const parameter = fields.node('parameter') ?? { kind: 'null', place: node.place };
  const expanded = (name: string) =>
    references.expand(fields.text(name), fields.placeOf(name), `${owner}.${name}`);
  return {
    type: fields.text('type'),
    value: expanded('value'),
    regex: fields.text('regex'),
    secret: expanded('secret'),
    ipRange: fields.text('ip-range'),
    parameter: decodeParameter(parameter, `${owner}.parameter`, references),
  };
}

/** Reads a parameter. Throws `HookFileFault`. */
function decodeParameter(
  node: HookFileNode,
  owner: string,
  references: ReferenceReader,
): Parameter {
  const fields = new FieldReader(node, owner);
  const source = fields.text('source');
  const name = fields.text('name');
  return {
    source,
    name:
      source === 'string'
        ? references.expandWhole(name, fields.placeOf('name'), `${owner}.name`)
        : name,
    envName: fields.text('envname'),
    base64Decode: fields.bool('base64decode'),
  };
}
