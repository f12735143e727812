import { parseDuration } from '../../core/duration.ts';
import { decodeParameter } from './decode-parameter.ts';
import { decodeRule } from './decode-rule.ts';
import { FieldReader } from './field-reader.ts';
import { type FileNode, HookFileFault } from './file-node.ts';
import type { Hook, NamedValue } from './hook.ts';

/** The hooks that a file describes. An empty file has none. Throws `HookFileFault` for the first thing wrong. */
export function decodeHooks(root: FileNode): Hook[] {
  if (root.kind === 'null') return [];
  if (root.kind !== 'list') throw new HookFileFault(root.place, 'the file must be a list of hooks');
  return root.items.map(decodeHook);
}

function decodeHook(node: FileNode, index: number): Hook {
  const number = `hook number ${index + 1}`;
  const id = new FieldReader(node, number).text('id');
  const owner = id === '' ? number : `hook "${id}"`;
  const fields = new FieldReader(node, owner);
  const parameters = (name: string) =>
    (fields.list(name) ?? []).map((item) => decodeParameter(item, `${owner}: ${name}`));
  const rule = fields.node('trigger-rule');
  return {
    id,
    executeCommand: fields.text('execute-command'),
    workingDirectory: fields.text('command-working-directory'),
    responseMessage: fields.text('response-message'),
    responseHeaders: (fields.list('response-headers') ?? []).map((item) =>
      decodeHeader(item, `${owner}: response-headers`),
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
    ...(rule && { rule: decodeRule(rule, `${owner}: trigger-rule`) }),
    softSignatures: fields.bool('trigger-signature-soft-failures'),
    timeoutMs: decodeTimeout(fields, owner),
  };
}

function decodeHeader(node: FileNode, owner: string): NamedValue {
  const fields = new FieldReader(node, owner);
  return { name: fields.text('name'), value: fields.text('value') };
}

function decodeMethod(node: FileNode, owner: string): string {
  const wrapped: FileNode = { kind: 'map', place: node.place, members: [['http-methods', node]] };
  return new FieldReader(wrapped, owner).text('http-methods').trim().toUpperCase();
}

function decodeTimeout(fields: FieldReader, owner: string): number {
  const text = fields.text('command-timeout');
  if (text === '') return 0;
  const ms = /^[\d.]+(?:ns|us|µs|ms|s|m|h)?/.test(text) ? tryDuration(text) : undefined;
  if (ms !== undefined && ms >= 0 && ms < 2 ** 31) return ms;
  const place = fields.node('command-timeout')?.place ?? { line: 1, column: 1 };
  throw new HookFileFault(place, `${owner}: command-timeout must be a duration such as 30s`);
}

function tryDuration(text: string): number | undefined {
  try {
    return parseDuration(text, 0);
  } catch {
    return undefined;
  }
}
