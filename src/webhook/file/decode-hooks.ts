import { decodeLimits, decodeTimeout } from './decode-limits.ts';
import { FieldReader } from './field-reader.ts';
import { HookFileFault, type HookFileNode } from './file-node.ts';
import type { Hook, HookMatch, Parameter, Rule } from './hook.ts';
import type { ReferenceReader } from './reference-reader.ts';

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
