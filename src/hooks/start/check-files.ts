import type { Hook, Parameter, Rule } from '../file/hook.ts';
import { type LoadOptions, loadHooks } from '../file/load-hooks.ts';
import { GoFault } from '../go/go-fault.ts';
import { statusText } from '../http/status-text.ts';
import { wrongNetwork } from '../rule/ip-range.ts';
import { compileRegex } from '../rule/match-regex.ts';

const SOURCES =
  /^(?:url|query|header|payload|string|raw-request-body|request|entire-(?:payload|headers|query))$/;
const TYPES =
  /^(?:value|regex|payload-(?:hmac|hash)-(?:sha1|sha256|sha512)|ip-whitelist|scalr-signature)$/;

/** What is wrong with hook files, one line each: what stops them from being loaded, and what could never work. */
export async function checkFiles(
  paths: readonly string[],
  options: LoadOptions,
): Promise<string[]> {
  const owners = new Map<string, string>();
  const faults: string[] = [];
  for (const path of paths) {
    try {
      for (const hook of await loadHooks(path, options)) {
        const owner = owners.get(hook.id);
        if (owner !== undefined)
          faults.push(`${path}: hook "${hook.id}": the id stands in ${owner} already`);
        owners.set(hook.id, path);
        faults.push(...hookFaults(hook).map((fault) => `${path}: hook "${hook.id}": ${fault}`));
      }
    } catch (thrown) {
      faults.push(`${path}: ${(thrown as Error).message}`);
    }
  }
  return faults;
}

/** What can never work in a hook that could be read. */
function hookFaults(hook: Hook): string[] {
  const codes = [
    ['success-http-response-code', hook.successCode],
    ['trigger-rule-mismatch-http-response-code', hook.mismatchCode],
  ] as const;
  return [
    ...(hook.executeCommand === '' ? ['execute-command is missing'] : []),
    ...codes
      .filter(([, code]) => code !== 0 && statusText(code) === undefined)
      .map(([name, code]) => `${name}: there is no status ${code}`),
    ...sourceFaults('pass-arguments-to-command', hook.arguments),
    ...sourceFaults('pass-environment-to-command', hook.environment),
    ...sourceFaults('pass-file-to-command', hook.files),
    ...sourceFaults('parse-parameters-as-json', hook.jsonParameters),
    ...(hook.rule === undefined ? [] : ruleFaults(hook.rule, 'trigger-rule')),
  ];
}

function sourceFaults(field: string, parameters: readonly Parameter[]): string[] {
  return parameters
    .filter(({ source }) => !SOURCES.test(source))
    .map(({ source }) => `${field}: there is no source "${source}"`);
}

function ruleFaults({ and, or, not, match }: Rule, place: string): string[] {
  const inner = [
    ...(and ?? []).flatMap((part, i) => ruleFaults(part, `${place}.and[${i}]`)),
    ...(or ?? []).flatMap((part, i) => ruleFaults(part, `${place}.or[${i}]`)),
    ...(not === undefined ? [] : ruleFaults(not, `${place}.not`)),
  ];
  if (and === undefined && or === undefined && not === undefined && match === undefined) {
    return [`${place}: holds no and, or, not or match, and is never satisfied`];
  }
  if (match === undefined) return inner;
  const at = `${place}.match`;
  const { type, secret, regex, ipRange, parameter } = match;
  if (!TYPES.test(type)) return [...inner, `${at}.type: there is no type "${type}"`];
  if (type === 'ip-whitelist') {
    const wrong = wrongNetwork(ipRange);
    return wrong === undefined
      ? inner
      : [...inner, `${at}.ip-range: invalid CIDR address: ${wrong}`];
  }
  if (secret === '' && /^payload-|^scalr/.test(type)) inner.push(`${at}.secret is empty`);
  if (type !== 'scalr-signature') inner.push(...sourceFaults(`${at}.parameter`, [parameter]));
  if (type === 'regex') inner.push(...regexFaults(`${at}.regex`, regex));
  return inner;
}

function regexFaults(place: string, regex: string): string[] {
  try {
    compileRegex(regex);
    return [];
  } catch (thrown) {
    if (thrown instanceof GoFault) return [`${place}: ${thrown.message}`];
    throw thrown;
  }
}
