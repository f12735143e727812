import { METHODS } from 'node:http';
import { isHeaderName } from '../../go/header-name.ts';
import { statusText } from '../http/answer.ts';
import { bodyKind } from '../payload/parse-body.ts';
import { checkParameter } from './check-parameter.ts';
import { checkRule } from './check-rule.ts';
import type { HookFileNode } from './file-node.ts';
import type { Hook } from './hook.ts';
import { FieldCheck, type HookFault } from './hook-fault.ts';
import { type LoadedHooks, type LoadOptions, loadHooks } from './load-hooks.ts';

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
