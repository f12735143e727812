import type { Answer } from '../graph-call.ts';

/** An error of the sign-in service. */
export class LoginFailure extends Error {
  readonly status: number;
  /** As OAuth names it. */
  readonly error: string;
  /** Number after `AADSTS`. */
  readonly number: number;

  constructor(error: string, number: number, message: string, status = 400) {
    super(message);
    this.name = 'LoginFailure';
    this.status = status;
    this.error = error;
    this.number = number;
  }

  /** The message as the service writes it. */
  get description(): string {
    return `AADSTS${this.number}: ${this.message}`;
  }
}

/** The failure as the token endpoint answers it. */
export function loginFailureAnswer(failure: LoginFailure): Answer {
  return {
    status: failure.status,
    json: {
      error: failure.error,
      error_description: failure.description,
      error_codes: [failure.number],
      timestamp: new Date().toISOString(),
      trace_id: crypto.randomUUID(),
      correlation_id: crypto.randomUUID(),
    },
  };
}
