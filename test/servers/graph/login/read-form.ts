import type { GraphCall } from '../graph-call.ts';
import { LoginFailure } from './login-failure.ts';

/** The fields of a form that was posted; throws for any other kind of body. */
export function readForm(call: GraphCall): URLSearchParams {
  const type = call.headers['content-type'] ?? '';
  if (call.method !== 'POST' || !/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw new LoginFailure('invalid_request', 900144, 'A form must be posted.');
  }
  return new URLSearchParams(call.body.toString());
}
