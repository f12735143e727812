import type { BackendOption } from './options.ts';

/** Where the dialogue that sets a remote up stands, and the answer to its last question. */
export interface SetUpInput {
  /** `''` at the beginning; otherwise what came with the question. */
  readonly state: string;
  readonly result: string;
}

/** A question that only the store itself can put: which of the account's drives it is. */
export interface SetUpQuestion extends BackendOption {
  /** Only the examples can be answered. */
  readonly exclusive?: boolean;
  /** It asks only whether what was found is right: whoever shows that before saving need not put it. */
  readonly isConfirmation?: boolean;
}

/** What a step of the dialogue comes to. */
export interface SetUpAnswer {
  /** To be given with the next answer; `''` at the end. */
  readonly state: string;
  /** Absent at the end, and where the dialogue goes on without one. */
  readonly question?: SetUpQuestion;
  /** Why the last answer could not be used, where the dialogue goes back for another. */
  readonly error?: string;
  /** Values of the section that the step found out. */
  readonly values?: Readonly<Record<string, string>>;
}
