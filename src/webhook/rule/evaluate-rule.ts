import type { HookMatch, Rule } from '../file/hook.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { NotFoundFault } from '../parameter/look-up.ts';
import { parameterValue } from '../parameter/parameter-value.ts';
import { checkScalr } from './check-scalr.ts';
import { isInRange } from './is-in-range.ts';
import {
  type CompiledRegexes,
  checkHmac,
  matchesRegex,
  SignatureFault,
  sameText,
} from './match-value.ts';

/**
 * Whether a request satisfies a rule. A parameter that the request lacks means no, whatever stands around it but
 * `or`; below a `not`, that is no either if no other part of the `or` is met. Throws `GoFault` where the rule cannot be
 * judged, and where a signature is wrong.
 */
export function evaluateRule(rule: Rule, request: HookRequest, context: RuleContext): boolean {
  const { and, or, not, match } = rule;
  if (and !== undefined) return and.every((part) => evaluateRule(part, request, context));
  if (or !== undefined) return isAnyMet(or, request, context);
  if (not !== undefined) return !evaluateRule(not, request, { ...context, belowNot: true });
  return match !== undefined && evaluateMatch(match, request, context);
}

function isAnyMet(rules: readonly Rule[], request: HookRequest, context: RuleContext): boolean {
  let missing: NotFoundFault | undefined;
  for (const rule of rules) {
    try {
      if (evaluateRule(rule, request, context)) return true;
    } catch (thrown) {
      if (thrown instanceof NotFoundFault) missing ??= thrown;
      else if (!context.softSignatures || !(thrown instanceof SignatureFault)) throw thrown;
    }
  }
  if (missing !== undefined && context.belowNot) throw missing;
  return false;
}

/** What a rule is judged with besides the request. */
export interface RuleContext {
  readonly nowMs: number;
  /** Wrong signatures inside `or` are a plain no. */
  readonly softSignatures: boolean;
  readonly regexes: CompiledRegexes;
  /** An `or` without a parameter is no plain no there, or its opposite would trigger the hook. */
  readonly belowNot?: boolean;
  /** Takes warnings. */
  readonly warn: (line: string) => void;
}

const SIGNED = /^payload-(hmac|hash)-(sha1|sha256|sha512)$/;

/** Whether a single condition is met. Throws `GoFault` where that cannot be said. */
export function evaluateMatch(
  match: HookMatch,
  request: HookRequest,
  context: RuleContext,
): boolean {
  if (match.type === 'ip-whitelist') return isInRange(request.remoteAddress, match.ipRange);
  if (match.type === 'scalr-signature') return checkScalr(request, match.secret, context.nowMs);
  const value = parameterValue(match.parameter, request);
  if (match.type === 'value') return sameText(value, match.value);
  if (match.type === 'regex') return matchesRegex(match, value, context.regexes);
  const signed = SIGNED.exec(match.type);
  if (signed === null) return false;
  const algorithm = signed[2] as 'sha1' | 'sha256' | 'sha512';
  if (signed[1] === 'hash') {
    const mark = algorithm === 'sha1' ? ';' : ':';
    const now = `payload-hmac-${algorithm}`;
    context.warn(`warn: use of deprecated option ${match.type}${mark} use ${now} instead`);
  }
  checkHmac(algorithm, match.secret, request.body, value);
  return true;
}
