import { GoFault } from '../../go/go-errno.ts';
import { goQuote } from '../../go/go-texts.ts';
import { FieldReader } from '../file/field-reader.ts';
import type { HookFileNode, HookFilePlace } from '../file/file-node.ts';
import type { Hook, HookMatch, Parameter, Rule } from '../file/hook.ts';
import { type LoadOptions, loadHooks } from '../file/load-hooks.ts';
import { statusText } from '../http/answer.ts';
import { wrongNetwork } from '../rule/is-in-range.ts';
import { compileRegex } from '../rule/match-value.ts';

const SOURCES =
  /^(?:url|query|header|payload|string|raw-request-body|request|entire-(?:payload|headers|query))$/;
const TYPES =
  /^(?:value|regex|payload-(?:hmac|hash)-(?:sha1|sha256|sha512)|ip-whitelist|scalr-signature)$/;

/** The keys of hooks and of what is in them; any other one is ignored when a file is loaded. */
const KEYS = {
  hook: [
    ...['id', 'execute-command', 'command-working-directory', 'command-timeout', 'http-methods'],
    ...['response-message', 'response-headers', 'response-mode', 'success-http-response-code'],
    ...['incoming-payload-content-type', 'include-command-output-in-response', 'trigger-rule'],
    ...['include-command-output-in-response-on-error', 'stream-command-output', 'coalesce'],
    ...['pass-arguments-to-command', 'pass-environment-to-command', 'pass-file-to-command'],
    ...['parse-parameters-as-json', 'trigger-rule-mismatch-http-response-code'],
    ...['trigger-signature-soft-failures', 'max-concurrency', 'queue-size', 'on-full'],
    'rate-limit',
  ],
  rule: ['and', 'or', 'not', 'match'],
  match: ['type', 'value', 'regex', 'secret', 'ip-range', 'parameter'],
  parameter: ['source', 'name', 'envname', 'base64decode'],
  header: ['name', 'value'],
} as const;

/** What is wrong, and where in the file. */
interface HookFault {
  readonly place: HookFilePlace;
  readonly text: string;
  /** It may be meant. */
  readonly isWarning?: boolean;
}

function checkKeys(node: HookFileNode, kind: keyof typeof KEYS, owner: string): HookFault[] {
  const fields = new FieldReader(node, '');
  return fields.besides(KEYS[kind]).map((key) => ({
    ...{ place: fields.placeOf(key), isWarning: true },
    text: `${owner === '' ? '' : `${owner}: `}unknown key ${goQuote(key)}`,
  }));
}

/** What can never work in a hook that could be read. */
function checkHook(node: HookFileNode, hook: Hook): HookFault[] {
  const fields = new FieldReader(node, '');
  const at = (name: string, text: string) => ({ place: fields.placeOf(name), text });
  const codes = [
    ['success-http-response-code', hook.successCode],
    ['trigger-rule-mismatch-http-response-code', hook.mismatchCode],
  ] as const;
  const passed = [
    ['pass-arguments-to-command', hook.arguments],
    ['pass-environment-to-command', hook.environment],
    ['pass-file-to-command', hook.files],
    ['parse-parameters-as-json', hook.jsonParameters],
  ] as const;
  const rule = fields.node('trigger-rule');
  const opens = hook.rule === undefined ? '; the hook has no rule' : '';
  const headers = fields.list('response-headers') ?? [];
  return [
    ...checkKeys(node, 'hook', '').map((fault) => ({ ...fault, text: `${fault.text}${opens}` })),
    ...headers.flatMap((header) => checkKeys(header, 'header', 'response-headers')),
    ...(hook.executeCommand === '' ? [at('execute-command', 'execute-command is missing')] : []),
    ...codes
      .filter(([, code]) => code !== 0 && statusText(code) === undefined)
      .map(([name, code]) => at(name, `${name}: unknown status ${code}`)),
    ...passed.flatMap(([name, list]) => {
      const items = fields.list(name) ?? [];
      return list.flatMap((parameter, i) =>
        checkSource(items[i] ?? nothingAt(node), name, parameter),
      );
    }),
    ...(rule && hook.rule ? checkRule(rule, hook.rule, 'trigger-rule') : []),
  ];
}

