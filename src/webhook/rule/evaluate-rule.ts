import type { Rule } from '../file/hook.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { NotFoundFault } from '../parameter/look-up.ts';
import { evaluateMatch, type RuleContext } from './evaluate-match.ts';
import { SignatureFault } from './signature.ts';

/**
 * Whether a request satisfies a rule. A parameter that the request lacks means no, whatever stands around it but
 * `or`. Throws `GoFault` where the rule cannot be judged, and where a signature is wrong.
 */
export function evaluateRule(rule: Rule, request: HookRequest, context: RuleContext): boolean {
  const { and, or, not, match } = rule;
  if (and !== undefined) return and.every((part) => evaluateRule(part, request, context));
  if (or !== undefined) return or.some((part) => isMetInOr(part, request, context));
  if (not !== undefined) return !evaluateRule(not, request, context);
  return match !== undefined && evaluateMatch(match, request, context);
}

function isMetInOr(rule: Rule, request: HookRequest, context: RuleContext): boolean {
  try {
    return evaluateRule(rule, request, context);
  } catch (thrown) {
    const soft = context.softSignatures && thrown instanceof SignatureFault;
    if (soft || thrown instanceof NotFoundFault) return false;
    throw thrown;
  }
}