function nothingAt({ place }: HookFileNode): HookFileNode {
  return { kind: 'null', place };
}

function checkSource(node: HookFileNode, owner: string, { source }: Parameter): HookFault[] {
  const unknown = checkKeys(node, 'parameter', owner);
  if (SOURCES.test(source)) return unknown;
  const place = new FieldReader(node, '').placeOf('source');
  return [...unknown, { place, text: `${owner}: unknown source "${source}"` }];
}

function checkRule(node: HookFileNode, rule: Rule, owner: string): HookFault[] {
  const fields = new FieldReader(node, '');
  const { and, or, not, match } = rule;
  const list = (name: 'and' | 'or', rules: readonly Rule[] = []) =>
    (fields.list(name) ?? []).flatMap((item, i) => {
      const part = rules[i];
      return part === undefined ? [] : checkRule(item, part, `${owner}.${name}[${i}]`);
    });
  const empty = (name: 'and' | 'or', rules: readonly Rule[] | undefined, what: string) => {
    if (rules?.length !== 0) return [];
    const text = `${owner}.${name}: without a rule in it it is ${what} satisfied`;
    return [{ place: fields.placeOf(name), text, isWarning: true }];
  };
  const inner = fields.node('not');
  const condition = fields.node('match');
  if (and === undefined && or === undefined && not === undefined && match === undefined) {
    const text = `${owner}: without and, or, not or match it is never satisfied`;
    return [{ place: node.place, text }];
  }
  return [
    ...checkKeys(node, 'rule', owner),
    ...empty('and', and, 'always'),
    ...(and === undefined ? empty('or', or, 'never') : []),
    ...list('and', and),
    ...list('or', or),
    ...(inner && not ? checkRule(inner, not, `${owner}.not`) : []),
    ...(condition && match ? checkMatch(condition, match, `${owner}.match`) : []),
  ];
}

function checkMatch(node: HookFileNode, match: HookMatch, owner: string): HookFault[] {
  const fields = new FieldReader(node, '');
  const at = (name: string, text: string) => ({
    place: fields.placeOf(name),
    text: `${owner}.${text}`,
  });
  const { type, secret, regex, ipRange, parameter } = match;
  const faults = checkKeys(node, 'match', owner);
  if (!TYPES.test(type)) return [...faults, at('type', `type: unknown type "${type}"`)];
  if (type === 'ip-whitelist') {
    const wrong = wrongNetwork(ipRange);
    if (wrong === undefined) return faults;
    return [...faults, at('ip-range', `ip-range: invalid CIDR address: ${wrong}`)];
  }
  if (secret === '' && /^payload-|^scalr/.test(type)) faults.push(at('secret', 'secret is empty'));
  if (type !== 'scalr-signature') {
    faults.push(
      ...checkSource(fields.node('parameter') ?? nothingAt(node), `${owner}.parameter`, parameter),
    );
  }
  const fault = type === 'regex' ? regexFault(regex) : undefined;
  if (fault !== undefined) faults.push(at('regex', `regex: ${fault}`));
  return faults;
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

/**
 * What is wrong with hook files, one line each: what stops them from being loaded, what could never work, and warnings
 * of what may be a mistake.
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
      const { hooks, root } = await loadHooks(path, options);
      const nodes = root.kind === 'list' ? root.items : [];
      for (const [index, hook] of hooks.entries()) {
        const node = nodes[index];
        if (node === undefined) continue;
        const found = checkHook(node, hook);
        const owner = owners.get(hook.id);
        if (owner !== undefined) {
          found.unshift({ place: node.place, text: `duplicate id, also in ${owner}` });
        }
        owners.set(hook.id, path);
        for (const { place, text, isWarning = false } of found) {
          const at = `${path}: line ${place.line}, column ${place.column}`;
          const line = `hook "${hook.id}": ${text}`;
          if (isWarning) warnings.push(`${at}: warning: ${line}`);
          else faults.push(`${at}: ${line}`);
        }
      }
    } catch (thrown) {
      faults.push(`${path}: ${(thrown as Error).message}`);
    }
  }
  return { faults, warnings };
}
